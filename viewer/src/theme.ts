// Light and dark: as the system has it until somebody chooses.

export type Theme = "light" | "dark";

const KEY = "cupule-theme";
const system = matchMedia("(prefers-color-scheme: dark)");

export function currentTheme(): Theme {
  const chosen = document.documentElement.dataset.theme;
  if (chosen === "light" || chosen === "dark") return chosen;
  return system.matches ? "dark" : "light";
}

/** Restores the choice and calls back on every change. */
export function watchTheme(changed: (theme: Theme) => void): () => void {
  const kept = read();
  if (kept) document.documentElement.dataset.theme = kept;
  system.addEventListener("change", () => changed(currentTheme()));
  return () => {
    const next: Theme = currentTheme() === "dark" ? "light" : "dark";
    document.documentElement.dataset.theme = next;
    write(next);
    changed(next);
  };
}

// A page from disk may be refused storage; then the choice lasts as long as the page.
function read(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

function write(theme: Theme): void {
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    return;
  }
}
