// The last stretch of the figures of a running simulation.
import { type Figures, lastNotAfter } from "../data/series";

/** So many rows are kept: half a minute at steps of 10 ms. */
const MOST_ROWS = 3000;

export class LiveSeries implements Figures {
  names: string[] = [];
  private rows = 0;
  private columns: Float32Array[] = [];
  private clock = new Float64Array(2 * MOST_ROWS);

  get times(): Float64Array {
    return this.clock.subarray(0, this.rows);
  }

  column(name: string): Float32Array | undefined {
    return this.columns[this.names.indexOf(name)]?.subarray(0, this.rows);
  }

  rowAt(time: number): number {
    return lastNotAfter(this.times, time);
  }

  /** Forgets all, as when the scene begins anew. */
  restart(): void {
    this.rows = 0;
    this.names = [];
    this.columns = [];
  }

  /** The first column is the time. A column that is new has no figures before. */
  setColumns(names: string[]): void {
    this.names = names.slice(1);
    while (this.columns.length < this.names.length) this.columns.push(new Float32Array(2 * MOST_ROWS).fill(NaN));
  }

  /** Adds rows, each with the time first. */
  add(figures: Float32Array, rows: number): void {
    const width = this.names.length + 1;
    const first = Math.max(0, rows - MOST_ROWS);
    for (let row = first; row < rows; row++) {
      if (this.rows === 2 * MOST_ROWS) this.forget();
      this.clock[this.rows] = figures[row * width];
      this.columns.forEach((column, index) => {
        column[this.rows] = figures[row * width + index + 1];
      });
      this.rows++;
    }
  }

  private forget(): void {
    for (const column of [this.clock, ...this.columns]) column.copyWithin(0, MOST_ROWS);
    this.rows = MOST_ROWS;
  }
}
