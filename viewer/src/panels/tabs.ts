// Panels of which one is seen.
import { element } from "../dom";

export interface Tabs {
  root: HTMLElement;
  select(index: number): void;
}

export function tabbed(tabs: [string, HTMLElement][], switched: () => void): Tabs {
  const list = element("div", { role: "tablist", class: "tabs", "aria-label": "Figures" });
  const panels = tabs.map(([title, content], index) => {
    const tab = element("button", { type: "button", role: "tab", id: `tab-${index}`, "aria-controls": `panel-${index}` }, title);
    tab.addEventListener("click", () => select(index));
    list.append(tab);
    return element("div", { role: "tabpanel", id: `panel-${index}`, class: "panel", "aria-labelledby": `tab-${index}` }, content);
  });
  const select = (chosen: number): void => {
    panels.forEach((panel, index) => {
      panel.hidden = index !== chosen;
      const tab = list.children[index];
      tab.setAttribute("aria-selected", String(index === chosen));
      tab.setAttribute("tabindex", index === chosen ? "0" : "-1");
    });
    switched();
  };
  list.addEventListener("keydown", (event) => {
    const way = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (way === 0) return;
    event.stopPropagation();
    const now = panels.findIndex((panel) => !panel.hidden);
    const next = (now + way + panels.length) % panels.length;
    select(next);
    (list.children[next] as HTMLElement).focus();
  });
  select(0);
  return { root: element("aside", { class: "right", "aria-label": "Figures" }, list, ...panels), select };
}
