// Figures over time: named columns, one value a step.
import { Numbers } from "./numbers";
import { Container } from "./container";

/** Named columns over time. */
export interface Figures {
  readonly times: Float64Array;
  readonly names: string[];
  column(name: string): Float32Array | undefined;
  /** The last row that is not after a time, or -1. */
  rowAt(time: number): number;
}

/** The last entry that is not after a time, or -1. */
export function lastNotAfter(times: Float64Array, time: number): number {
  let low = -1;
  let high = times.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (times[middle] <= time + 1e-9) low = middle;
    else high = middle - 1;
  }
  return low;
}

export class Series implements Figures {
  readonly times: Float64Array;
  readonly names: string[];
  private readonly columns: Float32Array[];

  constructor(container: Container) {
    const { header } = container;
    this.times = container.times(header.sections.series_times);
    this.names = header.columns.slice(1);
    const numbers = new Numbers(container.section(header.sections.series));
    this.columns = this.names.map(() => {
      const ordered = new Int32Array(header.rows);
      numbers.sums(ordered);
      // Bits were mapped so that greater figures have greater bits; negative ones have theirs turned round.
      for (let i = 0; i < ordered.length; i++) if (ordered[i] < 0) ordered[i] ^= 0x7fffffff;
      return new Float32Array(ordered.buffer);
    });
  }

  column(name: string): Float32Array | undefined {
    const index = this.names.indexOf(name);
    return index < 0 ? undefined : this.columns[index];
  }

  rowAt(time: number): number {
    return lastNotAfter(this.times, time);
  }

  csv(): string {
    const lines = [["time_s", ...this.names].map(quoted).join(",")];
    for (let row = 0; row < this.times.length; row++) {
      const cells = this.columns.map((column) => String(Number(column[row].toPrecision(7))));
      lines.push([String(this.times[row]), ...cells].join(","));
    }
    return lines.join("\n") + "\n";
  }
}

function quoted(name: string): string {
  return /[",\n\r]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name;
}
