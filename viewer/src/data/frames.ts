// What the stage needs to know of a run, whether it was recorded or runs at this moment.

/** A body by name, kind and colour. */
export interface CastBody {
  name: string;
  kind: string;
  colour: string;
}

/** What is drawn with the bodies, and the bounds of its figures (of arrows: of their lengths). */
export interface LayerHead {
  kind: "field" | "arrows" | "volumes";
  name: string;
  title: string;
  unit: string;
  min: number;
  max: number;
}

/** Who plays. While a simulation runs, bounds grow. */
export interface Cast {
  bodies: CastBody[];
  layers: LayerHead[];
  scale: string[];
  largest_displacement: number;
}

export interface Arrows {
  count: number;
  /** Three coordinates per arrow, m. */
  at: Float32Array;
  /** Three components per arrow, in the unit of the layer. */
  vector: Float32Array;
}

export interface Volume {
  identity: number;
  value: number;
  positions: Float32Array;
  triangles: Uint32Array;
}

/** What a layer shows in a frame: per body a figure per vertex or nothing; arrows; or volumes. */
export type LayerFrame = (Float32Array | null)[] | Arrows | Volume[];

/** Cells of a soft body, all of one kind: tetrahedra have 4 or 10 vertices, hexahedra 8; 0 if there are none. */
export interface Cells {
  size: number;
  /** Vertices of each cell in VTK's order. */
  vertices: Uint32Array;
}

/** Shapes over time. */
export interface Frames {
  /** Number of frames. */
  readonly count: number;
  /** Per body its triangles. */
  readonly triangles: Uint32Array[];
  /** Per body its cells, which may have vertices that no triangle has: those come last. */
  readonly cells: Cells[];
  /** Positions of a body in the first frame, m. */
  rest(body: number): Float32Array;
  /** Positions of a body in a frame, m: three per vertex. */
  positions(body: number, frame: number, into: Float32Array): void;
  layer(layer: number, frame: number): LayerFrame;
}
