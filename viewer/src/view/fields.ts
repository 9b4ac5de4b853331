// Figures that colour the bodies: those that the run recorded, and the displacement, which every run has.
import type { Cast, Frames } from "../data/frames";
import type { Surface } from "./surface";

export interface Field {
  name: string;
  title: string;
  unit: string;
  readonly min: number;
  readonly max: number;
  /** A figure per vertex, or nothing for a body that has none. */
  values(body: number, frame: number): Float32Array | null;
}

export function fieldsOf(cast: Cast, frames: Frames, surfaces: Surface[]): Field[] {
  const recorded = cast.layers.flatMap((layer, index): Field[] => {
    if (layer.kind !== "field") return [];
    const { name, title, unit } = layer;
    const values = (body: number, frame: number) => (frames.layer(index, frame) as (Float32Array | null)[])[body];
    const field = { name, title, unit, values, get min() { return layer.min; }, get max() { return layer.max; } };
    return [field];
  });
  return [displacement(cast, surfaces), ...recorded];
}

function displacement(cast: Cast, surfaces: Surface[]): Field {
  const values = (body: number): Float32Array => {
    const { positions: now, rest } = surfaces[body];
    const into = new Float32Array(now.length / 3);
    for (let v = 0, i = 0; v < into.length; v++, i += 3) {
      into[v] = Math.hypot(now[i] - rest[i], now[i + 1] - rest[i + 1], now[i + 2] - rest[i + 2]);
    }
    return into;
  };
  return { name: "displacement", title: "Displacement", unit: "m", min: 0, values, get max() { return cast.largest_displacement; } };
}
