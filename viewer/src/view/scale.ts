// Figures as colours: the same steps as pictures made without a browser have.
import * as THREE from "three";

export type ColourOf = (value: number, into: Float32Array, at: number) => void;

/** Colours from `min` to `max` along the steps, as amounts of light. */
export function colourScale(steps: string[], min: number, max: number): ColourOf {
  const colours = steps.map((step) => new THREE.Color(step).toArray());
  const span = max - min || 1;
  const last = colours.length - 1;
  return (value, into, at) => {
    const place = Math.min(Math.max(((value - min) / span) * last, 0), last) || 0;
    const below = Math.min(Math.floor(place), last - 1);
    const part = place - below;
    for (let c = 0; c < 3; c++) into[at + c] = colours[below][c] + (colours[below + 1][c] - colours[below][c]) * part;
  };
}
