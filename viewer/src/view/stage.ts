// Light, ground, camera and picture: everything in 3-D that is not the run itself.
import * as THREE from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { Pace } from "./pace";

/** Where the camera stands at first, seen from the middle; crates/cupule-record/src/picture/camera.rs has the same. */
const DIRECTION = new THREE.Vector3(0.62, -1, 0.52).normalize();
const FIELD_OF_VIEW = 30;

interface Quality {
  shadows: boolean;
  /** Pixels drawn per pixel shown, along an axis. */
  sharpness: number;
}

/** What a slow machine goes without while things move, step by step: shadows, then sharpness. */
const QUALITIES: Quality[] = [
  { shadows: true, sharpness: 1 },
  { shadows: false, sharpness: 1 },
  { shadows: false, sharpness: 0.6 },
  { shadows: false, sharpness: 0.4 },
];
/** Where a machine without a graphics card begins: its pictures cost by the pixel. */
const PLAIN = 2;
/** Smooth edges for what stands still, where smoothing all pictures would cost too much. */
const FINE: Quality = { shadows: true, sharpness: 1.6 };
/** Pictures that follow each other within so many ms show something that moves. */
const BURST_MS = 250;
/** After so many ms without another, a plain picture is drawn again as well as can be. */
const SETTLE_MS = 180;

export class Stage {
  readonly scene = new THREE.Scene();
  readonly camera = new THREE.PerspectiveCamera(FIELD_OF_VIEW, 1, 0.001, 100);
  readonly controls: OrbitControls;
  private readonly renderer: THREE.WebGLRenderer;
  private readonly sun = new THREE.DirectionalLight(0xfffaf2, 2.3);
  private readonly fill = new THREE.DirectionalLight(0xdfe9ff, 0.8);
  private readonly grid: THREE.GridHelper | null;
  private wanted = false;
  private readonly soft = software();
  private readonly pace = new Pace(QUALITIES.length, this.soft ? PLAIN : 0);
  private readonly best = this.soft ? FINE : QUALITIES[0];
  private drawnWith: Quality | null = null;
  private playing = false;
  private last = -Infinity;
  private settling = 0;
  /** Whether a hand has moved the camera since it was last reset. */
  private turned = false;
  /** Called before each picture. */
  before: (() => void) | null = null;
  /** Called when the camera has moved. */
  moved: (() => void) | null = null;

  /** Throws if the browser has no WebGL. `focus` is what the camera frames, `whole` everything. */
  constructor(
    private readonly holder: HTMLElement,
    readonly focus: THREE.Box3,
    whole: THREE.Box3,
    ground: boolean,
  ) {
    this.renderer = new THREE.WebGLRenderer({ antialias: !this.soft, alpha: true, powerPreference: "high-performance" });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    this.renderer.localClippingEnabled = true;
    const canvas = this.renderer.domElement;
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", "The bodies in 3-D; drag to turn, right drag to move, wheel to zoom");
    canvas.tabIndex = -1;
    holder.append(canvas);
    holder.classList.toggle("plain", this.soft);
    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.addEventListener("start", () => (this.turned = true));
    this.controls.addEventListener("change", () => {
      this.moved?.();
      this.draw();
    });
    this.light();
    this.grid = ground ? null : this.addGrid(whole);
    this.reset();
    new ResizeObserver(() => this.resize()).observe(holder);
    this.resize();
  }

  get size(): number {
    return this.focus.getBoundingSphere(new THREE.Sphere()).radius || 1;
  }

  /** Asks for a picture; several wishes make one. */
  draw(): void {
    if (this.wanted) return;
    this.wanted = true;
    requestAnimationFrame(() => {
      this.wanted = false;
      const began = performance.now();
      const moves = this.playing || began - this.last < BURST_MS;
      this.last = began;
      const quality = moves ? QUALITIES[this.pace.level] : this.best;
      this.now(quality);
      // The next picture can begin when this one is done: how long that takes tells what the machine can do.
      if (moves) requestAnimationFrame(() => this.pace.took(performance.now() - began));
      clearTimeout(this.settling);
      if (quality !== this.best && !this.playing) {
        this.settling = window.setTimeout(() => this.now(this.best), SETTLE_MS);
      }
    });
  }

  /** While something plays, pictures are plainer where they would be slow; what stands still is drawn well. */
  setPlaying(playing: boolean): void {
    if (playing === this.playing) return;
    this.playing = playing;
    this.pace.interrupt();
    this.draw();
  }

  private setQuality(quality: Quality): void {
    if (quality === this.drawnWith) return;
    this.drawnWith = quality;
    this.sun.castShadow = quality.shadows;
    this.renderer.setPixelRatio(quality.sharpness * Math.min(devicePixelRatio, 2));
    this.renderer.domElement.dataset.settled = String(quality === this.best);
  }

  /** Takes more into view, unless somebody has chosen the view. */
  widen(box: THREE.Box3): void {
    if (this.turned || this.focus.containsBox(box)) return;
    this.focus.union(box);
    this.placeLights();
    this.reset();
  }

  reset(): void {
    this.turned = false;
    const { center, radius } = this.focus.getBoundingSphere(new THREE.Sphere());
    const half = (FIELD_OF_VIEW * Math.PI) / 360;
    const narrow = Math.min(1, this.camera.aspect);
    const distance = (1.12 * (radius || 1)) / Math.sin(Math.atan(Math.tan(half) * narrow));
    this.camera.position.copy(center).addScaledVector(DIRECTION, distance);
    this.camera.near = distance / 200;
    this.camera.far = distance * 50;
    this.camera.updateProjectionMatrix();
    this.controls.target.copy(center);
    this.controls.update();
    this.draw();
  }

  setDark(dark: boolean): void {
    const material = this.grid?.material as THREE.LineBasicMaterial | undefined;
    material?.color.set(dark ? 0x55606d : 0xb8c1cb);
    this.draw();
  }

  /** The picture as a file, on the page's background. */
  async picture(background: string): Promise<Blob> {
    this.now(this.best);
    const from = this.renderer.domElement;
    const copy = document.createElement("canvas");
    copy.width = from.width;
    copy.height = from.height;
    const context = copy.getContext("2d");
    if (!context) throw new Error("the browser cannot copy the picture");
    context.fillStyle = background;
    context.fillRect(0, 0, copy.width, copy.height);
    context.drawImage(from, 0, 0);
    return new Promise((done, failed) =>
      copy.toBlob((blob) => (blob ? done(blob) : failed(new Error("the browser made no picture")))),
    );
  }

  /** What lies under a place of the window. */
  pick(event: MouseEvent, among: THREE.Object3D[]): THREE.Intersection | undefined {
    return this.caster(event).intersectObjects(among, false)[0];
  }

  /** From the eye through a place of the window. */
  ray(event: MouseEvent): THREE.Ray {
    return this.caster(event).ray;
  }

  private caster(event: MouseEvent): THREE.Raycaster {
    const frame = this.renderer.domElement.getBoundingClientRect();
    const place = new THREE.Vector2(
      (2 * (event.clientX - frame.left)) / frame.width - 1,
      1 - (2 * (event.clientY - frame.top)) / frame.height,
    );
    const ray = new THREE.Raycaster();
    ray.setFromCamera(place, this.camera);
    return ray;
  }

  private now(quality: Quality): void {
    this.setQuality(quality);
    this.before?.();
    this.renderer.render(this.scene, this.camera);
  }

  private light(): void {
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(2048, 2048);
    this.sun.shadow.bias = -0.0004;
    this.sun.shadow.radius = 3;
    this.scene.add(new THREE.HemisphereLight(0xffffff, 0xc9c2ba, 1.75));
    this.scene.add(this.sun, this.sun.target, this.fill, this.fill.target);
    this.placeLights();
  }

  private placeLights(): void {
    const { center, radius } = this.focus.getBoundingSphere(new THREE.Sphere());
    const size = radius || 1;
    this.sun.position.copy(center).add(new THREE.Vector3(0.45, -0.55, 1.1).multiplyScalar(6 * size));
    this.sun.target.position.copy(center);
    this.sun.shadow.normalBias = 0.004 * size;
    const reach = this.sun.shadow.camera;
    reach.left = reach.bottom = -2.2 * size;
    reach.right = reach.top = 2.2 * size;
    reach.near = 0.1 * size;
    reach.far = 14 * size;
    reach.updateProjectionMatrix();
    this.fill.position.copy(center).add(new THREE.Vector3(-1, 0.4, 0.3).multiplyScalar(size));
    this.fill.target.position.copy(center);
  }

  /** Without a ground, lines at a round distance give a feeling for size. */
  private addGrid(whole: THREE.Box3): THREE.GridHelper {
    const step = 10 ** Math.floor(Math.log10(this.size));
    const lines = 2 * Math.ceil((2.5 * this.size) / step);
    const grid = new THREE.GridHelper(lines * step, lines, 0xffffff, 0xffffff);
    (grid.material as THREE.LineBasicMaterial).vertexColors = false;
    grid.rotation.x = Math.PI / 2;
    const { x, y } = this.focus.getCenter(new THREE.Vector3());
    const floor = whole.isEmpty() ? 0 : whole.min.z;
    grid.position.set(Math.round(x / step) * step, Math.round(y / step) * step, floor - 1e-3 * this.size);
    this.scene.add(grid);
    return grid;
  }

  private resize(): void {
    const { clientWidth: width, clientHeight: height } = this.holder;
    if (width === 0 || height === 0) return;
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.renderer.setSize(width, height, false);
    this.now(this.best);
  }
}

/** Whether pictures are computed by the processor alone. */
function software(): boolean {
  const gl = document.createElement("canvas").getContext("webgl2");
  const known = gl?.getExtension("WEBGL_debug_renderer_info");
  const name = gl && known ? String(gl.getParameter(known.UNMASKED_RENDERER_WEBGL)) : "";
  gl?.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|software|basic render/i.test(name);
}
