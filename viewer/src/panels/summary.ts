// The run in figures: how it ended, what was expected, where the time went, what happened.
import type { Clock } from "../clock";
import type { Event, Expectation, Header, Summary } from "../data/container";
import { element } from "../dom";
import { PHASES } from "../phases";
import { figure, short } from "../units";

export interface Outcome {
  tone: "good" | "bad" | "warn";
  word: string;
  /** Why, if it did not go well. */
  cause: string;
}

export function outcomeOf(summary: Summary | null): Outcome {
  if (!summary) return { tone: "warn", word: "Not finished", cause: "The run ended before it could write its summary." };
  if (summary.failure) return { tone: "bad", word: "Simulation failed", cause: summary.failure.message };
  if (summary.interrupted) return { tone: "warn", word: "Stopped by hand", cause: "The figures are those up to then." };
  const missed = (summary.expect ?? []).filter((expectation) => !expectation.ok).length;
  if (missed > 0) return { tone: "bad", word: `${missed} of ${summary.expect?.length} expectations failed`, cause: "" };
  return { tone: "good", word: summary.expect?.length ? "All expectations met" : "Done", cause: "" };
}

export function summaryPanel(header: Header, clock: Clock): HTMLElement {
  const { summary } = header;
  const outcome = outcomeOf(summary);
  const root = element("div", { class: "summary" });
  const banner = element("div", { class: `banner ${outcome.tone}`, role: "status" }, element("strong", {}, outcome.word));
  if (outcome.cause) banner.append(element("p", {}, outcome.cause));
  root.append(banner);
  if (!summary) return root;
  if (summary.expect?.length) root.append(section("Expectations", expectations(summary.expect)));
  if (summary.events?.length) root.append(section("Events", events(summary.events, clock)));
  root.append(section("Speed", speed(summary)), section("Solver", solver(summary)), section("Bodies", bodies(header)));
  const stride = header.frames.stride > 1 ? [["Frames in this page", `every ${header.frames.stride}th`] as Row] : [];
  root.append(section("Made by", table([["Cupule", summary.version ?? ""], ["State hash", summary.state_hash ?? ""], ...stride])));
  return root;
}

type Row = [string, string];

function section(title: string, ...content: Node[]): HTMLElement {
  return element("section", {}, element("h3", {}, title), ...content);
}

function table(rows: Row[]): HTMLElement {
  return element("dl", {}, ...rows.flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]));
}

function expectations(list: Expectation[]): HTMLElement {
  const head = element("tr", {}, ...["", "Expectation", "Came out", "Expected"].map((word) => element("th", { scope: "col" }, word)));
  return element("table", { class: "expectations" }, element("thead", {}, head), ...list.map(expectationRows));
}

/** A row, and another under figure and bound that tells why it failed where they do not. */
function expectationRows({ name, ok, value, bound, found, why }: Expectation): HTMLElement {
  const mark = element("span", { class: `mark ${ok ? "good" : "bad"}`, role: "img", "aria-label": ok ? "passed" : "failed" }, ok ? "✓" : "✗");
  const told = !ok && why ? [element("tr", { class: "why" }, element("td", { colspan: 2 }, together(why)))] : [];
  const rowspan = 1 + told.length;
  const row = element(
    "tr",
    { class: told.length ? "failed" : undefined },
    element("td", { rowspan }, mark),
    element("td", { rowspan }, name),
    value === null ? element("td", {}, ...phrases(found ?? "–")) : element("td", { class: "number" }, short(value, Math.abs(value) < 1e-3 ? 5 : 6)),
    element("td", {}, ...phrases(readable(bound))),
  );
  return element("tbody", {}, row, ...told);
}

/** `<= 1.0000e-9` as one reads it: ≤ 1e−9. */
function readable(bound: string): string {
  const signs = bound.replaceAll("<=", "≤").replaceAll(">=", "≥").replaceAll("+-", "±");
  return signs.replace(/\.(\d*?)0*e/g, (_, digits: string) => (digits ? `.${digits}e` : "e")).replace(/(^|[\s,e])-(?=\d)/g, "$1−");
}

/** Text that breaks after a comma or semicolon as long as there is room: `seal before 0.3 s,` `then detach;` `no drop`. */
function phrases(text: string): (Node | string)[] {
  return text.split(/(?<=[,;]) /).flatMap((phrase, index) => [index > 0 ? " " : "", element("span", { class: "phrase" }, together(phrase))]);
}

/** Times, spans of time and tolerances do not break: `0.3 s`, `0.7 to 1.1 s`, `± 0.01`. */
function together(text: string): string {
  return text.replace(/\d( (to|and) [\d.]+)? s\b|± /g, (time) => time.replaceAll(" ", "\u00a0"));
}

function events(list: Event[], clock: Clock): HTMLElement {
  const items = list.map((event) => {
    const kind = element("span", { class: `kind ${eventTone(event.kind)}` }, event.kind);
    const time = element("span", { class: "figure" }, `${short(event.time)} s`);
    const button = element("button", { type: "button" }, time, kind, element("span", {}, event.what));
    button.addEventListener("click", () => clock.seek(event.time));
    return element("li", {}, button);
  });
  return element("ul", { class: "events" }, ...items);
}

/** Whether an event is a gain or a loss of hold, or neither. */
export function eventTone(kind: string): "good" | "bad" | "plain" {
  if (["seal", "bond", "lift"].includes(kind)) return "good";
  return ["unseal", "debond", "drop", "detach", "slip"].includes(kind) ? "bad" : "plain";
}

function speed(summary: Summary): HTMLElement {
  const rows: Row[] = [
    ["Real-time factor", `${short(summary.real_time_factor ?? NaN, 3)} ×`],
    ["Simulated", `${short(summary.sim_time ?? NaN)} s in ${summary.steps ?? 0} steps of ${figure(summary.dt ?? NaN, "s")}`],
    ["Took", `${short(summary.wall_time ?? NaN, 3)} s on ${summary.threads ?? 1} threads`],
    ["Mean step", `${short(summary.phases_ms?.total ?? NaN, 3)} ms`],
  ];
  return element("div", {}, table(rows), phaseBar(summary.phases_ms ?? {}));
}

function phaseBar(phases: Record<string, number>): HTMLElement {
  const bar = element("div", { class: "bar" });
  const key = element("ul", { class: "key" });
  for (const [name, { word, colour }] of Object.entries(PHASES)) {
    const ms = phases[name] ?? 0;
    if (!(ms > 0)) continue;
    const part = element("span", { title: `${word}: ${short(ms, 3)} ms` });
    part.style.flexGrow = String(ms);
    part.style.background = colour;
    bar.append(part);
    const swatch = element("span", { class: "swatch" });
    swatch.style.background = colour;
    key.append(element("li", {}, swatch, `${word} ${short(ms, 3)}`));
  }
  return element("div", { role: "img", "aria-label": "Milliseconds of a mean step by phase" }, bar, key);
}

function solver(summary: Summary): HTMLElement {
  const counts = (count?: { mean: number; max: number }) =>
    count ? `${short(count.mean, 3)}, at most ${count.max}` : "–";
  const { residual } = summary;
  return table([
    ["Solver", summary.solver ?? ""],
    ["Contacts", counts(summary.contacts)],
    ["Rows", counts(summary.rows)],
    ["Iterations", counts(summary.iterations)],
    ["Largest gap error", figure(residual?.gap_m ?? NaN, "m", 3)],
    ["Largest force error", figure(residual?.force_n ?? NaN, "N", 3)],
    ["Deepest penetration", figure(summary.max_penetration_m ?? NaN, "m", 3)],
  ]);
}

function bodies(header: Header): HTMLElement {
  const head = element("tr", {}, ...["Body", "Kind", "Mass", "Nodes", "Triangles"].map((word) => element("th", { scope: "col" }, word)));
  const rows = header.bodies.map((body) => {
    const known = header.summary?.bodies?.[body.name];
    const mass = known && known.mass_kg > 0 ? `${short(known.mass_kg)} kg` : "–";
    const cells = [body.kind, mass, String(known?.nodes ?? body.vertices), String(body.triangles)];
    return element("tr", {}, element("td", {}, body.name), ...cells.map((cell) => element("td", { class: "number" }, cell)));
  });
  return element("table", { class: "bodies" }, element("thead", {}, head), element("tbody", {}, ...rows));
}
