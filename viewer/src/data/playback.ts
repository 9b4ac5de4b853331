// The frames of a run, unpacked block by block as they are shown.
import { Numbers } from "./numbers";
import type { Container, Layer } from "./container";
import type { Arrows, Cells, Frames, LayerFrame, Volume } from "./frames";

interface Block {
  /** Per body the places of each frame, axis by axis; frames that are alike share one. */
  places: Int32Array[][];
  /** Per layer its frames. */
  layers: LayerFrame[][];
}

/** So many blocks stay unpacked: the one shown, its neighbours, and where one came from. */
const BLOCKS_KEPT = 6;

export class Playback implements Frames {
  readonly times: Float64Array;
  /** Per body its triangles. */
  readonly triangles: Uint32Array[] = [];
  readonly cells: Cells[] = [];
  private readonly references: Int32Array[] = [];
  private readonly blocks = new Map<number, Block>();

  constructor(private readonly container: Container) {
    const { header } = container;
    this.times = container.times(header.sections.frame_times);
    const numbers = new Numbers(container.section(header.sections.shape));
    for (const body of header.bodies) {
      const reference = new Int32Array(3 * (this.times.length > 0 ? body.vertices : 0));
      const vertices = reference.length / 3;
      for (let axis = 0; axis < 3; axis++) numbers.sums(reference, axis * vertices, vertices);
      const indices = new Int32Array(3 * body.triangles);
      numbers.sums(indices);
      const cells = new Int32Array(body.cell_size * body.cells);
      numbers.sums(cells);
      this.references.push(reference);
      this.triangles.push(new Uint32Array(indices));
      this.cells.push({ size: body.cell_size, vertices: new Uint32Array(cells) });
    }
  }

  get count(): number {
    return this.times.length;
  }

  /** The last frame that is not after a time. */
  frameAt(time: number): number {
    let low = 0;
    let high = this.times.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.times[middle] <= time + 1e-9) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** Positions of a body in a frame, m: three per vertex. */
  positions(body: number, frame: number, into: Float32Array): void {
    const [block, within] = this.locate(frame);
    const places = this.block(block).places[body];
    this.metres(body, places[Math.min(within, places.length - 1)], into);
  }

  /** Positions of a body in the first frame, m. */
  rest(body: number): Float32Array {
    const into = new Float32Array(this.references[body].length);
    this.metres(body, this.references[body], into);
    return into;
  }

  layer(layer: number, frame: number): LayerFrame {
    const [block, within] = this.locate(frame);
    return this.block(block).layers[layer][within];
  }

  /** Unpacks the block after the one of a frame, while nothing else is to do. */
  prepareAfter(frame: number): void {
    const next = this.locate(frame)[0] + 1;
    if (next < this.container.header.sections.blocks.length) this.block(next);
  }

  private locate(frame: number): [block: number, within: number] {
    const per = this.container.header.frames.per_block;
    return [Math.floor(frame / per), frame % per];
  }

  private metres(body: number, place: Int32Array, into: Float32Array): void {
    const { quantum, origin } = this.container.header.bodies[body];
    const vertices = place.length / 3;
    const [x, y, z] = origin;
    for (let v = 0, to = 0; v < vertices; v++) {
      into[to++] = x + quantum * place[v];
      into[to++] = y + quantum * place[vertices + v];
      into[to++] = z + quantum * place[2 * vertices + v];
    }
  }

  private block(index: number): Block {
    let block = this.blocks.get(index);
    if (block) {
      // Moved to the end: the map's order is that of last use.
      this.blocks.delete(index);
    } else {
      block = this.unpack(index);
      const oldest = this.blocks.keys().next();
      if (this.blocks.size >= BLOCKS_KEPT && !oldest.done) this.blocks.delete(oldest.value);
    }
    this.blocks.set(index, block);
    return block;
  }

  private unpack(index: number): Block {
    const { header } = this.container;
    const numbers = new Numbers(this.container.section(header.sections.blocks[index]));
    const count = Math.min(header.frames.per_block, this.count - index * header.frames.per_block);
    const places = this.references.map((reference) => motion(numbers, count, reference));
    const vertices = header.bodies.map((body) => body.vertices);
    const layers = header.layers.map((layer) => layerFrames(numbers, count, layer, vertices));
    return { places, layers };
  }
}

/** The motion of a body over a block; codes as in crates/cupule-record/src/report/motion.rs. */
function motion(numbers: Numbers, count: number, reference: Int32Array): Int32Array[] {
  const code = numbers.next();
  if (code === 0) return [reference];
  const vertices = reference.length / 3;
  const first = new Int32Array(reference.length);
  for (let axis = 0; axis < 3; axis++) numbers.sums(first, axis * vertices, vertices);
  for (let i = 0; i < first.length; i++) first[i] += reference[i];
  const frames = [first];
  if (code === 1) return frames;
  const alongVertices = code % 2 === 1;
  for (let frame = 1; frame < count; frame++) {
    const before = frames[frame - 1];
    const earlier = code >= 4 && frame >= 2 ? frames[frame - 2] : before;
    const now = new Int32Array(reference.length);
    for (let axis = 0, i = 0; axis < 3; axis++) {
      let last = 0;
      for (let v = 0; v < vertices; v++, i++) {
        last = alongVertices ? (last + numbers.next()) | 0 : numbers.next();
        now[i] = before[i] + (before[i] - earlier[i]) + last;
      }
    }
    frames.push(now);
  }
  return frames;
}

function layerFrames(numbers: Numbers, count: number, layer: Layer, vertices: number[]): LayerFrame[] {
  const frames: LayerFrame[] = [];
  let levels: (Int32Array | null)[] = [];
  for (let frame = 0; frame < count; frame++) {
    if (layer.kind === "field") {
      levels = fieldLevels(numbers, levels, vertices);
      frames.push(levels.map((body) => body && fieldValues(body, layer)));
    } else if (layer.kind === "arrows") {
      frames.push(arrows(numbers, layer));
    } else {
      frames.push(Array.from({ length: numbers.next() }, () => volume(numbers, layer)));
    }
  }
  return frames;
}

function fieldLevels(numbers: Numbers, before: (Int32Array | null)[], vertices: number[]): (Int32Array | null)[] {
  return vertices.map((count, body) => {
    if (numbers.next() === 0) return null;
    const levels = new Int32Array(count);
    const last = before[body];
    if (last) for (let v = 0; v < count; v++) levels[v] = last[v] + numbers.next();
    else numbers.sums(levels);
    return levels;
  });
}

function fieldValues(levels: Int32Array, layer: Layer): Float32Array {
  const step = (layer.max - layer.min) / 4095;
  return Float32Array.from(levels, (level) => layer.min + step * level);
}

function arrows(numbers: Numbers, layer: Layer): Arrows {
  const count = numbers.next();
  const at = points(numbers, count, layer);
  const vector = new Float32Array(3 * count);
  for (let axis = 0; axis < 3; axis++) {
    for (let i = 0; i < count; i++) vector[3 * i + axis] = (numbers.next() * layer.max) / 2047;
  }
  return { count, at, vector };
}

const bits = new DataView(new ArrayBuffer(4));

function volume(numbers: Numbers, layer: Layer): Volume {
  const identity = numbers.next();
  bits.setInt32(0, numbers.next());
  const value = bits.getFloat32(0);
  const vertices = numbers.next();
  const indices = new Int32Array(3 * numbers.next());
  const positions = points(numbers, vertices, layer);
  numbers.sums(indices);
  return { identity, value, positions, triangles: new Uint32Array(indices) };
}

function points(numbers: Numbers, count: number, layer: Layer): Float32Array {
  const into = new Float32Array(3 * count);
  for (let axis = 0; axis < 3; axis++) {
    let sum = 0;
    for (let i = 0; i < count; i++) {
      sum += numbers.next();
      into[3 * i + axis] = layer.origin[axis] + layer.quantum * sum;
    }
  }
  return into;
}
