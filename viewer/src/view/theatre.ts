// The run on its stage: shows a frame, coloured and cut as wished.
import * as THREE from "three";
import type { Arrows, Cast, Frames, Volume } from "../data/frames";
import { ArrowSet } from "./arrows";
import { type Field, fieldsOf } from "./fields";
import { colourScale } from "./scale";
import { Stage } from "./stage";
import { Surface } from "./surface";
import { VolumeSet } from "./volumes";

/** Arrows of the first layer, the second, and so on. */
const ARROW_COLOURS = [0xd6336c, 0x7048e8, 0x0c8599, 0xe67700];

export interface Cut {
  axis: 0 | 1 | 2;
  /** 0 to 1 through the box of the run. */
  place: number;
  flipped: boolean;
}

export interface Wishes {
  field: string;
  /** Colours go from the least to the largest figure of the moment, not of the whole run. */
  ofMoment: boolean;
  wireframe: boolean;
  mesh: boolean;
  cut: Cut | null;
  hidden: Set<number>;
  hiddenLayers: Set<number>;
  arrowScale: number;
}

export interface Probe {
  body: number;
  at: THREE.Vector3;
  value: number | null;
}

export class Theatre {
  readonly stage: Stage;
  readonly fields: Field[];
  readonly wishes: Wishes = {
    field: "",
    ofMoment: false,
    wireframe: false,
    mesh: false,
    cut: null,
    hidden: new Set(),
    hiddenLayers: new Set(),
    arrowScale: 1,
  };
  private readonly surfaces: Surface[];
  private readonly layers: (ArrowSet | VolumeSet | null)[];
  private readonly whole: THREE.Box3;
  private readonly reach: THREE.Box3;
  private frame = 0;
  /** The figures at the two ends of the colours. */
  range: [number, number] = [0, 1];

  constructor(
    holder: HTMLElement,
    private readonly cast: Cast,
    private readonly frames: Frames,
    /** Room around what is in view at first, for what will move. */
    room = 0,
  ) {
    const { bodies } = cast;
    this.surfaces = bodies.map(
      (body, index) => new Surface(new THREE.Color(body.colour), frames.rest(index), frames.triangles[index], frames.cells[index]),
    );
    const focus = this.box((index) => bodies[index].kind !== "static");
    focus.expandByScalar(room * focus.getSize(new THREE.Vector3()).length());
    this.whole = this.box(() => true);
    if (focus.isEmpty()) focus.copy(this.whole.isEmpty() ? new THREE.Box3().setFromArray([0, 0, 0, 1, 1, 1]) : this.whole);
    this.reach = focus.clone().expandByScalar(2 * focus.getSize(new THREE.Vector3()).length());
    this.stage = new Stage(holder, focus, this.whole, bodies.some((body) => body.kind === "static"));
    this.fields = fieldsOf(cast, frames, this.surfaces);
    this.layers = this.makeLayers();
    for (const surface of this.surfaces) this.stage.scene.add(surface.group);
    this.refresh();
  }

  /** Shows a frame. */
  show(frame: number): void {
    this.frame = frame;
    if (this.frames.count > 0) {
      this.surfaces.forEach((surface, body) => {
        if (this.wishes.hidden.has(body)) return;
        this.frames.positions(body, frame, surface.positions);
        surface.update();
      });
    }
    this.paint();
    this.showLayers();
    this.stage.draw();
  }

  /** Takes into view where bodies have gone, but not to the end of the world. */
  follow(): void {
    const box = new THREE.Box3();
    this.surfaces.forEach((surface, body) => {
      if (this.cast.bodies[body].kind !== "static") extend(box, surface.positions);
    });
    if (this.reach.containsBox(box)) this.stage.widen(box);
  }

  /** Takes over changed wishes. */
  refresh(): void {
    const { wishes } = this;
    for (const set of this.layers) if (set instanceof VolumeSet) set.cut = wishes.cut && this.plane(wishes.cut);
    this.surfaces.forEach((surface, body) => {
      surface.group.visible = !wishes.hidden.has(body);
      // What stands still stays whole: it is what the cut things stand on.
      const cut = this.cast.bodies[body].kind === "static" ? null : wishes.cut;
      surface.look({ wireframe: wishes.wireframe, mesh: wishes.mesh, cut: cut && this.plane(cut) });
    });
    this.show(this.frame);
  }

  /** Light or dark: what stands still keeps in the background of either. */
  setDark(dark: boolean): void {
    this.cast.bodies.forEach((body, index) => {
      if (body.kind === "static") this.surfaces[index].colour.set(body.colour).multiplyScalar(dark ? 0.3 : 1);
    });
    this.stage.setDark(dark);
    this.show(this.frame);
  }

  /** Whether any body has cells. */
  get hasCells(): boolean {
    return this.frames.cells.some((cells) => cells.size > 0);
  }

  get field(): Field | undefined {
    return this.fields.find((field) => field.name === this.wishes.field);
  }

  /** Volumes that are shown, with the unit of their figures. */
  get volumes(): { volume: Volume; middle: THREE.Vector3; unit: string }[] {
    return this.layers.flatMap((set, index) =>
      set instanceof VolumeSet && set.group.visible ? set.shown.map((one) => ({ ...one, unit: this.cast.layers[index].unit })) : [],
    );
  }

  /** What is at a place of the window. */
  probe(event: MouseEvent): Probe | null {
    const meshes = this.surfaces.filter((surface) => surface.group.visible).map((surface) => surface.mesh);
    const hit = this.stage.pick(event, meshes);
    if (!hit?.face) return null;
    const body = this.surfaces.findIndex((surface) => surface.mesh === hit.object);
    const vertex = this.surfaces[body].nearest(hit.face, hit.point);
    const values = this.field?.values(body, this.frame);
    return { body, at: hit.point, value: values ? values[vertex] : null };
  }

  private makeLayers(): (ArrowSet | VolumeSet | null)[] {
    let arrows = 0;
    return this.cast.layers.map((layer) => {
      if (layer.kind === "field") return null;
      const set =
        layer.kind === "arrows"
          ? new ArrowSet(ARROW_COLOURS[arrows++ % ARROW_COLOURS.length], () => layer.max, 0.75 * this.stage.size)
          : new VolumeSet(() => colourScale(this.cast.scale, layer.min, layer.max));
      this.stage.scene.add(set.group);
      return set;
    });
  }

  private showLayers(): void {
    this.layers.forEach((set, index) => {
      if (!set) return;
      set.group.visible = !this.wishes.hiddenLayers.has(index) && this.frames.count > 0;
      if (!set.group.visible) return;
      const shown = this.frames.layer(index, this.frame);
      if (set instanceof ArrowSet) set.show(shown as Arrows, this.wishes.arrowScale);
      else set.show(shown as Volume[]);
    });
  }

  private paint(): void {
    const { field } = this;
    const figures = this.surfaces.map((_, body) => {
      const fixed = this.cast.bodies[body].kind === "static";
      return field && !fixed && this.frames.count > 0 ? field.values(body, this.frame) : null;
    });
    this.range = (this.wishes.ofMoment && this.boundsOf(figures)) || [field?.min ?? 0, field?.max ?? 1];
    const colourOf = colourScale(this.cast.scale, ...this.range);
    this.surfaces.forEach((surface, body) => surface.paint(figures[body], colourOf));
  }

  /** Least and largest of what is shown. */
  private boundsOf(figures: (Float32Array | null)[]): [number, number] | null {
    let [min, max] = [Infinity, -Infinity];
    figures.forEach((values, body) => {
      if (this.wishes.hidden.has(body)) return;
      for (const value of values ?? []) {
        if (value < min) min = value;
        if (value > max) max = value;
      }
    });
    return min <= max ? [min, max] : null;
  }

  private plane(cut: Cut): THREE.Plane {
    const box = this.stage.focus;
    const place = THREE.MathUtils.lerp(box.min.getComponent(cut.axis), box.max.getComponent(cut.axis), cut.place);
    const normal = new THREE.Vector3().setComponent(cut.axis, cut.flipped ? 1 : -1);
    return new THREE.Plane(normal, cut.flipped ? -place : place);
  }

  /** The box of some bodies over the run, but not of what a failed run threw far away. */
  private box(which: (body: number) => boolean): THREE.Box3 {
    const box = new THREE.Box3();
    const bodies = this.surfaces.map((_, index) => index).filter(which);
    for (const body of bodies) extend(box, this.surfaces[body].rest);
    if (this.frames.count === 0) return box;
    const reach = box.clone().expandByScalar(2 * box.getSize(new THREE.Vector3()).length());
    // A few frames tell where things go; each may cost an unpacked block.
    for (let sample = 1; sample <= 6; sample++) {
      const frame = Math.round((sample / 6) * (this.frames.count - 1));
      for (const body of bodies) {
        const { positions } = this.surfaces[body];
        this.frames.positions(body, frame, positions);
        const there = extend(new THREE.Box3(), positions);
        if (reach.containsBox(there)) box.union(there);
      }
    }
    return box;
  }
}

function extend(box: THREE.Box3, positions: Float32Array): THREE.Box3 {
  const point = new THREE.Vector3();
  for (let i = 0; i < positions.length; i += 3) {
    point.fromArray(positions, i);
    if (Number.isFinite(point.x + point.y + point.z)) box.expandByPoint(point);
  }
  return box;
}
