// Long series drawn fast: per stretch of time only the least and the largest figure, so that no peak is lost.

export interface Thinned {
  times: number[];
  values: (number | null)[][];
}

/** At most about `most` points per line; figures that are not finite become gaps. */
export function thin(times: Float64Array, lines: Float32Array[], most: number): Thinned {
  const plain = (value: number): number | null => (Number.isFinite(value) ? value : null);
  if (times.length <= most) {
    return { times: Array.from(times), values: lines.map((line) => Array.from(line, plain)) };
  }
  const bins = Math.floor(most / 2);
  const edge = (bin: number) => Math.floor((bin * times.length) / bins);
  const thinned: Thinned = { times: [], values: lines.map(() => []) };
  for (let bin = 0; bin < bins; bin++) {
    const [from, to] = [edge(bin), edge(bin + 1)];
    thinned.times.push(times[from], times[to - 1]);
    lines.forEach((line, index) => thinned.values[index].push(...extremes(line, from, to).map(plain)));
  }
  return thinned;
}

/** Least and largest in the order in which they come. */
function extremes(line: Float32Array, from: number, to: number): [number, number] {
  let [low, high] = [from, from];
  for (let i = from + 1; i < to; i++) {
    if (line[i] < line[low] || Number.isNaN(line[low])) low = i;
    if (line[i] > line[high] || Number.isNaN(line[high])) high = i;
  }
  return low < high ? [line[low], line[high]] : [line[high], line[low]];
}
