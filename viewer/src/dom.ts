// Elements without markup: text only ever gets in as text, so that no name can become code.

type Attributes = Record<string, string | number | boolean | undefined>;

export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) made.setAttribute(name, "");
    else if (value !== undefined && value !== false) made.setAttribute(name, String(value));
  }
  made.append(...children);
  return made;
}

/** A button with a drawn icon and a name for those who do not see it. */
export function iconButton(icon: IconName, label: string, press: () => void, key?: string): HTMLButtonElement {
  const title = key ? `${label} (${key})` : label;
  const button = element("button", { type: "button", class: "icon", "aria-label": label, title }, drawIcon(icon));
  button.addEventListener("click", press);
  return button;
}

/** Puts another icon and label on a button. */
export function relabel(button: HTMLButtonElement, icon: IconName, label: string, key?: string): void {
  button.replaceChildren(drawIcon(icon));
  button.setAttribute("aria-label", label);
  button.title = key ? `${label} (${key})` : label;
}

// Drawn on a grid of 24, lines of width 2.
const ICONS = {
  play: "M8 5.5v13l10.5-6.5z",
  pause: "M8.5 5.5v13M15.5 5.5v13",
  back: "M16 6l-7 6 7 6M6 6v12",
  forward: "M8 6l7 6-7 6M18 6v12",
  first: "M19 6l-6.5 6 6.5 6M11.5 6L5 12l6.5 6",
  last: "M5 6l6.5 6L5 18M12.5 6l6.5 6-6.5 6",
  restart: "M5 5v5h5M5.6 10A7.500 7.500 0 1 1 4.500 14",
  loop: "M17 3.5l3 3-3 3M20 6.5H8a4 4 0 0 0-4 4v1M7 20.5l-3-3 3-3M4 17.5h12a4 4 0 0 0 4-4v-1",
  home: "M4 9V5.5A1.5 1.5 0 0 1 5.500 4H9M15 4h3.500A1.500 1.500 0 0 1 20 5.500V9M20 15v3.500a1.500 1.500 0 0 1-1.500 1.500H15M9 20H5.500A1.500 1.500 0 0 1 4 18.500V15M12 9.500a2.500 2.500 0 1 0 0 5 2.500 2.500 0 0 0 0-5z",
  picture: "M4 8.500A1.500 1.500 0 0 1 5.500 7H8l1.500-2.500h5L16 7h2.500A1.500 1.500 0 0 1 20 8.500v9a1.500 1.500 0 0 1-1.500 1.500h-13A1.500 1.500 0 0 1 4 17.500zM12 9.500a3.500 3.500 0 1 0 0 7 3.500 3.500 0 0 0 0-7z",
  download: "M12 4v11M7.500 10.500L12 15l4.500-4.500M4.500 19.500h15",
  theme: "M12 4a8 8 0 1 0 0 16zM12 4a8 8 0 0 1 0 16",
  help: "M9 9.200a3 3 0 1 1 4.300 2.700c-.9.450-1.300 1-1.300 2.100M12 17.500v.1M12 3.500a8.500 8.500 0 1 0 0 17 8.500 8.500 0 0 0 0-17z",
  close: "M6 6l12 12M18 6L6 18",
  copy: "M9 9h10v11H9zM15 9V4H5v11h4",
} as const;

export type IconName = keyof typeof ICONS;

function drawIcon(name: IconName): SVGSVGElement {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(space, "path");
  path.setAttribute("d", ICONS[name]);
  if (name === "play") path.setAttribute("class", "solid");
  svg.append(path);
  return svg;
}

/** Hands a file to the person. */
export function save(name: string, blob: Blob): void {
  const url = URL.createObjectURL(blob);
  element("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** A name for a file that any system takes. */
export function plainName(name: string): string {
  return name.replace(/[^\p{L}\p{N}_-]+/gu, "_").slice(0, 80) || "run";
}
