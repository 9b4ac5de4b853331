// Vectors at points, such as contact forces: a dot where each acts, and an arrow as long as it is large.
import * as THREE from "three";
import type { Arrows } from "../data/frames";

const UP = new THREE.Vector3(0, 1, 0);

export class ArrowSet {
  readonly group = new THREE.Group();
  private readonly parts: THREE.InstancedMesh[];
  private capacity = 0;

  /** `reach`: length of the longest arrow, m; `largest`: tells its figure. */
  constructor(
    colour: THREE.ColorRepresentation,
    private readonly largest: () => number,
    private readonly reach: number,
  ) {
    const material = new THREE.MeshLambertMaterial({ color: colour, emissive: colour, emissiveIntensity: 0.25 });
    const shapes = [
      new THREE.CylinderGeometry(1, 1, 1, 8).translate(0, 0.5, 0),
      new THREE.ConeGeometry(1, 1, 12).translate(0, 0.5, 0),
      new THREE.SphereGeometry(1, 8, 6),
    ];
    this.parts = shapes.map((shape) => new THREE.InstancedMesh(shape, material, 0));
  }

  show(arrows: Arrows, scale: number): void {
    if (arrows.count > this.capacity) this.grow(arrows.count);
    // Many are thinner, so that they do not hide what they act on.
    const thick = this.reach * 0.012 * Math.min(1, Math.max(0.4, Math.sqrt(16 / Math.max(arrows.count, 1))));
    const largest = this.largest() || 1;
    const [at, vector, turn, matrix, size] = [
      new THREE.Vector3(),
      new THREE.Vector3(),
      new THREE.Quaternion(),
      new THREE.Matrix4(),
      new THREE.Vector3(),
    ];
    const [shafts, heads, dots] = this.parts;
    for (let i = 0; i < arrows.count; i++) {
      at.fromArray(arrows.at, 3 * i);
      vector.fromArray(arrows.vector, 3 * i);
      const length = ((vector.length() * this.reach) / largest) * scale;
      turn.setFromUnitVectors(UP, vector.normalize());
      const head = Math.min(0.4 * length, 6 * thick);
      shafts.setMatrixAt(i, matrix.compose(at, turn, size.set(thick, length - head, thick)));
      const width = Math.min(2.6 * thick, 0.5 * head);
      vector.multiplyScalar(length - head).add(at);
      heads.setMatrixAt(i, matrix.compose(vector, turn, size.set(width, head, width)));
      dots.setMatrixAt(i, matrix.compose(at, turn, size.setScalar(1.7 * thick)));
    }
    for (const part of this.parts) {
      part.count = arrows.count;
      part.instanceMatrix.needsUpdate = true;
    }
  }

  private grow(count: number): void {
    this.capacity = Math.max(64, 2 * count);
    this.parts.forEach((old, index) => {
      const part = new THREE.InstancedMesh(old.geometry, old.material, this.capacity);
      part.frustumCulled = false;
      this.group.remove(old);
      old.dispose();
      this.group.add(part);
      this.parts[index] = part;
    });
  }
}
