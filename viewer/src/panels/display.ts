// What is drawn and how: bodies, colours, wireframe, cut, arrows and volumes.
import type { Cast, LayerHead } from "../data/frames";
import { element } from "../dom";
import type { Cut, Theatre } from "../view/theatre";

export interface DisplayPanel {
  root: HTMLElement;
  toggleWireframe(): void;
  toggleMesh(): void;
  toggleCut(): void;
  nextField(): void;
}

export function displayPanel(cast: Cast, theatre: Theatre, changed: () => void): DisplayPanel {
  const apply = (): void => {
    theatre.refresh();
    changed();
  };
  const ofMoment = check("Range of this moment", false, (on) => {
    theatre.wishes.ofMoment = on;
    apply();
  });
  ofMoment.title = "Colours from the least to the largest figure of this moment, not of the whole run";
  ofMoment.hidden = true;
  const colour = colourChoice(theatre, () => {
    ofMoment.hidden = theatre.field === undefined;
    apply();
  });
  const wireframe = check("Wireframe", false, (on) => {
    theatre.wishes.wireframe = on;
    apply();
  });
  const mesh = check("FEM mesh", false, (on) => {
    theatre.wishes.mesh = on;
    apply();
  });
  mesh.hidden = !theatre.hasCells;
  const cut = cutControls(theatre, apply);
  const press = (label: HTMLElement) => (): void => label.querySelector("input")?.click();
  const root = element(
    "div",
    { class: "display" },
    element("section", {}, element("h2", {}, "Colour by"), colour, ofMoment),
    element("section", {}, element("h2", {}, "Show"), wireframe, mesh, cut, ...layerChecks(cast.layers, theatre, apply)),
    bodyList(cast, theatre, apply),
  );
  return {
    root,
    toggleWireframe: press(wireframe),
    toggleMesh: press(mesh),
    toggleCut: press(cut),
    nextField: () => {
      colour.selectedIndex = (colour.selectedIndex + 1) % colour.options.length;
      colour.dispatchEvent(new Event("change"));
    },
  };
}

function check(label: string, on: boolean, change: (on: boolean) => void, ...before: Node[]): HTMLLabelElement {
  const box = element("input", { type: "checkbox" });
  box.checked = on;
  box.addEventListener("change", () => change(box.checked));
  return element("label", { class: "check" }, box, ...before, element("span", { class: "name", title: label }, label));
}

function colourChoice(theatre: Theatre, apply: () => void): HTMLSelectElement {
  const choice = element("select", { "aria-label": "Colour by" }, element("option", { value: "" }, "Body"));
  for (const field of theatre.fields) choice.append(element("option", { value: field.name }, field.title));
  choice.addEventListener("change", () => {
    theatre.wishes.field = choice.value;
    apply();
  });
  return choice;
}

function layerChecks(layers: LayerHead[], theatre: Theatre, apply: () => void): HTMLElement[] {
  const checks = layers.flatMap((layer, index) => {
    if (layer.kind === "field") return [];
    const set = (on: boolean): void => {
      if (on) theatre.wishes.hiddenLayers.delete(index);
      else theatre.wishes.hiddenLayers.add(index);
      apply();
    };
    return [check(layer.title, true, set)];
  });
  if (!layers.some((layer) => layer.kind === "arrows")) return checks;
  const length = element("input", { type: "range", min: -2, max: 2, step: 0.1, value: 0, "aria-label": "Length of arrows" });
  length.addEventListener("input", () => {
    theatre.wishes.arrowScale = 2 ** Number(length.value);
    apply();
  });
  return [...checks, element("label", { class: "row" }, element("span", {}, "Arrows"), length)];
}

function cutControls(theatre: Theatre, apply: () => void): HTMLElement {
  const cut: Cut = { axis: 1, place: 0.5, flipped: true };
  const axis = element("select", { "aria-label": "Axis of the cut" });
  for (const [index, name] of ["x", "y", "z"].entries()) axis.append(element("option", { value: index }, name));
  axis.value = "1";
  const place = element("input", { type: "range", min: 0, max: 1, step: "any", value: 0.5, "aria-label": "Place of the cut" });
  const flip = element("button", { type: "button", class: "small" }, "Flip");
  const controls = element("div", { class: "row cut" }, axis, place, flip);
  controls.hidden = true;
  const box = check("Cut plane", false, (on) => {
    controls.hidden = !on;
    theatre.wishes.cut = on ? cut : null;
    apply();
  });
  axis.addEventListener("change", () => {
    cut.axis = Number(axis.value) as Cut["axis"];
    apply();
  });
  place.addEventListener("input", () => {
    cut.place = Number(place.value);
    apply();
  });
  flip.addEventListener("click", () => {
    cut.flipped = !cut.flipped;
    apply();
  });
  return element("div", {}, box, controls);
}

function bodyList(cast: Cast, theatre: Theatre, apply: () => void): HTMLElement {
  const checks = cast.bodies.map((body, index) => {
    const swatch = element("span", { class: "swatch" });
    swatch.style.background = body.colour;
    const set = (on: boolean): void => {
      if (on) theatre.wishes.hidden.delete(index);
      else theatre.wishes.hidden.add(index);
      apply();
    };
    return check(body.name, true, set, swatch);
  });
  const all = element("button", { type: "button", class: "small" }, "All / none");
  all.addEventListener("click", () => {
    const on = theatre.wishes.hidden.size > 0;
    theatre.wishes.hidden = new Set(on ? [] : cast.bodies.keys());
    for (const label of checks) (label.firstElementChild as HTMLInputElement).checked = on;
    apply();
  });
  const title = element("h2", {}, `Bodies (${cast.bodies.length})`);
  return element("section", { class: "bodies" }, element("div", { class: "row" }, title, all), element("div", { class: "list" }, ...checks));
}
