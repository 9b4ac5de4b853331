// Pulling on bodies with the pointer: a drag that begins on a body moves the end of a spring in the plane of the picture.
import * as THREE from "three";
import type { Cast } from "../data/frames";
import type { Theatre } from "../view/theatre";
import type { Link, Update } from "./link";

const COLOUR = 0xe8590c;

export class Grab {
  private readonly plane = new THREE.Plane();
  private readonly line: THREE.Line;
  private readonly ends: THREE.Mesh[];
  private pointer: number | null = null;

  constructor(
    private readonly holder: HTMLElement,
    private readonly theatre: Theatre,
    private readonly cast: Cast,
    private readonly link: Link,
  ) {
    const material = new THREE.LineBasicMaterial({ color: COLOUR, depthTest: false, transparent: true });
    this.line = new THREE.Line(new THREE.BufferGeometry().setFromPoints([new THREE.Vector3(), new THREE.Vector3()]), material);
    const ball = new THREE.SphereGeometry(0.018 * theatre.stage.size, 16, 12);
    const paint = new THREE.MeshBasicMaterial({ color: COLOUR, depthTest: false, transparent: true });
    this.ends = [0, 1].map(() => new THREE.Mesh(ball, paint));
    for (const part of [this.line, ...this.ends]) {
      part.visible = false;
      part.frustumCulled = false;
      part.renderOrder = 2;
      theatre.stage.scene.add(part);
    }
    // Before the camera's own listeners, which would turn the view.
    holder.addEventListener("pointerdown", (event) => this.begin(event), { capture: true });
    holder.addEventListener("pointermove", (event) => this.move(event), { capture: true });
    for (const end of ["pointerup", "pointercancel"] as const) {
      holder.addEventListener(end, (event) => this.end(event), { capture: true });
    }
  }

  /** Draws the spring. */
  show(update: Update): void {
    const { pull } = update;
    for (const part of [this.line, ...this.ends]) part.visible = pull !== null;
    if (!pull) return;
    const ends = [pull.at, pull.to].map((at) => new THREE.Vector3().fromArray(at));
    this.line.geometry.setFromPoints(ends);
    this.ends.forEach((ball, index) => ball.position.copy(ends[index]));
  }

  private begin(event: PointerEvent): void {
    if (event.button !== 0 || event.shiftKey || this.pointer !== null || !(event.target instanceof HTMLCanvasElement)) return;
    const probe = this.theatre.probe(event);
    if (!probe || ["static", "kinematic"].includes(this.cast.bodies[probe.body].kind)) return;
    event.stopPropagation();
    this.pointer = event.pointerId;
    const { camera } = this.theatre.stage;
    this.plane.setFromNormalAndCoplanarPoint(camera.getWorldDirection(new THREE.Vector3()), probe.at);
    this.link.send({ do: "grab", body: probe.body, at: probe.at.toArray() });
    this.holder.classList.add("pulling");
    this.holder.setPointerCapture(event.pointerId);
  }

  private move(event: PointerEvent): void {
    if (event.pointerId !== this.pointer) return;
    event.stopPropagation();
    const to = this.theatre.stage.ray(event).intersectPlane(this.plane, new THREE.Vector3());
    if (to) this.link.send({ do: "pull", to: to.toArray() });
  }

  private end(event: PointerEvent): void {
    if (event.pointerId !== this.pointer) return;
    event.stopPropagation();
    this.pointer = null;
    this.holder.classList.remove("pulling");
    this.link.send({ do: "let_go" });
  }
}
