// The live page: a simulation that runs, to see and to steer.
import type { Event } from "./data/container";
import type { Cast } from "./data/frames";
import { element, iconButton, plainName, save } from "./dom";
import { onKeys } from "./keys";
import type { Bytes } from "./live/bytes";
import { LiveCharts } from "./live/charts";
import { controlsPanel } from "./live/controls";
import { LiveFrames } from "./live/frames";
import { Grab } from "./live/grab";
import { type Hello, Link, type Update } from "./live/link";
import { LiveSeries } from "./live/series";
import { liveTransport } from "./live/transport";
import { displayPanel } from "./panels/display";
import { helpDialog } from "./panels/help";
import { axes, colourBar, probeTip, volumeLabels } from "./panels/overlay";
import { scenePanel } from "./panels/scene";
import { eventTone } from "./panels/summary";
import { tabbed } from "./panels/tabs";
import { currentTheme, watchTheme } from "./theme";
import { figure, short } from "./units";
import { Theatre } from "./view/theatre";

const KEYS: [string, string][] = [
  ["space", "play or pause"],
  ["→", "one step"],
  ["Home", "begin anew"],
  ["[ ]", "slower, faster"],
  ["R", "reset the view"],
  ["C", "next colouring"],
  ["W M X", "wireframe, FEM mesh, cut plane"],
  ["1 2 3", "controls, charts, scene"],
  ["P", "save a picture"],
  ["T", "light or dark"],
  ["?", "this help"],
];
const MOUSE =
  "Drag a body to pull on it. Drag beside it, or with shift, to turn; with the right button to move; wheel to zoom. Click a body to see where it is.";

/** Figures change so often that nobody could read them faster; painting them takes time that the picture needs. */
const FIGURES_MS = 150;
/** An event is shown for so many milliseconds. */
const CAPTION_MS = 4000;

/** The page of one simulation. */
class Live {
  private readonly cast: Cast;
  private readonly frames: LiveFrames;
  private readonly series = new LiveSeries();
  private readonly events: Event[] = [];
  private readonly viewport = element("main", { class: "viewport" });
  private readonly badge = element("span", { class: "badge good", role: "status" }, "Live");
  private readonly caption = element("div", { class: "caption", "aria-live": "polite" });
  private readonly left = element("aside", { class: "left", "aria-label": "Display" });
  private readonly charts: LiveCharts;
  private readonly controls;
  private readonly transport;
  private theatre: Theatre | null = null;
  private grab: Grab | null = null;
  private bar: ReturnType<typeof colourBar> | null = null;
  private shownAt: number[] = [];
  private generation = 0;
  private captioned = 0;
  private said = 0;
  private state = "";

  constructor(
    private readonly page: HTMLElement,
    private readonly hello: Hello,
    head: ArrayBuffer,
    private readonly link: Link,
  ) {
    this.frames = new LiveFrames(head);
    this.cast = { bodies: hello.bodies, layers: this.frames.layers, scale: hello.scale, largest_displacement: 0 };
    this.charts = new LiveCharts(this.series, this.cast, this.events);
    this.controls = controlsPanel(hello.controls, link);
    this.transport = liveTransport(link, hello.time_step);
    document.title = `${hello.scene} – Cupule live`;
    this.caption.hidden = true;
    link.send({ do: "ready" });
  }

  /** `bytes` stands at the figures of the new rows; a frame comes after them. */
  update(update: Update, bytes: Bytes): void {
    if (update.generation !== this.generation) this.restart(update.generation);
    if (update.columns) this.series.setColumns(update.columns);
    this.series.add(bytes.floats(update.rows * (this.series.names.length + 1)), update.rows);
    this.frames.read(bytes, this.cast);
    this.events.push(...update.events);
    if (!this.page.dataset.ready) this.build();
    this.say(update);
    requestAnimationFrame(() => {
      this.theatre?.stage.setPlaying(update.playing || update.pull !== null);
      this.theatre?.show(0);
      this.grab?.show(update);
      this.bar?.show(this.theatre);
      this.charts.refresh(!update.playing);
      this.link.send({ do: "ready" });
    });
  }

  refused(why: string): void {
    this.tell("bad", "refused", why);
  }

  cutOff(): void {
    this.badge.textContent = "Cut off";
    this.badge.className = "badge bad";
    this.tell("bad", "cut off", "the simulation does not answer; is it still running?");
  }

  private restart(generation: number): void {
    this.generation = generation;
    this.series.restart();
    this.charts.restart();
    this.frames.restart(this.cast);
    this.events.length = 0;
  }

  private say(update: Update): void {
    const now = performance.now();
    this.shownAt.push(now);
    if (this.shownAt.length > 30) this.shownAt.shift();
    // What a hand has done is answered at once.
    const state = `${update.playing} ${update.generation} ${update.failure} ${update.pull === null} ${update.controls.map((c) => c.by_hand && c.value)}`;
    if (update.events.length === 0 && state === this.state && update.playing && now - this.said < FIGURES_MS) return;
    this.said = now;
    this.theatre?.follow();
    this.state = state;
    const span = (this.shownAt[this.shownAt.length - 1] - this.shownAt[0]) / 1000;
    this.transport.show(update, span > 0 ? (this.shownAt.length - 1) / span : 0);
    this.controls.show(update);
    const [word, tone] = update.failure ? ["Simulation failed", "bad"] : update.playing ? ["Live", "good"] : ["Paused", "warn"];
    this.badge.textContent = word;
    this.badge.className = `badge ${tone}`;
    this.badge.title = update.failure ?? "";
    const last = update.events.at(-1);
    if (last) this.tell(eventTone(last.kind), `${short(last.time, 4)} s ${last.kind}`, last.what);
    if (update.failure) this.tell("bad", "failed", update.failure);
    else if (update.pull) this.tell("plain", "pull", `${this.cast.bodies[update.pull.body].name} with ${figure(update.pull.force, "N", 3)}`);
    else if (performance.now() - this.captioned > CAPTION_MS) this.caption.hidden = true;
  }

  private tell(tone: string, kind: string, what: string): void {
    this.captioned = performance.now();
    this.caption.hidden = false;
    this.caption.replaceChildren(element("span", { class: `kind ${tone}` }, kind), ` ${what}`);
  }

  private build(): void {
    const { hello, page, left, viewport } = this;
    const help = helpDialog(KEYS, MOUSE);
    const tabs = tabbed(
      [
        ["Controls", this.controls.root],
        ["Charts", this.charts.root],
        ["Scene", scenePanel(hello.text, hello.scene)],
      ],
      () => this.charts.refresh(true),
    );
    const columns = element("div", { class: "columns" }, left, viewport, tabs.root);
    page.replaceChildren(columns, this.transport.root, help);
    const display = this.buildStage();
    const takePicture = (): void => void this.picture();
    const switchTheme = watchTheme((theme) => {
      this.theatre?.setDark(theme === "dark");
      this.charts.redraw();
    });
    this.theatre?.setDark(currentTheme() === "dark");
    const tools = [
      iconButton("picture", "Save a picture", takePicture, "P"),
      iconButton("theme", "Light or dark", switchTheme, "T"),
      iconButton("help", "Keys and mouse", () => help.showModal(), "?"),
    ];
    page.prepend(
      element(
        "header",
        {},
        element("span", { class: "brand" }, "Cupule"),
        element("h1", { title: hello.scene }, hello.scene),
        this.badge,
        element("span", { class: "facts" }, hello.title),
        element("span", { class: "tools" }, ...tools),
      ),
    );
    const { toggle, step, reset, changeSpeed } = this.transport;
    onKeys(
      {
        " ": toggle,
        ArrowRight: step,
        Home: reset,
        "[": () => changeSpeed(-1),
        "]": () => changeSpeed(1),
        r: () => this.theatre?.stage.reset(),
        c: () => display?.nextField(),
        w: () => display?.toggleWireframe(),
        m: () => display?.toggleMesh(),
        x: () => display?.toggleCut(),
        "1": () => tabs.select(0),
        "2": () => tabs.select(1),
        "3": () => tabs.select(2),
        p: takePicture,
        t: switchTheme,
        "?": () => help.showModal(),
      },
      help,
    );
    page.dataset.ready = "true";
  }

  /** The 3-D part, or a word on why there is none. */
  private buildStage(): ReturnType<typeof displayPanel> | null {
    const { cast, frames, viewport, left, link } = this;
    let theatre: Theatre;
    try {
      theatre = new Theatre(viewport, cast, frames, 0.12);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      viewport.append(element("p", { class: "nothing" }, `The bodies cannot be drawn in this browser (${why}). Controls and charts work.`));
      left.hidden = true;
      return null;
    }
    this.theatre = theatre;
    this.bar = colourBar(cast.scale);
    const cross = axes(theatre);
    const display = displayPanel(cast, theatre, () => this.bar?.show(theatre));
    left.append(display.root);
    const reset = iconButton("home", "Reset the view", () => theatre.stage.reset(), "R");
    reset.classList.add("float");
    const labels = volumeLabels(theatre, viewport);
    viewport.append(labels.root, cross.root, this.bar.root, reset, this.caption, probeTip(viewport, theatre, cast));
    theatre.stage.before = () => {
      cross.show();
      labels.show();
    };
    this.grab = new Grab(viewport, theatre, cast, link);
    return display;
  }

  private async picture(): Promise<void> {
    if (!this.theatre) return;
    const background = getComputedStyle(document.documentElement).getPropertyValue("--stage").trim();
    save(`${plainName(this.hello.scene)}-${this.frames.time.toFixed(3)}s.png`, await this.theatre.stage.picture(background));
  }
}

function start(page: HTMLElement): void {
  let live: Live | null = null;
  const waiting = element("p", { class: "nothing", role: "status" }, "Waiting for the simulation …");
  page.replaceChildren(waiting);
  const link = new Link({
    greeted: (hello, head) => {
      // Another simulation may listen there by now: everything is built from scratch.
      delete page.dataset.ready;
      live = new Live(page, hello, head, link);
    },
    updated: (update, bytes) => live?.update(update, bytes),
    refused: (why) => live?.refused(why),
    cutOff: () => {
      live?.cutOff();
      waiting.textContent = "The simulation does not answer. Is it still running?";
    },
  });
}

const page = document.getElementById("page");
if (page) start(page);
