// All charts of a run.
import type { Clock } from "../clock";
import type { Header } from "../data/container";
import type { Series } from "../data/series";
import { Chart } from "../charts/chart";
import { groupsOf } from "../charts/groups";
import { element } from "../dom";

export interface ChartsPanel {
  root: HTMLElement;
  /** Brings the figures up to date after the charts were out of sight. */
  show(): void;
  redraw(): void;
}

export function chartsPanel(series: Series, header: Header, clock: Clock): ChartsPanel {
  const root = element("div", { class: "charts" });
  if (series.times.length === 0) {
    root.append(element("p", { class: "nothing" }, "No step was made, so there are no figures to draw."));
    return { root, show: () => undefined, redraw: () => undefined };
  }
  const events = header.summary?.events ?? [];
  const seek = (time: number) => clock.seek(time);
  const groups = groupsOf(series, header);
  const make = (main: boolean) =>
    groups.filter((group) => group.main === main).map((group) => new Chart(group, series, events, seek));
  const main = make(true);
  root.append(...main.map((chart) => chart.card));
  let rest: Chart[] = [];
  const more = element("details", { class: "more" }, element("summary", {}, "More figures"));
  more.addEventListener("toggle", () => {
    if (!more.open || rest.length > 0) return;
    rest = make(false);
    more.append(...rest.map((chart) => chart.card));
    for (const chart of rest) chart.showTime(clock.time);
  });
  root.append(more);
  const show = () => {
    for (const chart of [...main, ...rest]) chart.showTime(clock.time);
  };
  clock.listen(show);
  requestAnimationFrame(show);
  return { root, show, redraw: () => [...main, ...rest].forEach((chart) => chart.redraw()) };
}
