// Play, step and slide through time; events stand on the slider.
import { type Clock, SPEEDS } from "../clock";
import type { Event } from "../data/container";
import type { Playback } from "../data/playback";
import { element, iconButton, relabel } from "../dom";
import { seconds, short } from "../units";
import { eventTone } from "./summary";

/** Steps from one frame to the next ones. */
export function stepFrames(clock: Clock, playback: Playback, frames: number): void {
  clock.pause();
  if (playback.count === 0) return;
  const next = Math.min(Math.max(playback.frameAt(clock.time) + frames, 0), playback.count - 1);
  clock.seek(playback.times[next]);
}

export function changeSpeed(clock: Clock, places: number): void {
  const next = SPEEDS.indexOf(clock.speed) + places;
  clock.setSpeed(SPEEDS[Math.min(Math.max(next, 0), SPEEDS.length - 1)]);
}

export function transport(clock: Clock, playback: Playback, events: Event[]): HTMLElement {
  const play = iconButton("play", "Play", () => clock.toggle(), "space");
  play.classList.add("primary");
  const loop = iconButton("loop", "Repeat", () => clock.setLoop(!clock.loop), "L");
  const speed = element("select", { "aria-label": "Speed of play", title: "Speed of play ([ and ])" });
  for (const value of SPEEDS) speed.append(element("option", { value }, `${value} ×`));
  speed.addEventListener("change", () => clock.setSpeed(Number(speed.value)));
  const time = element("output", { class: "time", "aria-label": "Time" });
  const slider = timeSlider(clock, playback, events);
  const root = element(
    "div",
    { class: "transport", role: "group", "aria-label": "Playback" },
    element(
      "div",
      { class: "buttons" },
      iconButton("first", "To the start", () => clock.seek(clock.start), "Home"),
      iconButton("back", "One frame back", () => stepFrames(clock, playback, -1), "←"),
      play,
      iconButton("forward", "One frame on", () => stepFrames(clock, playback, 1), "→"),
      iconButton("last", "To the end", () => clock.seek(clock.end), "End"),
      loop,
    ),
    slider,
    time,
    speed,
  );
  const gap = playback.count > 1 ? (clock.end - clock.start) / (playback.count - 1) : 0.01;
  const show = (): void => {
    time.textContent = `${seconds(clock.time, gap)} / ${seconds(clock.end, gap)} s`;
    speed.value = String(clock.speed);
    loop.setAttribute("aria-pressed", String(clock.loop));
    const wanted = clock.playing ? "Pause" : "Play";
    if (play.getAttribute("aria-label") !== wanted) relabel(play, clock.playing ? "pause" : "play", wanted, "space");
  };
  clock.listen(show);
  show();
  return root;
}

function timeSlider(clock: Clock, playback: Playback, events: Event[]): HTMLElement {
  const span = clock.end - clock.start;
  const range = element("input", { type: "range", min: clock.start, max: clock.end, step: "any", "aria-label": "Time" });
  range.disabled = playback.count < 2;
  const marks = element("div", { class: "marks" });
  // An event of a step that was not kept may lie outside.
  for (const event of events.filter(({ time }) => time >= clock.start && time <= clock.end)) {
    const label = `${short(event.time)} s: ${event.kind}: ${event.what}`;
    const mark = element("button", { type: "button", class: `event ${eventTone(event.kind)}`, title: label, "aria-label": label });
    mark.style.left = `${span > 0 ? (100 * (event.time - clock.start)) / span : 0}%`;
    mark.addEventListener("click", () => clock.seek(event.time));
    marks.append(mark);
  }
  range.addEventListener("input", () => {
    clock.pause();
    clock.seek(Number(range.value));
  });
  const show = (): void => {
    range.value = String(clock.time);
    range.setAttribute("aria-valuetext", `${short(clock.time)} seconds`);
    range.style.setProperty("--done", `${span > 0 ? (100 * (clock.time - clock.start)) / span : 0}%`);
  };
  clock.listen(show);
  show();
  return element("div", { class: "slider" }, marks, range);
}
