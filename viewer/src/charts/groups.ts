// Which figures share a chart: those of one kind and one unit.
import type { Cast } from "../data/frames";
import type { Figures } from "../data/series";
import { PHASES } from "../phases";

export interface Line {
  label: string;
  colour: string;
  values: Float32Array;
}

export interface Group {
  title: string;
  unit: string;
  lines: Line[];
  /** Whether it is among the charts that everybody wants to see. */
  main: boolean;
}

const LINE_COLOURS = ["#3f83d1", "#e26d4f", "#1f9e89", "#e0a030", "#8b68cc", "#cf5c92", "#76a93f", "#2fa3c2", "#a2744e"];

/** Ends of column names and the units they stand for; longer ones first. */
const UNITS: [string, string][] = [
  ["_kgm2ps", "kg m²/s"],
  ["_kgmps", "kg m/s"],
  ["_mps", "m/s"],
  ["_mol", "mol"],
  ["_m2", "m²"],
  ["_m3", "m³"],
  ["_pa", "Pa"],
  ["_nm", "N m"],
  ["_ms", "ms"],
  ["_kg", "kg"],
  ["_m", "m"],
  ["_n", "N"],
  ["_j", "J"],
  ["_s", "s"],
];

const SHORT_TITLES: Record<string, string> = {
  x: "Position x",
  y: "Position y",
  z: "Height of centre",
  vx: "Velocity x",
  vy: "Velocity y",
  vz: "Velocity z",
  lowest: "Lowest point",
  highest: "Highest point",
};

const CAVITY_TITLES: Record<string, string> = {
  amount: "Air in cavities",
  patch: "Wall area of cavities",
  inner_area: "Area within the seal",
  outer_area: "Area within the outer edge of the seal",
};

/** The charts that everybody wants to see, in their order: kind of subject and figure. */
const MAIN = [
  "cavity pressure",
  "cavity volume",
  "cavity amount",
  "cavity patch",
  "body z",
  "attachment force",
  "body contact_force",
  "body gas_force",
  "count",
  "phase",
  "energy",
];

interface Named {
  key: string;
  title: string;
  unit: string;
  label: string;
}

export function groupsOf(series: Figures, cast: Cast): Group[] {
  const colours = new Map(cast.bodies.map((body) => [body.name, body.colour]));
  const still = new Set(cast.bodies.filter((body) => body.kind === "static").map((body) => body.name));
  const groups = new Map<string, Group & { key: string }>();
  const add = (named: Named, values: Float32Array, subject: string): void => {
    const { key, title, unit, label } = named;
    const group = groups.get(key) ?? { key, title, unit, lines: [], main: MAIN.includes(key) };
    groups.set(key, group);
    const own = key.startsWith("body") ? colours.get(subject) : key === "phase" ? phaseColour(label) : undefined;
    group.lines.push({ label, colour: own ?? LINE_COLOURS[group.lines.length % LINE_COLOURS.length], values });
  };
  for (const name of series.names) {
    const values = series.column(name);
    if (!values) continue;
    const { kind, subject, quantity, unit } = parts(name);
    if (kind === "body" && still.has(subject)) continue;
    add(naming(kind, subject, quantity, unit, name), values, subject);
    const vector = /^(.*)_x$/.exec(quantity);
    if (vector && (kind === "body" || kind === "attachment")) {
      const size = magnitude(series, name);
      const label = subject;
      if (size) add({ key: `${kind} ${vector[1]}`, title: title(kind, vector[1]), unit, label }, size, subject);
    }
  }
  const place = (key: string) => (MAIN.includes(key) ? MAIN.indexOf(key) : MAIN.length);
  return [...groups.values()].sort((a, b) => place(a.key) - place(b.key));
}

/** Of the whole step, a colour that no phase has. */
function phaseColour(word: string): string {
  return Object.values(PHASES).find((phase) => phase.word === word)?.colour ?? "#1f9e89";
}

interface Parts {
  kind: string;
  subject: string;
  quantity: string;
  unit: string;
}

/** `body.cup.contact_force_x_n`: kind, subject (which may have dots), figure, unit. */
function parts(name: string): Parts {
  const [end, unit] = UNITS.find(([end]) => name.endsWith(end)) ?? ["", ""];
  const bare = name.slice(0, name.length - end.length);
  const first = bare.indexOf(".");
  const last = bare.lastIndexOf(".");
  if (first < 0) return { kind: "", subject: "", quantity: bare, unit };
  return { kind: bare.slice(0, first), subject: bare.slice(first + 1, last), quantity: bare.slice(last + 1), unit };
}

function naming(kind: string, subject: string, quantity: string, unit: string, name: string): Named {
  const words = quantity.replaceAll("_", " ");
  if (["contacts", "rows", "iterations"].includes(name)) {
    return { key: "count", title: "Contacts, rows, iterations", unit: "", label: words };
  }
  if (name === "step_ms") return { key: "phase", title: "Time of a step", unit, label: "whole step" };
  if (kind === "phase") return { key: "phase", title: "Time of a step", unit, label: words };
  if (kind === "energy") return { key: "energy", title: "Energy", unit, label: words };
  if (kind === "moles") return { key: "moles", title: "Air since the start", unit, label: words };
  if (subject === "") return { key: name, title: capital(words), unit, label: words };
  const label = kind === "cavity" ? `cavity ${subject}` : subject;
  return { key: `${kind} ${quantity}`, title: title(kind, quantity), unit, label };
}

function title(kind: string, quantity: string): string {
  if (kind === "body" && SHORT_TITLES[quantity]) return SHORT_TITLES[quantity];
  const words = quantity.replaceAll("_", " ");
  if (kind === "cavity" && CAVITY_TITLES[quantity]) return CAVITY_TITLES[quantity];
  return kind === "body" ? capital(words) : capital(`${kind} ${words}`);
}

const capital = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);

function magnitude(series: Figures, nameOfX: string): Float32Array | null {
  const axes = ["x", "y", "z"].map((axis) => series.column(nameOfX.replace(/_x(_[^_.]*)$/, `_${axis}$1`)));
  const [x, y, z] = axes;
  if (!x || !y || !z) return null;
  return x.map((_, row) => Math.hypot(x[row], y[row], z[row]));
}
