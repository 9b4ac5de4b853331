// The report page: puts the parts together.
import { Clock } from "./clock";
import { Container, type Header } from "./data/container";
import { Playback } from "./data/playback";
import { Series } from "./data/series";
import { element, iconButton, plainName, save } from "./dom";
import { type KeyActions, onKeys } from "./keys";
import { chartsPanel } from "./panels/charts";
import { type DisplayPanel, displayPanel } from "./panels/display";
import { helpDialog } from "./panels/help";
import { axes, colourBar, eventCaption, probeTip, volumeLabels } from "./panels/overlay";
import { outcomeOf, summaryPanel } from "./panels/summary";
import { scenePanel } from "./panels/scene";
import { type Tabs, tabbed } from "./panels/tabs";
import { changeSpeed, stepFrames, transport } from "./panels/transport";
import { currentTheme, watchTheme } from "./theme";
import { short } from "./units";
import { Theatre } from "./view/theatre";

function start(page: HTMLElement): void {
  const container = Container.ofPage(document);
  const { header } = container;
  const playback = new Playback(container);
  const series = new Series(container);
  const name = header.summary?.scene || "run";
  document.title = `${name} – Cupule`;
  const clock = new Clock(playback.times[0] ?? 0, playback.times.at(-1) ?? 0);

  const viewport = element("main", { class: "viewport" });
  const display = element("aside", { class: "left", "aria-label": "Display" });
  const charts = chartsPanel(series, header, clock);
  const panels: [string, HTMLElement][] = [
    ["Charts", charts.root],
    ["Summary", summaryPanel(header, clock)],
    ["Scene", scenePanel(header.scene, name)],
  ];
  const tabs = tabbed(panels, charts.show);
  const events = header.summary?.events ?? [];
  const help = helpDialog();
  const body = element("div", { class: "columns" }, display, viewport, tabs.root);
  page.replaceChildren(body, transport(clock, playback, events), help);

  const stage = setUpStage(viewport, display, container, playback, clock);
  const switchTheme = watchTheme((theme) => {
    stage?.theatre.setDark(theme === "dark");
    charts.redraw();
  });
  stage?.theatre.setDark(currentTheme() === "dark");
  const takePicture = (): void => void stage?.picture(plainName(name));
  const saveSeries = (): void => save(`${plainName(name)}-series.csv`, new Blob([series.csv()], { type: "text/csv" }));
  const tools = [
    iconButton("download", "Save the series as CSV", saveSeries),
    iconButton("picture", "Save a picture", takePicture, "P"),
    iconButton("theme", "Light or dark", switchTheme, "T"),
    iconButton("help", "Keys and mouse", () => help.showModal(), "?"),
  ];
  page.prepend(titleBar(header, name, tools, () => tabs.select(1)));
  if (header.summary?.failure || (header.summary?.expect ?? []).some((expectation) => !expectation.ok)) tabs.select(1);
  keys({ clock, playback, stage, tabs, help, takePicture, switchTheme });
  page.dataset.ready = "true";
  performance.mark("cupule-ready");
}

interface StageParts {
  theatre: Theatre;
  display: DisplayPanel;
  picture(name: string): Promise<void>;
}

/** The 3-D part, or a word on why there is none; charts and figures work without. */
function setUpStage(
  viewport: HTMLElement,
  left: HTMLElement,
  container: Container,
  playback: Playback,
  clock: Clock,
): StageParts | null {
  const { header } = container;
  let theatre: Theatre;
  try {
    theatre = new Theatre(viewport, header, playback);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    viewport.append(element("p", { class: "nothing" }, `The bodies cannot be drawn in this browser (${why}). Charts and figures are complete.`));
    left.hidden = true;
    return null;
  }
  const bar = colourBar(header.scale);
  const cross = axes(theatre);
  const display = displayPanel(header, theatre, () => bar.show(theatre));
  left.append(display.root);
  const reset = iconButton("home", "Reset the view", () => theatre.stage.reset(), "R");
  reset.classList.add("float");
  const labels = volumeLabels(theatre, viewport);
  viewport.append(labels.root, cross.root, bar.root, reset, eventCaption(header.summary?.events ?? [], clock), probeTip(viewport, theatre, header));
  theatre.stage.before = () => {
    cross.show();
    labels.show();
  };
  let shown = -1;
  clock.listen(() => {
    theatre.stage.setPlaying(clock.playing);
    const frame = playback.frameAt(clock.time);
    if (frame === shown) return;
    shown = frame;
    theatre.show(frame);
    bar.show(theatre);
    if (clock.playing) setTimeout(() => playback.prepareAfter(frame));
  });
  const picture = async (name: string): Promise<void> => {
    const background = getComputedStyle(document.documentElement).getPropertyValue("--stage").trim();
    save(`${name}-${clock.time.toFixed(3)}s.png`, await theatre.stage.picture(background));
  };
  return { theatre, display, picture };
}

function titleBar(header: Header, name: string, tools: Node[], openSummary: () => void): HTMLElement {
  const { summary } = header;
  const outcome = outcomeOf(summary);
  const badge = element("button", { type: "button", class: `badge ${outcome.tone}`, title: outcome.cause || "See the summary" }, outcome.word);
  badge.addEventListener("click", openSummary);
  const facts = summary
    ? [`${short(summary.sim_time ?? 0)} s`, `${summary.steps ?? 0} steps`, `${short(summary.real_time_factor ?? NaN, 3)} × real time`, summary.solver ?? ""]
    : [];
  const title = summary?.title ? [element("span", { class: "title", title: summary.title }, summary.title)] : [];
  return element(
    "header",
    {},
    element("span", { class: "brand" }, "Cupule"),
    element("h1", { title: name }, name),
    ...title,
    badge,
    element("span", { class: "facts list" }, ...facts.flatMap((fact, index) => [" ", element("span", {}, index > 0 ? `· ${fact}` : fact)])),
    element("span", { class: "tools" }, ...tools),
  );
}

interface Keyed {
  clock: Clock;
  playback: Playback;
  stage: StageParts | null;
  tabs: Tabs;
  help: HTMLDialogElement;
  takePicture(): void;
  switchTheme(): void;
}

function keys({ clock, playback, stage, tabs, help, takePicture, switchTheme }: Keyed): void {
  const step = (event: KeyboardEvent, way: number) => stepFrames(clock, playback, way * (event.shiftKey ? 10 : 1));
  const actions: KeyActions = {
    " ": () => clock.toggle(),
    ArrowLeft: (event) => step(event, -1),
    ArrowRight: (event) => step(event, 1),
    Home: () => clock.seek(clock.start),
    End: () => clock.seek(clock.end),
    "[": () => changeSpeed(clock, -1),
    "]": () => changeSpeed(clock, 1),
    l: () => clock.setLoop(!clock.loop),
    r: () => stage?.theatre.stage.reset(),
    c: () => stage?.display.nextField(),
    w: () => stage?.display.toggleWireframe(),
    m: () => stage?.display.toggleMesh(),
    x: () => stage?.display.toggleCut(),
    "1": () => tabs.select(0),
    "2": () => tabs.select(1),
    "3": () => tabs.select(2),
    p: takePicture,
    t: switchTheme,
    "?": () => help.showModal(),
  };
  onKeys(actions, help);
}

const page = document.getElementById("page");
if (page) {
  try {
    start(page);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    page.replaceChildren(element("p", { class: "nothing", role: "alert" }, `This page cannot show its run: ${why}`));
    page.dataset.ready = "failed";
  }
}
