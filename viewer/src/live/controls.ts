// Sliders and buttons for everything that can be moved by hand.
import { element } from "../dom";
import { figure } from "../units";
import type { Control, Link, Update } from "./link";

export interface ControlsPanel {
  root: HTMLElement;
  show(update: Update): void;
}

const STEPS = 1000;

export function controlsPanel(controls: Control[], link: Link): ControlsPanel {
  const rows = controls.map((control, index) => new Row(control, index, link));
  const part = (group: Control["group"], title: string, ...tools: Node[]): HTMLElement => {
    const subjects = [...new Set(controls.filter((control) => control.group === group).map((control) => control.subject))];
    const cards = subjects.map((subject) => {
      const own = rows.filter(({ control }) => control.group === group && control.subject === subject);
      const heading = element("h3", { title: subject }, subject);
      return element("section", { class: "card", "aria-label": subject }, heading, ...own.map((row) => row.root));
    });
    const empty = element("p", { class: "hint" }, "This scene has none.");
    return element("div", { class: "controls-part" }, element("div", { class: "row" }, element("h2", {}, title), ...tools), ...(cards.length ? cards : [empty]));
  };
  const reset = element("button", { type: "button", class: "small" }, "Reset parameters");
  reset.addEventListener("click", () => link.send({ do: "release", control: null }));
  const hint = element("p", { class: "hint" }, "Drag a body in the picture to pull on it; hold shift to turn the view instead.");
  const root = element("div", { class: "controls" }, hint, part("actuator", "Actuators"), part("parameter", "Parameters", reset));
  return { root, show: (update) => update.controls.forEach((state, index) => rows[index]?.show(state.value, state.by_hand)) };
}

class Row {
  readonly root: HTMLElement;
  private readonly slider: HTMLInputElement;
  private readonly output = element("output", { class: "figure" });
  private readonly release: HTMLButtonElement;
  /** While a hand is on the slider, it does not follow the simulation. */
  private held = false;
  private wanted: number | null = null;
  private shown = "";

  constructor(
    readonly control: Control,
    private readonly index: number,
    private readonly link: Link,
  ) {
    const name = `${control.subject}: ${control.title}`;
    this.slider = element("input", { type: "range", min: 0, max: STEPS, step: 1, "aria-label": name });
    this.slider.addEventListener("input", () => this.want(this.valueOf(Number(this.slider.value) / STEPS)));
    this.slider.addEventListener("pointerdown", () => (this.held = true));
    for (const end of ["pointerup", "pointercancel", "change", "blur"]) this.slider.addEventListener(end, () => (this.held = false));
    this.release = element("button", { type: "button", class: "release", title: "As the scene says", "aria-label": `${name}: as the scene says` }, "↺");
    this.release.addEventListener("click", () => link.send({ do: "release", control: index }));
    const presets = control.presets.map(([label, value]) => {
      const button = element("button", { type: "button", class: "small", "aria-label": `${name}: ${label}` }, label);
      button.addEventListener("click", () => link.send({ do: "set", control: index, value }));
      return button;
    });
    const title = element("span", { class: "title" }, control.title);
    const head = element("div", { class: "control-head" }, title, ...presets, this.output, this.release);
    this.root = element("div", { class: "control" }, head, this.slider);
  }

  show(value: number, byHand: boolean): void {
    // What is as it was is left alone: painting it anew would take time from the picture.
    const state = `${value} ${byHand}`;
    if (this.held || this.wanted !== null || state === this.shown) return;
    this.shown = state;
    const text = figure(value, this.control.unit, 3);
    this.root.classList.toggle("by-hand", byHand);
    this.release.disabled = !byHand;
    this.output.textContent = text;
    this.slider.value = String(Math.round(STEPS * this.placeOf(value)));
    this.slider.setAttribute("aria-valuetext", text);
  }

  /** Many small moves make one command a picture. */
  private want(value: number): void {
    if (this.wanted === null) {
      requestAnimationFrame(() => {
        if (this.wanted !== null) this.link.send({ do: "set", control: this.index, value: this.wanted });
        this.wanted = null;
      });
    }
    this.wanted = value;
    this.shown = "";
    this.output.textContent = figure(value, this.control.unit, 3);
  }

  private valueOf(place: number): number {
    const { min, max, scale } = this.control;
    if (scale === "logarithmic") return min * (max / min) ** place;
    return scale === "power" ? max * place ** 4 : snapped(min + (max - min) * place, max - min);
  }

  private placeOf(value: number): number {
    const { min, max, scale } = this.control;
    const place =
      scale === "logarithmic" ? Math.log(value / min) / Math.log(max / min)
      : scale === "power" ? (value / max) ** 0.25
      : (value - min) / (max - min);
    return Math.min(Math.max(place || 0, 0), 1);
  }
}

/** Zero is easy to find. */
function snapped(value: number, span: number): number {
  return Math.abs(value) < 0.004 * span ? 0 : value;
}
