// Figures that colour the bodies: those that the run recorded, and the displacement, which every run has.
import type { Container } from "../data/container";
import type { Playback } from "../data/playback";
import type { Surface } from "./surface";

export interface Field {
  name: string;
  title: string;
  unit: string;
  min: number;
  max: number;
  /** A figure per vertex, or nothing for a body that has none. */
  values(body: number, frame: number): Float32Array | null;
}

export function fieldsOf(container: Container, playback: Playback, surfaces: Surface[]): Field[] {
  const recorded = container.header.layers.flatMap((layer, index): Field[] => {
    if (layer.kind !== "field") return [];
    const { name, title, unit, min, max } = layer;
    const values = (body: number, frame: number) => (playback.layer(index, frame) as (Float32Array | null)[])[body];
    return [{ name, title, unit, min, max, values }];
  });
  return [displacement(container.header.largest_displacement, surfaces), ...recorded];
}

function displacement(largest: number, surfaces: Surface[]): Field {
  const values = (body: number): Float32Array => {
    const { positions: now, rest } = surfaces[body];
    const into = new Float32Array(now.length / 3);
    for (let v = 0, i = 0; v < into.length; v++, i += 3) {
      into[v] = Math.hypot(now[i] - rest[i], now[i + 1] - rest[i + 1], now[i + 2] - rest[i + 2]);
    }
    return into;
  };
  return { name: "displacement", title: "Displacement", unit: "m", min: 0, max: largest, values };
}
