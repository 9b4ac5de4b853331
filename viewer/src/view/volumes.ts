// Meshes that come and go, such as cavities: translucent, coloured by their figure.
import * as THREE from "three";
import type { Volume } from "../data/frames";
import type { ColourOf } from "./scale";

export class VolumeSet {
  readonly group = new THREE.Group();
  /** What is shown, and where its middle is. */
  readonly shown: { volume: Volume; middle: THREE.Vector3 }[] = [];
  /** What is on its negative side is taken away. */
  cut: THREE.Plane | null = null;

  /** `colours` tells the scale, whose bounds may grow. */
  constructor(private readonly colours: () => ColourOf) {}

  show(volumes: Volume[]): void {
    for (const child of this.group.children as THREE.Mesh[]) {
      child.geometry.dispose();
      (child.material as THREE.Material).dispose();
    }
    this.group.clear();
    this.shown.length = 0;
    for (const volume of volumes) {
      const mesh = this.mesh(volume);
      mesh.geometry.computeBoundingBox();
      const middle = mesh.geometry.boundingBox?.getCenter(new THREE.Vector3()) ?? new THREE.Vector3();
      this.group.add(mesh);
      this.shown.push({ volume, middle });
    }
  }

  private mesh(volume: Volume): THREE.Mesh {
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(volume.positions, 3));
    geometry.setIndex(new THREE.BufferAttribute(volume.triangles, 1));
    geometry.computeVertexNormals();
    const colour = new Float32Array(3);
    this.colours()(volume.value, colour, 0);
    const material = new THREE.MeshLambertMaterial({
      color: new THREE.Color().fromArray(colour),
      transparent: true,
      opacity: 0.55,
      side: THREE.DoubleSide,
      depthWrite: false,
      depthTest: false,
      clippingPlanes: this.cut ? [this.cut] : [],
    });
    const mesh = new THREE.Mesh(geometry, material);
    mesh.renderOrder = 1;
    mesh.frustumCulled = false;
    return mesh;
  }
}
