// Keys that do something wherever the focus is.

export type KeyActions = Record<string, (event: KeyboardEvent) => void>;

export function onKeys(actions: KeyActions, help: HTMLDialogElement): void {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || help.open) return;
    const target = event.target as HTMLElement;
    // A control keeps the keys that it understands itself.
    const own = target.matches("select, input[type=range], pre") && /^(Arrow|Home|End|Page)/.test(event.key);
    const pressed = event.key === " " && target.matches("button, input[type=checkbox], select, summary");
    if (own && !target.closest(".slider")) return;
    if (pressed) return;
    const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!action) return;
    event.preventDefault();
    action(event);
  });
}
