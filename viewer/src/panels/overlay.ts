// What lies over the 3-D picture: colour bar, axes, what is under the pointer, the event of the moment.
import * as THREE from "three";
import type { Clock } from "../clock";
import type { Event } from "../data/container";
import type { Cast } from "../data/frames";
import { element } from "../dom";
import { figure, scaleFor, short } from "../units";
import type { Theatre } from "../view/theatre";
import { eventTone } from "./summary";

export function colourBar(steps: string[]): { root: HTMLElement; show(theatre: Theatre | null): void } {
  const title = element("span", { class: "title" });
  const [low, middle, high] = ["", "", ""].map(() => element("span"));
  const ramp = element("div", { class: "ramp" });
  ramp.style.background = `linear-gradient(to right, ${steps.join(", ")})`;
  const root = element("div", { class: "colour-bar" }, title, ramp, element("div", { class: "ticks" }, low, middle, high));
  root.hidden = true;
  let shown = "";
  const show = (theatre: Theatre | null): void => {
    const field = theatre?.field;
    root.hidden = field === undefined;
    if (!theatre || !field) return;
    const [min, max] = theatre.range;
    const state = `${field.name} ${min} ${max}`;
    if (state === shown) return;
    shown = state;
    const largest = Math.max(Math.abs(min), Math.abs(max));
    const scale = scaleFor(largest, field.unit);
    title.textContent = scale.unit ? `${field.title}, ${scale.unit}` : field.title;
    // What is rounding against the rest is nothing.
    const tick = (value: number): string => short(Math.abs(value) < 1e-6 * largest ? 0 : value * scale.factor, 3);
    low.textContent = tick(min);
    middle.textContent = tick((min + max) / 2);
    high.textContent = tick(max);
  };
  return { root, show };
}

/** The directions of x, y and z as seen. */
export function axes(theatre: Theatre): { root: Element; show(): void } {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  svg.setAttribute("viewBox", "-32 -32 64 64");
  svg.setAttribute("class", "axes");
  svg.setAttribute("aria-hidden", "true");
  const parts = ["x", "y", "z"].map((name) => {
    const line = document.createElementNS(space, "line");
    const text = document.createElementNS(space, "text");
    text.textContent = name;
    for (const part of [line, text]) {
      part.setAttribute("class", name);
      svg.append(part);
    }
    return { line, text };
  });
  const last = new THREE.Quaternion(0, 0, 0, 0);
  const show = (): void => {
    const { quaternion } = theatre.stage.camera;
    // Drawing it anew with every picture would take time from the picture.
    if (quaternion.equals(last)) return;
    last.copy(quaternion);
    const turn = quaternion.clone().invert();
    parts.forEach(({ line, text }, axis) => {
      const seen = new THREE.Vector3().setComponent(axis, 1).applyQuaternion(turn);
      line.setAttribute("x2", String(20 * seen.x));
      line.setAttribute("y2", String(-20 * seen.y));
      text.setAttribute("x", String(27 * seen.x));
      text.setAttribute("y", String(-27 * seen.y));
    });
  };
  return { root: svg, show };
}

/** More labels than this would cover the picture. */
const LABELS_SHOWN = 12;

/** Figures of volumes, such as the pressures of cavities, where they are. */
export function volumeLabels(theatre: Theatre, holder: HTMLElement): { root: HTMLElement; show(): void } {
  const root = element("div", { class: "labels", "aria-hidden": "true" });
  const labels: HTMLElement[] = [];
  const show = (): void => {
    const volumes = theatre.volumes.slice(0, LABELS_SHOWN);
    while (labels.length < volumes.length) root.appendChild((labels[labels.length] = element("span")));
    labels.forEach((label, index) => {
      const shown = volumes[index];
      label.hidden = shown === undefined;
      if (!shown) return;
      const { volume, middle, unit } = shown;
      const text = `${volumes.length > 1 ? `${volume.identity}: ` : ""}${figure(volume.value, unit, 3)}`;
      if (label.textContent !== text) label.textContent = text;
      const place = middle.clone().project(theatre.stage.camera);
      const [x, y] = [(0.5 + 0.5 * place.x) * holder.clientWidth, (0.5 - 0.5 * place.y) * holder.clientHeight];
      label.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px) translate(-50%, -50%)`;
    });
  };
  return { root, show };
}

/** Name and figures of what is clicked. */
export function probeTip(holder: HTMLElement, theatre: Theatre, cast: Cast): HTMLElement {
  const tip = element("div", { class: "tip", role: "status" });
  tip.hidden = true;
  let pressed: [number, number] = [0, 0];
  const canvas = holder.querySelector("canvas");
  canvas?.addEventListener("pointerdown", (event) => {
    pressed = [event.clientX, event.clientY];
    tip.hidden = true;
  });
  canvas?.addEventListener("click", (event) => {
    // A drag turns the view; only a click asks.
    if (Math.hypot(event.clientX - pressed[0], event.clientY - pressed[1]) > 4) return;
    const probe = theatre.probe(event);
    tip.hidden = probe === null;
    if (!probe) return;
    const place = probe.at.toArray().map((c) => figure(c, "m", 3)).join(", ");
    const lines = [element("strong", {}, cast.bodies[probe.body].name), element("span", {}, place)];
    const { field } = theatre;
    if (probe.value !== null && field) lines.push(element("span", {}, `${field.title} ${figure(probe.value, field.unit)}`));
    tip.replaceChildren(...lines);
    const frame = holder.getBoundingClientRect();
    tip.style.left = `${event.clientX - frame.left + 12}px`;
    tip.style.top = `${event.clientY - frame.top + 12}px`;
  });
  return tip;
}

/** The last event, for a while after it happened. */
export function eventCaption(events: Event[], clock: Clock): HTMLElement {
  const caption = element("div", { class: "caption", "aria-live": "polite" });
  const shownFor = 0.15 * (clock.end - clock.start);
  const show = (): void => {
    const last = events.filter((event) => event.time <= clock.time + 1e-9).at(-1);
    caption.hidden = !last || clock.time - last.time > shownFor;
    if (!last || caption.hidden) return;
    const kind = element("span", { class: `kind ${eventTone(last.kind)}` }, last.kind);
    caption.replaceChildren(kind, ` ${last.what}`);
  };
  clock.listen(show);
  show();
  return caption;
}
