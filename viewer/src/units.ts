// Figures for people: a few digits and a prefix that fits.

const PREFIXES: [number, string][] = [
  [1e9, "G"],
  [1e6, "M"],
  [1e3, "k"],
  [1, ""],
  [1e-3, "m"],
  [1e-6, "µ"],
  [1e-9, "n"],
];

/** Powers of a length would need powers of the prefix; milliseconds have theirs already. */
const PREFIXABLE = new Set(["m", "N", "Pa", "J", "mol", "s", "m/s", "N m", "kg m/s"]);

export interface Scale {
  factor: number;
  unit: string;
}

/** The prefix that makes figures of this size readable. */
export function scaleFor(size: number, unit: string): Scale {
  if (unit === "m²") return size > 0 && size < 1e-2 ? { factor: 1e6, unit: "mm²" } : { factor: 1, unit };
  if (unit === "m³") return size > 0 && size < 1e-3 ? { factor: 1e6, unit: "ml" } : { factor: 1, unit };
  if (unit === "m³/s") return size < 1e-3 ? { factor: 1e6, unit: "ml/s" } : { factor: 1, unit };
  if (!PREFIXABLE.has(unit) || !(size > 0) || !Number.isFinite(size)) return { factor: 1, unit };
  const [step, prefix] = PREFIXES.find(([step]) => size >= step) ?? PREFIXES[PREFIXES.length - 1];
  return { factor: 1 / step, unit: prefix + unit };
}

/** A number of a few digits. */
export function short(value: number, digits = 4): string {
  if (!Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size < 1e-4 || size >= 1e6) {
    const [mantissa, exponent] = value.toExponential(digits - 2).split("e");
    return `${Number(mantissa)}e${Number(exponent)}`.replaceAll("-", "−");
  }
  return String(Number(value.toPrecision(digits))).replaceAll("-", "−");
}

/** A figure with its unit, prefix chosen for itself. */
export function figure(value: number, unit: string, digits = 4): string {
  const scale = scaleFor(Math.abs(value), unit);
  return `${short(value * scale.factor, digits)}${scale.unit ? ` ${scale.unit}` : ""}`;
}

/** A time with as many digits as the steps of the run need. */
export function seconds(value: number, step: number): string {
  const digits = Math.min(6, Math.max(2, Math.ceil(-Math.log10(step || 0.01) - 1e-9)));
  return value.toFixed(digits);
}
