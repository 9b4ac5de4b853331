// The keys, in a dialog.
import { element, iconButton } from "../dom";

const KEYS: [string, string][] = [
  ["space", "play or pause"],
  ["← →", "one frame back or on (with shift: ten)"],
  ["Home End", "to the start or the end"],
  ["[ ]", "slower, faster"],
  ["L", "repeat"],
  ["R", "reset the view"],
  ["C", "next colouring"],
  ["W M X", "wireframe, FEM mesh, cut plane"],
  ["1 2 3", "charts, summary, scene"],
  ["P", "save a picture"],
  ["T", "light or dark"],
  ["?", "this help"],
];

const MOUSE =
  "Drag to turn, drag with the right button to move, wheel to zoom; click a body to see where it is. Click or drag in a chart to go to that time.";

export function helpDialog(keys = KEYS, mouse = MOUSE): HTMLDialogElement {
  const rows = keys.map(([key, what]) => element("tr", {}, element("td", {}, element("kbd", {}, key)), element("td", {}, what)));
  const dialog = element("dialog", { "aria-label": "Keys and mouse" });
  const close = iconButton("close", "Close", () => dialog.close());
  dialog.append(
    element("div", { class: "row" }, element("h2", {}, "Keys and mouse"), close),
    element("table", {}, element("tbody", {}, ...rows)),
    element("p", {}, mouse),
  );
  return dialog;
}
