// The present state of a simulation as frames: there is one, the latest.
import type { Arrows, Cast, Cells, Frames, LayerFrame, LayerHead, Volume } from "../data/frames";
import { Bytes } from "./bytes";

interface Shape {
  name: string;
  vertices: number;
  triangles: Uint32Array;
  cells: Cells;
}

export class LiveFrames implements Frames {
  readonly count = 1;
  readonly shapes: Shape[];
  readonly layers: LayerHead[];
  time = 0;
  /** Whether a frame has come. */
  begun = false;
  private readonly places: Float32Array[];
  private starts: Float32Array[];
  private shown: LayerFrame[] = [];

  /** Reads the head of a `frames.bin`. */
  constructor(head: ArrayBuffer) {
    const bytes = new Bytes(head);
    bytes.skip(8);
    this.shapes = Array.from({ length: bytes.count() }, () => {
      const name = bytes.text();
      const [vertices, triangles] = [bytes.count(), bytes.count()];
      const shape = { name, vertices, triangles: bytes.indices(3 * triangles) };
      const size = bytes.byte();
      return { ...shape, cells: { size, vertices: bytes.indices(size * bytes.count()) } };
    });
    this.layers = Array.from({ length: bytes.count() }, () => {
      const kind = (["field", "arrows", "volumes"] as const)[bytes.byte() - 1];
      return { kind, name: bytes.text(), title: bytes.text(), unit: bytes.text(), min: 0, max: 0 };
    });
    this.places = this.shapes.map((shape) => new Float32Array(3 * shape.vertices));
    this.starts = this.places;
  }

  get triangles(): Uint32Array[] {
    return this.shapes.map((shape) => shape.triangles);
  }

  get cells(): Cells[] {
    return this.shapes.map((shape) => shape.cells);
  }

  rest(body: number): Float32Array {
    return this.starts[body].slice();
  }

  positions(body: number, _frame: number, into: Float32Array): void {
    into.set(this.places[body]);
  }

  layer(layer: number): LayerFrame {
    return this.shown[layer];
  }

  /** Takes over a frame; bounds of layers and of displacement grow with it. */
  read(bytes: Bytes, cast: Cast): void {
    this.time = bytes.double();
    for (const place of this.places) if (bytes.byte() !== 0) place.set(bytes.floats(place.length));
    if (!this.begun) this.starts = this.places.map((place) => place.slice());
    this.begun = true;
    this.shown = this.layers.map((layer) => this.readLayer(bytes, layer));
    this.layers.forEach((layer, index) => widen(layer, this.shown[index]));
    cast.largest_displacement = Math.max(cast.largest_displacement, this.largestWay(cast));
  }

  /** Forgets bounds, as when the scene begins anew. */
  restart(cast: Cast): void {
    for (const layer of this.layers) layer.min = layer.max = 0;
    cast.largest_displacement = 0;
  }

  private readLayer(bytes: Bytes, layer: LayerHead): LayerFrame {
    if (layer.kind === "field") return this.shapes.map((shape) => (bytes.byte() ? bytes.floats(shape.vertices) : null));
    return layer.kind === "arrows" ? readArrows(bytes) : Array.from({ length: bytes.count() }, () => readVolume(bytes));
  }

  private largestWay(cast: Cast): number {
    let most = 0;
    this.places.forEach((place, body) => {
      if (cast.bodies[body].kind === "static") return;
      const start = this.starts[body];
      for (let i = 0; i < place.length; i += 3) {
        const [x, y, z] = [place[i] - start[i], place[i + 1] - start[i + 1], place[i + 2] - start[i + 2]];
        most = Math.max(most, x * x + y * y + z * z);
      }
    });
    return Math.sqrt(most);
  }
}

function readArrows(bytes: Bytes): Arrows {
  const count = bytes.count();
  const both = bytes.floats(6 * count);
  const [at, vector] = [new Float32Array(3 * count), new Float32Array(3 * count)];
  for (let i = 0; i < count; i++) {
    at.set(both.subarray(6 * i, 6 * i + 3), 3 * i);
    vector.set(both.subarray(6 * i + 3, 6 * i + 6), 3 * i);
  }
  return { count, at, vector };
}

function readVolume(bytes: Bytes): Volume {
  const [identity, value] = [bytes.count(), bytes.float()];
  const [vertices, triangles] = [bytes.count(), bytes.count()];
  return { identity, value, positions: bytes.floats(3 * vertices), triangles: bytes.indices(3 * triangles) };
}

function widen(layer: LayerHead, shown: LayerFrame): void {
  // Volumes have no natural zero: their bounds begin with the first.
  const first = layer.kind === "volumes" && layer.min === 0 && layer.max === 0;
  let [min, max] = first ? [Infinity, -Infinity] : [layer.min, layer.max];
  const add = (value: number): void => {
    if (value < min) min = value;
    if (value > max) max = value;
  };
  if (layer.kind === "field") {
    for (const values of shown as (Float32Array | null)[]) values?.forEach(add);
  } else if (layer.kind === "arrows") {
    const { count, vector } = shown as Arrows;
    for (let i = 0; i < count; i++) add(Math.hypot(vector[3 * i], vector[3 * i + 1], vector[3 * i + 2]));
  } else {
    for (const volume of shown as Volume[]) add(volume.value);
  }
  if (min <= max) [layer.min, layer.max] = [min, max];
}
