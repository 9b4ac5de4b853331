// Charts that grow while the simulation runs.
import { Chart } from "../charts/chart";
import { type Group, groupsOf } from "../charts/groups";
import type { Event } from "../data/container";
import type { Cast } from "../data/frames";
import { element } from "../dom";
import type { LiveSeries } from "./series";

/** Drawing takes time that the picture needs too. */
const REFRESH_MS = 120;

export class LiveCharts {
  readonly root = element("div", { class: "charts" });
  private readonly main = element("div");
  private readonly more = element("details", { class: "more" }, element("summary", {}, "More figures"));
  private readonly charts = new Map<string, Chart>();
  private last = 0;

  constructor(
    private readonly series: LiveSeries,
    private readonly cast: Cast,
    private readonly events: Event[],
  ) {
    this.root.append(this.main, this.more);
    this.more.addEventListener("toggle", () => this.refresh(true));
  }

  /** Shows new figures, not too often. */
  refresh(now = false): void {
    const time = performance.now();
    if (this.root.offsetParent === null || (!now && time - this.last < REFRESH_MS)) return;
    this.last = time;
    const groups = groupsOf(this.series, this.cast).filter((group) => group.main || this.more.open);
    // From the last to the first, so that each finds the one that it goes before.
    const next: Record<string, Element> = {};
    for (const group of groups.reverse()) {
      const chart = this.update(group, next[String(group.main)] ?? null);
      next[String(group.main)] = chart.card;
    }
  }

  redraw(): void {
    for (const chart of this.charts.values()) chart.redraw();
  }

  /** Takes all away, as when the scene begins anew. */
  restart(): void {
    this.charts.clear();
    this.main.replaceChildren();
    this.more.replaceChildren(this.more.firstElementChild as Element);
  }

  private update(group: Group, before: Element | null): Chart {
    let chart = this.charts.get(group.title);
    if (!chart) {
      chart = new Chart(group, this.series, this.events, null);
      this.charts.set(group.title, chart);
      (group.main ? this.main : this.more).insertBefore(chart.card, before);
    }
    chart.refresh(group);
    chart.showTime(Infinity);
    return chart;
  }
}
