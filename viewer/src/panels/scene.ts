// The scene file as it ran.
import { element, iconButton, plainName, save } from "../dom";

export function scenePanel(scene: string, name: string): HTMLElement {
  const text = element("pre", { tabindex: 0 }, scene || "The scene was not recorded.");
  const keep = iconButton("download", "Save the scene file", () => save(`${plainName(name)}.toml`, new Blob([scene], { type: "text/plain" })));
  return element("div", { class: "scene" }, element("div", { class: "row" }, element("h3", {}, "The scene as it ran"), keep), text);
}
