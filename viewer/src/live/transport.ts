// Play, pause, step, begin anew, speed; and how fast it really goes.
import { element, iconButton, relabel } from "../dom";
import { seconds, short } from "../units";
import type { Link, Update } from "./link";

const SPEEDS: [string, number | null][] = [
  ["0.05 ×", 0.05],
  ["0.1 ×", 0.1],
  ["0.25 ×", 0.25],
  ["0.5 ×", 0.5],
  ["real time", 1],
  ["2 ×", 2],
  ["as fast as can be", null],
];

export interface LiveTransport {
  root: HTMLElement;
  toggle(): void;
  step(): void;
  reset(): void;
  changeSpeed(places: number): void;
  show(update: Update, framesPerSecond: number): void;
}

export function liveTransport(link: Link, timeStep: number): LiveTransport {
  let now: Update | null = null;
  const toggle = (): void => link.send({ do: now?.playing ? "pause" : "play" });
  const step = (): void => link.send({ do: "step" });
  const reset = (): void => link.send({ do: "reset" });
  const play = iconButton("play", "Play", toggle, "space");
  play.classList.add("primary");
  const speed = element("select", { "aria-label": "Speed", title: "Simulated seconds a second ([ and ])" });
  for (const [label, value] of SPEEDS) speed.append(element("option", { value: String(value) }, label));
  const choose = (index: number): void => link.send({ do: "speed", value: SPEEDS[index][1] });
  speed.addEventListener("change", () => choose(speed.selectedIndex));
  const changeSpeed = (places: number): void => choose(Math.min(Math.max(speed.selectedIndex + places, 0), SPEEDS.length - 1));
  const time = element("output", { class: "time", "aria-label": "Time" });
  const gauge = (label: string): [HTMLElement, HTMLElement] => {
    const value = element("output", { class: "figure", "aria-label": label });
    return [element("span", { class: "gauge" }, value, element("span", { class: "unit" }, label)), value];
  };
  const [factorBox, factor] = gauge("real-time factor");
  const [stepBox, stepTime] = gauge("step time");
  const [rateBox, rate] = gauge("frames a second");
  const buttons = element(
    "div",
    { class: "buttons" },
    iconButton("restart", "Begin anew", reset, "Home"),
    play,
    iconButton("forward", "One step", step, "→"),
  );
  const root = element("div", { class: "transport live", role: "group", "aria-label": "Simulation" }, buttons, time, speed, factorBox, stepBox, rateBox);
  const show = (update: Update, framesPerSecond: number): void => {
    now = update;
    time.textContent = `${seconds(update.time, timeStep)} s`;
    speed.value = String(update.speed);
    factor.textContent = update.playing ? `${short(update.real_time_factor, 3)} ×` : "–";
    stepTime.textContent = update.steps > 0 ? `${short(update.step_ms, 3)} ms` : "–";
    rate.textContent = update.playing ? String(Math.round(framesPerSecond)) : "–";
    const wanted = update.playing ? "Pause" : "Play";
    if (play.getAttribute("aria-label") !== wanted) relabel(play, update.playing ? "pause" : "play", wanted, "space");
    play.disabled = update.failure !== null;
  };
  return { root, toggle, step, reset, changeSpeed, show };
}
