// The data that a run's page carries: a JSON header and a packed binary. The format is written down in
// crates/cupule-record/src/report/mod.rs.
import { inflateSync } from "fflate";
import type { Cast, CastBody, LayerHead } from "./frames";

export interface Event {
  time: number;
  kind: string;
  what: string;
}

export interface Expectation {
  name: string;
  ok: boolean;
  value: number | null;
  bound: string;
  /** When the expected events came, in words. */
  found?: string;
  /** Why there is no figure, or which events are missing or came that must not. */
  why?: string;
}

interface MeanMax {
  mean: number;
  max: number;
}

/** `summary.json`; a page must also stand one that an older or newer version wrote. */
export interface Summary {
  scene?: string;
  /** Of the scene and its variant. */
  title?: string;
  solver?: string;
  version?: string;
  dt?: number;
  steps?: number;
  sim_time?: number;
  wall_time?: number;
  real_time_factor?: number;
  threads?: number;
  phases_ms?: Record<string, number>;
  contacts?: MeanMax;
  rows?: MeanMax;
  iterations?: MeanMax;
  residual?: Record<string, number>;
  max_penetration_m?: number;
  events?: Event[];
  bodies?: Record<string, { kind: string; mass_kg: number; nodes: number; triangles: number }>;
  expect?: Expectation[];
  ok?: boolean;
  interrupted?: boolean;
  failure?: { time: number; message: string } | null;
  state_hash?: string;
}

export interface Body extends CastBody {
  vertices: number;
  triangles: number;
  cells: number;
  /** Vertices per cell. */
  cell_size: number;
  quantum: number;
  origin: [number, number, number];
}

export interface Layer extends LayerHead {
  quantum: number;
  origin: [number, number, number];
}

type Place = [offset: number, length: number];

export interface Header extends Cast {
  format: number;
  summary: Summary | null;
  scene: string;
  bodies: Body[];
  layers: Layer[];
  frames: { count: number; per_block: number; stride: number };
  columns: string[];
  rows: number;
  sections: { shape: Place; frame_times: Place; series_times: Place; series: Place; blocks: Place[] };
}

/** Header and sections of a run. */
export class Container {
  constructor(
    readonly header: Header,
    private readonly data: Uint8Array,
  ) {}

  /** Unpacks a section. */
  section([offset, length]: Place): Uint8Array {
    return inflateSync(this.data.subarray(offset, offset + length));
  }

  times(place: Place): Float64Array {
    const bytes = this.section(place);
    return new Float64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
  }

  /** Reads the two elements of the page and lets go of their text, which is large. */
  static ofPage(document: Document): Container {
    const take = (id: string): string => {
      const element = document.getElementById(id);
      const text = element?.textContent ?? "";
      element?.remove();
      return text;
    };
    const header = JSON.parse(take("cupule-header")) as Header;
    if (header.format !== 2) throw new Error("this page holds no run: it is the template that Cupule fills");
    return new Container(header, bytesOf(take("cupule-data")));
  }
}

function bytesOf(base64: string): Uint8Array {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}
