// What lies over the 3-D picture: colour bar, axes, what is under the pointer, the event of the moment.
import * as THREE from "three";
import type { Clock } from "../clock";
import type { Event } from "../data/container";
import type { Cast } from "../data/frames";
import { element } from "../dom";
import { figure, scaleFor, short } from "../units";
import type { Field } from "../view/fields";
import type { Theatre } from "../view/theatre";
import { eventTone } from "./summary";

export function colourBar(steps: string[]): { root: HTMLElement; show(field: Field | undefined): void } {
  const title = element("span", { class: "title" });
  const [low, middle, high] = ["", "", ""].map(() => element("span"));
  const ramp = element("div", { class: "ramp" });
  ramp.style.background = `linear-gradient(to right, ${steps.join(", ")})`;
  const root = element("div", { class: "colour-bar" }, title, ramp, element("div", { class: "ticks" }, low, middle, high));
  root.hidden = true;
  const show = (field: Field | undefined): void => {
    root.hidden = field === undefined;
    if (!field) return;
    const scale = scaleFor(Math.max(Math.abs(field.min), Math.abs(field.max)), field.unit);
    title.textContent = scale.unit ? `${field.title}, ${scale.unit}` : field.title;
    // What is rounding against the rest is nothing.
    const least = 1e-6 * Math.max(Math.abs(field.min), Math.abs(field.max));
    const tick = (value: number): string => short(Math.abs(value) < least ? 0 : value * scale.factor, 3);
    low.textContent = tick(field.min);
    middle.textContent = tick((field.min + field.max) / 2);
    high.textContent = tick(field.max);
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
  const show = (): void => {
    const turn = theatre.stage.camera.quaternion.clone().invert();
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
