// One chart: lines over time, a playhead that follows the page's time, and a legend with the figures there.
import uPlot from "uplot";
import type { Event } from "../data/container";
import type { Figures } from "../data/series";
import { element } from "../dom";
import { type Scale, scaleFor, short } from "../units";
import type { Group, Line } from "./groups";
import { thin } from "./thin";

/** More lines than this are offered, but drawn only when asked for. */
const LINES_SHOWN = 8;
/** Twice the widest chart in pixels: finer detail cannot be seen. */
const MOST_POINTS = 3000;
const HEIGHT = 118;

export class Chart {
  readonly card: HTMLElement;
  private readonly plot = element("div", { class: "plot" });
  private readonly head = element("div", { class: "playhead" });
  private readonly legend = element("ul", { class: "legend" });
  private readonly unit = element("span", { class: "unit" });
  private readonly figures: HTMLElement[] = [];
  private shown: Set<number>;
  private scale: Scale;
  private chart: uPlot | null = null;
  private time = 0;
  private seen = false;

  /** `seek` goes to a time; a simulation that runs has none to go to. */
  constructor(
    private group: Group,
    private readonly series: Figures,
    private readonly events: Event[],
    private readonly seek: ((time: number) => void) | null,
  ) {
    this.shown = liveliest(group.lines);
    this.scale = this.fittingScale();
    this.unit.textContent = this.scale.unit;
    const title = element("h3", {}, group.title, " ", this.unit);
    this.card = element("section", { class: "chart", "aria-label": group.title }, title, this.plot, this.legend);
    this.fillLegend();
    const watch = new IntersectionObserver((seen) => {
      // Charts out of sight are not drawn before they are scrolled to.
      this.seen = seen[seen.length - 1].isIntersecting;
      if (this.seen && !this.chart) this.draw();
    });
    watch.observe(this.card);
    new ResizeObserver(() => this.fit()).observe(this.plot);
  }

  /** Draws anew, as after a change of colours or lines. */
  redraw(): void {
    if (this.chart) this.draw();
  }

  /** Takes over more figures of the same group. */
  refresh(group: Group): void {
    const known = this.group.lines.map((line) => line.label).join("\n");
    this.group = group;
    const scale = this.fittingScale();
    const same = known === group.lines.map((line) => line.label).join("\n");
    if (!same) {
      this.shown = liveliest(group.lines);
      this.fillLegend();
    }
    const rescaled = scale.unit !== this.scale.unit;
    this.scale = scale;
    this.unit.textContent = scale.unit;
    if (!this.chart || !this.seen) return;
    if (same && !rescaled) this.chart.setData(this.data());
    else this.draw();
  }

  showTime(time: number): void {
    this.time = time;
    this.placeHead();
    const row = this.series.rowAt(time);
    this.group.lines.forEach((line, index) => {
      const figure = this.figures[index];
      if (!figure || figure.offsetParent === null) return;
      figure.textContent = row < 0 ? "–" : short(line.values[row] * this.scale.factor);
    });
  }

  private draw(): void {
    this.chart?.destroy();
    const lines = this.group.lines.filter((_, index) => this.shown.has(index));
    this.chart = new uPlot(this.options(lines), this.data(), this.plot);
    if (this.seek) {
      this.chart.over.append(this.head);
      this.listen(this.chart.over, this.seek);
    }
    this.showTime(this.time);
  }

  private data(): uPlot.AlignedData {
    const lines = this.group.lines.filter((_, index) => this.shown.has(index));
    const { times, values } = thin(this.series.times, lines.map((line) => line.values), MOST_POINTS);
    const scaled = values.map((line) => line.map((value) => (value === null ? null : value * this.scale.factor)));
    return [times, ...scaled];
  }

  /** The prefix that suits the largest figure. */
  private fittingScale(): Scale {
    const size = Math.max(0, ...this.group.lines.map(largest).filter(Number.isFinite));
    return scaleFor(size, this.group.unit);
  }

  private options(lines: Line[]): uPlot.Options {
    const style = getComputedStyle(document.documentElement);
    const ink = style.getPropertyValue("--ink-soft").trim();
    const rule = style.getPropertyValue("--rule").trim();
    const font = `11px ${style.getPropertyValue("--sans")}`;
    const axis = { stroke: ink, font, grid: { stroke: rule, width: 1 }, ticks: { show: false } };
    return {
      width: this.plot.clientWidth || 320,
      height: HEIGHT,
      legend: { show: false },
      cursor: { show: false },
      padding: [6, 8, 0, 0],
      scales: { x: { time: false }, y: { range: range } },
      axes: [
        { ...axis, size: 22, gap: 2, values: (_, ticks) => ticks.map((tick, index) => `${Number(tick.toPrecision(6))}${index === ticks.length - 1 ? " s" : ""}`) },
        { ...axis, size: 46, gap: 4, space: 26, values: (_, ticks) => tickTexts(ticks) },
      ],
      series: [
        {},
        ...lines.map((line) => ({
          label: line.label,
          stroke: line.colour,
          width: 1.6,
          points: { show: lines.length > 0 && this.series.times.length < 2 },
          spanGaps: false,
        })),
      ],
      // Places on the chart are only known once it has been drawn.
      hooks: { draw: [(chart) => this.drawEvents(chart, ink), () => this.placeHead()] },
    };
  }

  private drawEvents(chart: uPlot, ink: string): void {
    const { ctx, bbox } = chart;
    ctx.save();
    ctx.strokeStyle = ink;
    ctx.globalAlpha = 0.55;
    ctx.setLineDash([3 * devicePixelRatio, 3 * devicePixelRatio]);
    for (const event of this.events) {
      const x = Math.round(chart.valToPos(event.time, "x", true)) + 0.5;
      if (x < bbox.left || x > bbox.left + bbox.width) continue;
      ctx.beginPath();
      ctx.moveTo(x, bbox.top);
      ctx.lineTo(x, bbox.top + bbox.height);
      ctx.stroke();
    }
    ctx.restore();
  }

  /** A press or drag on the chart takes the whole page to that time. */
  private listen(over: HTMLElement, seek: (time: number) => void): void {
    const go = (event: PointerEvent): void => {
      const left = event.clientX - over.getBoundingClientRect().left;
      if (this.chart) seek(this.chart.posToVal(left, "x"));
    };
    over.addEventListener("pointerdown", (event) => {
      over.setPointerCapture(event.pointerId);
      go(event);
    });
    over.addEventListener("pointermove", (event) => {
      if (event.buttons & 1) go(event);
    });
  }

  private placeHead(): void {
    if (!this.chart) return;
    this.head.style.transform = `translateX(${this.chart.valToPos(this.time, "x")}px)`;
  }

  private fit(): void {
    const width = this.plot.clientWidth;
    if (!this.chart || width === 0 || width === this.chart.width) return;
    this.chart.setSize({ width, height: HEIGHT });
  }

  private fillLegend(): void {
    const { lines } = this.group;
    this.legend.replaceChildren();
    this.figures.length = 0;
    const items = lines.map((line, index) => {
      const figure = element("span", { class: "figure" }, "–");
      this.figures[index] = figure;
      const swatch = element("span", { class: "swatch" });
      swatch.style.background = line.colour;
      const name = element("span", { class: "name", title: line.label }, line.label);
      const button = element("button", { type: "button", "aria-pressed": this.shown.has(index) }, swatch, name, figure);
      button.setAttribute("aria-pressed", String(this.shown.has(index)));
      button.addEventListener("click", () => {
        if (!this.shown.delete(index)) this.shown.add(index);
        button.setAttribute("aria-pressed", String(this.shown.has(index)));
        this.draw();
      });
      const item = element("li", {}, button);
      item.hidden = lines.length > LINES_SHOWN && !this.shown.has(index);
      return item;
    });
    this.legend.append(...items);
    const hidden = items.filter((item) => item.hidden);
    if (hidden.length > 0) {
      const more = element("button", { type: "button", class: "more" }, `${hidden.length} more`);
      more.addEventListener("click", () => {
        for (const item of hidden) item.hidden = false;
        more.remove();
        this.showTime(this.time);
      });
      this.legend.append(element("li", {}, more));
    }
  }
}

/** As many digits as tell neighbours apart. */
function tickTexts(ticks: number[]): string[] {
  const plain = ticks.map((tick) => short(tick));
  if (new Set(plain).size === ticks.length) return plain;
  const digits = Math.ceil(-Math.log10(ticks[1] - ticks[0]) - 1e-9);
  return ticks.map((tick) => tick.toFixed(Math.min(Math.max(digits, 0), 8)));
}

/** A flat line gets room above and below, a chart without figures shows 0 to 1. */
function range(_: uPlot, min: number | null, max: number | null): [number, number] {
  if (min === null || max === null || !Number.isFinite(min) || !Number.isFinite(max)) return [0, 1];
  // Less than a thousandth is rounding, and would look like a storm.
  const least = 1e-3 * Math.max(Math.abs(min), Math.abs(max));
  const room = max - min > least ? 0.06 * (max - min) : max > min ? least : 0.5 * Math.abs(max) || 1;
  return [min >= 0 && min < 0.3 * max ? 0 : min - room, max + room];
}

function largest(line: Line): number {
  let size = 0;
  for (const value of line.values) if (Math.abs(value) > size && Number.isFinite(value)) size = Math.abs(value);
  return size;
}

/** The lines that change most, if there are too many to tell apart. */
function liveliest(lines: Line[]): Set<number> {
  const all = lines.map((_, index) => index);
  if (lines.length <= LINES_SHOWN) return new Set(all);
  const change = lines.map(({ values }) => {
    let [low, high] = [Infinity, -Infinity];
    for (const value of values) {
      if (value < low) low = value;
      if (value > high) high = value;
    }
    return high - low;
  });
  return new Set(all.sort((a, b) => change[b] - change[a]).slice(0, LINES_SHOWN));
}
