// A body's surface: shaded smoothly, with sharp edges where the body has them; and the cells within, where there are.
import * as THREE from "three";
import type { Cells } from "../data/frames";
import { edgesOfCells, Section } from "./cells";

/** Faces that meet at a larger angle than this form an edge. */
const CREASE = Math.cos((38 * Math.PI) / 180);

/** Vertices split along the edges of the first shape. */
export interface Split {
  /** Per drawn vertex the vertex it comes from. */
  source: Uint32Array;
  /** Triangles of drawn vertices. */
  index: Uint32Array;
}

/** Splits vertices so that each drawn one has a single normal. */
export function splitEdges(positions: Float32Array, triangles: Uint32Array): Split {
  const normals = faceNormals(positions, triangles);
  const fans: { vertex: number; normal: THREE.Vector3; drawn: number }[][] = [];
  const source: number[] = [];
  const index = new Uint32Array(triangles.length);
  for (let corner = 0; corner < triangles.length; corner++) {
    const vertex = triangles[corner];
    const normal = normals[Math.floor(corner / 3)];
    const fan = (fans[vertex] ??= []);
    let part = fan.find((known) => known.normal.dot(normal) >= CREASE * known.normal.length());
    if (!part) {
      part = { vertex, normal: new THREE.Vector3(), drawn: source.length };
      source.push(vertex);
      fan.push(part);
    }
    part.normal.add(normal);
    index[corner] = part.drawn;
  }
  return { source: Uint32Array.from(source), index };
}

function faceNormals(positions: Float32Array, triangles: Uint32Array): THREE.Vector3[] {
  const [a, b, c] = [new THREE.Vector3(), new THREE.Vector3(), new THREE.Vector3()];
  const normals: THREE.Vector3[] = [];
  for (let t = 0; t < triangles.length; t += 3) {
    a.fromArray(positions, 3 * triangles[t]);
    b.fromArray(positions, 3 * triangles[t + 1]).sub(a);
    c.fromArray(positions, 3 * triangles[t + 2]).sub(a);
    normals.push(new THREE.Vector3().crossVectors(b, c).normalize());
  }
  return normals;
}

export interface Look {
  wireframe: boolean;
  /** Edges of the cells. */
  mesh: boolean;
  /** What is on its negative side is taken away. */
  cut: THREE.Plane | null;
}

export class Surface {
  readonly group = new THREE.Group();
  readonly mesh: THREE.Mesh<THREE.BufferGeometry, THREE.MeshLambertMaterial>;
  /** Positions of the simulated vertices, m. */
  readonly positions: Float32Array;
  private readonly drawn: THREE.BufferAttribute;
  private readonly normals: THREE.BufferAttribute;
  private readonly colours: THREE.BufferAttribute;
  private readonly wires: THREE.LineSegments;
  private readonly inside: THREE.Mesh;
  private readonly frame: THREE.LineSegments | null;
  /** None where the cells are not what the surface encloses, but carry it. */
  private readonly section: Section | null;
  private cut: THREE.Plane | null = null;

  constructor(
    readonly colour: THREE.Color,
    readonly rest: Float32Array,
    triangles: Uint32Array,
    cells: Cells,
    private readonly split: Split = splitEdges(rest, triangles),
  ) {
    this.positions = rest.slice();
    const count = split.source.length;
    this.drawn = dynamic(count);
    this.normals = dynamic(count);
    this.colours = dynamic(count);
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", this.drawn);
    geometry.setAttribute("normal", this.normals);
    geometry.setAttribute("color", this.colours);
    geometry.setIndex(new THREE.BufferAttribute(split.index, 1));
    const material = new THREE.MeshLambertMaterial({ color: colour });
    material.polygonOffset = true;
    material.polygonOffsetFactor = 1;
    material.polygonOffsetUnits = 1;
    this.mesh = new THREE.Mesh(geometry, material);
    this.mesh.castShadow = this.mesh.receiveShadow = true;
    // Seen from within, one flat colour: where a plane cuts a closed surface this looks like solid matter.
    const flat = new THREE.MeshBasicMaterial({ color: colour.clone().multiplyScalar(0.55), side: THREE.BackSide });
    this.inside = new THREE.Mesh(geometry, flat);
    const line = (opacity: number) => new THREE.LineBasicMaterial({ color: 0x10151b, transparent: true, opacity });
    this.wires = new THREE.LineSegments(wireGeometry(split.index, split.source, this.drawn), line(0.32));
    this.frame = cells.size > 0 ? new THREE.LineSegments(frameGeometry(cells, this.positions), line(0.6)) : null;
    const surfaceVertices = triangles.reduce((most, vertex) => Math.max(most, vertex + 1), 0);
    this.section = cells.vertices.some((vertex) => vertex < surfaceVertices) ? new Section(cells, line(0.6)) : null;
    this.group.add(...this.clipped);
    if (this.section) this.group.add(this.section.mesh, this.section.outlines);
    // Bounds change every frame, and all bodies are in view most of the time.
    for (const part of this.clipped) part.frustumCulled = false;
    this.look({ wireframe: false, mesh: false, cut: null });
    this.update();
  }

  private get clipped(): (THREE.Mesh | THREE.LineSegments)[] {
    return [this.mesh, this.inside, this.wires, ...(this.frame ? [this.frame] : [])];
  }

  look({ wireframe, mesh, cut }: Look): void {
    this.cut = cut;
    this.wires.visible = wireframe;
    this.inside.visible = cut !== null && this.section === null;
    if (this.frame) this.frame.visible = mesh;
    if (this.section) {
      this.section.mesh.visible = cut !== null;
      this.section.outlines.visible = cut !== null && mesh;
    }
    for (const part of this.clipped) {
      const material = part.material as THREE.Material;
      material.clippingPlanes = cut ? [cut] : [];
      material.clipShadows = true;
    }
  }

  /** Takes over `positions`. */
  update(): void {
    const { source, index } = this.split;
    const { positions } = this;
    const drawn = this.drawn.array as Float32Array;
    for (let v = 0, to = 0; v < source.length; v++) {
      const from = 3 * source[v];
      drawn[to++] = positions[from];
      drawn[to++] = positions[from + 1];
      drawn[to++] = positions[from + 2];
    }
    addNormals(drawn, index, this.normals.array as Float32Array);
    this.drawn.needsUpdate = this.normals.needsUpdate = true;
    if (this.frame) this.frame.geometry.attributes.position.needsUpdate = true;
    this.mesh.geometry.boundingSphere = null;
    this.mesh.geometry.boundingBox = null;
  }

  /** Colours by figures per vertex, or the body's own colour. */
  paint(values: Float32Array | null, colourOf: (value: number, into: Float32Array, at: number) => void): void {
    if (this.cut) this.section?.show(this.positions, this.cut, values, this.colour, colourOf);
    const { material } = this.mesh;
    const painted = values !== null;
    if (material.vertexColors !== painted) {
      material.vertexColors = painted;
      material.needsUpdate = true;
    }
    if (!values) {
      material.color.copy(this.colour);
      return;
    }
    material.color.set(0xffffff);
    const colours = this.colours.array as Float32Array;
    const { source } = this.split;
    for (let v = 0; v < source.length; v++) colourOf(values[source[v]], colours, 3 * v);
    this.colours.needsUpdate = true;
  }

  /** The simulated vertex nearest to a point on a triangle. */
  nearest(face: THREE.Face, point: THREE.Vector3): number {
    const corner = new THREE.Vector3();
    const drawn = this.drawn.array;
    const away = (v: number) => corner.fromArray(drawn, 3 * v).distanceToSquared(point);
    const best = [face.a, face.b, face.c].reduce((a, b) => (away(b) < away(a) ? b : a));
    return this.split.source[best];
  }
}

function dynamic(count: number): THREE.BufferAttribute {
  return new THREE.BufferAttribute(new Float32Array(3 * count), 3).setUsage(THREE.DynamicDrawUsage);
}

/** Sums of face normals, which weigh faces by area; the shader makes them unit vectors. */
function addNormals(p: Float32Array, index: Uint32Array, into: Float32Array): void {
  into.fill(0);
  for (let t = 0; t < index.length; t += 3) {
    const a = 3 * index[t];
    const b = 3 * index[t + 1];
    const c = 3 * index[t + 2];
    const ux = p[b] - p[a];
    const uy = p[b + 1] - p[a + 1];
    const uz = p[b + 2] - p[a + 2];
    const vx = p[c] - p[a];
    const vy = p[c + 1] - p[a + 1];
    const vz = p[c + 2] - p[a + 2];
    const nx = uy * vz - uz * vy;
    const ny = uz * vx - ux * vz;
    const nz = ux * vy - uy * vx;
    for (const at of [a, b, c]) {
      into[at] += nx;
      into[at + 1] += ny;
      into[at + 2] += nz;
    }
  }
  // Areas of small parts in square metres are too small for the shader's single precision.
  for (let i = 0; i < into.length; i += 3) {
    const length = Math.hypot(into[i], into[i + 1], into[i + 2]) || 1;
    into[i] /= length;
    into[i + 1] /= length;
    into[i + 2] /= length;
  }
}

/** Edges of cells, on the simulated vertices. */
function frameGeometry(cells: Cells, positions: Float32Array): THREE.BufferGeometry {
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(positions, 3).setUsage(THREE.DynamicDrawUsage));
  geometry.setIndex(edgesOfCells(cells));
  return geometry;
}

/** Every edge of the mesh once, on the same positions. */
function wireGeometry(index: Uint32Array, source: Uint32Array, positions: THREE.BufferAttribute): THREE.BufferGeometry {
  const seen = new Set<number>();
  const lines: number[] = [];
  for (let t = 0; t < index.length; t += 3) {
    for (let side = 0; side < 3; side++) {
      const [a, b] = [index[t + side], index[t + ((side + 1) % 3)]];
      const [low, high] = [Math.min(source[a], source[b]), Math.max(source[a], source[b])];
      const key = low * 4294967296 + high;
      if (seen.has(key)) continue;
      seen.add(key);
      lines.push(a, b);
    }
  }
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", positions);
  geometry.setIndex(lines);
  return geometry;
}
