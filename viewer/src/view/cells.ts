// The cells of a soft body: their edges, and what a plane cuts of them.
import * as THREE from "three";
import type { Cells } from "../data/frames";

const TETRAHEDRON = [[0, 1], [1, 2], [2, 0], [0, 3], [1, 3], [2, 3]];
const HEXAHEDRON = [[0, 1], [1, 2], [2, 3], [3, 0], [4, 5], [5, 6], [6, 7], [7, 4], [0, 4], [1, 5], [2, 6], [3, 7]];

/** Pairs of corners; those of ten-node tetrahedra pass their middle nodes, which come in the same order. */
function edgesOf(size: number): number[][] {
  return size === 8 ? HEXAHEDRON : TETRAHEDRON;
}

/** Every edge of the cells once, as pairs of vertices. */
export function edgesOfCells({ size, vertices }: Cells): number[] {
  const seen = new Set<number>();
  const lines: number[] = [];
  const add = (a: number, b: number): void => {
    const key = Math.min(a, b) * 4294967296 + Math.max(a, b);
    if (seen.has(key)) return;
    seen.add(key);
    lines.push(a, b);
  };
  for (let cell = 0; cell < vertices.length; cell += size) {
    edgesOf(size).forEach(([a, b], edge) => {
      const [from, to] = [vertices[cell + a], vertices[cell + b]];
      if (size !== 10) return add(from, to);
      const middle = vertices[cell + 4 + edge];
      add(from, middle);
      add(middle, to);
    });
  }
  return lines;
}

type ColourOf = (value: number, into: Float32Array, at: number) => void;

/** The face that a plane cuts through cells: a polygon a cell, coloured by the figures within. */
export class Section {
  readonly mesh: THREE.Mesh<THREE.BufferGeometry, THREE.MeshLambertMaterial>;
  readonly outlines: THREE.LineSegments;
  private away = new Float32Array(0);

  constructor(
    private readonly cells: Cells,
    lines: THREE.Material,
  ) {
    const material = new THREE.MeshLambertMaterial({ vertexColors: true, side: THREE.DoubleSide });
    material.polygonOffset = true;
    material.polygonOffsetFactor = material.polygonOffsetUnits = 1;
    this.mesh = new THREE.Mesh(new THREE.BufferGeometry(), material);
    this.mesh.receiveShadow = true;
    this.outlines = new THREE.LineSegments(new THREE.BufferGeometry(), lines);
    this.mesh.frustumCulled = this.outlines.frustumCulled = false;
  }

  /** Cuts the cells as they are; without figures, all is of one colour. */
  show(positions: Float32Array, plane: THREE.Plane, values: Float32Array | null, plain: THREE.Color, colourOf: ColourOf): void {
    const { size, vertices } = this.cells;
    const edges = edgesOf(size);
    const corners = size === 8 ? 8 : 4;
    const away = this.distances(positions, plane);
    const cut = new Cut(plane);
    for (let cell = 0; cell < vertices.length; cell += size) {
      let above = 0;
      for (let corner = 0; corner < corners; corner++) if (away[vertices[cell + corner]] >= 0) above++;
      if (above === 0 || above === corners) continue;
      cut.begin();
      for (const [i, j] of edges) {
        const [a, b] = [vertices[cell + i], vertices[cell + j]];
        if (away[a] >= 0 === away[b] >= 0) continue;
        cut.cross(positions, values, a, b, away[a] / (away[a] - away[b]));
      }
      cut.end();
    }
    this.fill(cut, plane, values !== null, plain, colourOf);
  }

  private distances(positions: Float32Array, plane: THREE.Plane): Float32Array {
    const count = positions.length / 3;
    if (this.away.length !== count) this.away = new Float32Array(count);
    const { normal, constant } = plane;
    for (let v = 0, i = 0; v < count; v++, i += 3) {
      this.away[v] = normal.x * positions[i] + normal.y * positions[i + 1] + normal.z * positions[i + 2] + constant;
    }
    return this.away;
  }

  private fill(cut: Cut, plane: THREE.Plane, painted: boolean, plain: THREE.Color, colourOf: ColourOf): void {
    const { geometry } = this.mesh;
    const count = cut.values.length;
    const colours = new Float32Array(3 * count);
    const normals = new Float32Array(3 * count);
    for (let v = 0; v < count; v++) {
      if (painted) colourOf(cut.values[v], colours, 3 * v);
      else plain.toArray(colours, 3 * v);
      // It faces what was taken away.
      normals[3 * v] = -plane.normal.x;
      normals[3 * v + 1] = -plane.normal.y;
      normals[3 * v + 2] = -plane.normal.z;
    }
    const places = new THREE.Float32BufferAttribute(cut.places, 3);
    geometry.dispose();
    geometry.setAttribute("position", places);
    geometry.setAttribute("color", new THREE.BufferAttribute(colours, 3));
    geometry.setAttribute("normal", new THREE.BufferAttribute(normals, 3));
    geometry.setIndex(cut.triangles);
    this.outlines.geometry.dispose();
    this.outlines.geometry.setAttribute("position", places);
    this.outlines.geometry.setIndex(cut.lines);
  }
}

/** Gathers the polygons of one cut. */
class Cut {
  readonly places: number[] = [];
  readonly values: number[] = [];
  readonly triangles: number[] = [];
  readonly lines: number[] = [];
  private first = 0;
  private readonly u: THREE.Vector3;
  private readonly v: THREE.Vector3;

  constructor({ normal }: THREE.Plane) {
    // Planes of cuts are across an axis: the next axis lies within.
    this.u = new THREE.Vector3(Math.abs(normal.z), Math.abs(normal.x), Math.abs(normal.y));
    this.v = new THREE.Vector3().crossVectors(normal, this.u);
  }

  begin(): void {
    this.first = this.values.length;
  }

  /** Where an edge passes the plane. */
  cross(positions: Float32Array, values: Float32Array | null, a: number, b: number, share: number): void {
    for (let axis = 0; axis < 3; axis++) {
      const from = positions[3 * a + axis];
      this.places.push(from + share * (positions[3 * b + axis] - from));
    }
    this.values.push(values ? values[a] + share * (values[b] - values[a]) : 0);
  }

  /** Joins the crossings of a cell, which is convex, round their middle. */
  end(): void {
    const { first, places, u, v } = this;
    const count = this.values.length - first;
    if (count < 3) return;
    const flat = Array.from({ length: count }, (_, k) => {
      const at = 3 * (first + k);
      const [x, y, z] = [places[at], places[at + 1], places[at + 2]];
      return { vertex: first + k, x: u.x * x + u.y * y + u.z * z, y: v.x * x + v.y * y + v.z * z, angle: 0 };
    });
    const middle = { x: 0, y: 0 };
    for (const { x, y } of flat) {
      middle.x += x / count;
      middle.y += y / count;
    }
    for (const point of flat) point.angle = Math.atan2(point.y - middle.y, point.x - middle.x);
    flat.sort((a, b) => a.angle - b.angle);
    for (let k = 0; k < count; k++) {
      this.lines.push(flat[k].vertex, flat[(k + 1) % count].vertex);
      if (k >= 2) this.triangles.push(flat[0].vertex, flat[k - 1].vertex, flat[k].vertex);
    }
  }
}
