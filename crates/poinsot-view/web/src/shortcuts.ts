// Keyboard shortcuts; they are listed in the help, where they can be switched off.
import { byId, make } from "./dom";

export interface Shortcut {
  key: string;
  says: string;
  shown?: string;
  does: (key: string) => void;
}

const MEMORY = "poinsot.shortcuts";

/** Storage may be forbidden, as in local files and private windows. */
function remember(on?: boolean): boolean {
  try {
    if (on !== undefined) localStorage.setItem(MEMORY, on ? "on" : "off");
    return localStorage.getItem(MEMORY) !== "off";
  } catch {
    return on ?? true;
  }
}

export function startShortcuts(list: Shortcut[]): void {
  const help = byId<HTMLDialogElement>("help");
  const box = byId<HTMLInputElement>("shortcuts-on");
  box.checked = remember();
  document.body.classList.toggle("keys-off", !box.checked);
  box.addEventListener("change", () => {
    remember(box.checked);
    document.body.classList.toggle("keys-off", !box.checked);
  });
  byId("shortcuts").replaceChildren(...list.flatMap((s) => [
    make("dt", {}, make("kbd", {}, s.shown ?? s.key)), make("dd", {}, s.says),
  ]));
  byId("help-button").addEventListener("click", () => help.showModal());
  help.addEventListener("click", (event) => event.target === help && help.close());
  // a clicked button gives up the focus, so that the space bar plays and pauses
  addEventListener("click", (event) => event.detail > 0 && (event.target as HTMLElement).closest?.("button")?.blur());
  addEventListener("keydown", (event) => {
    const target = event.target as HTMLElement;
    const writing = target.matches?.("input:not([type=range]):not([type=checkbox]), textarea, select");
    if (!box.checked || writing || help.open || event.ctrlKey || event.altKey || event.metaKey) return;
    // space on a focused button presses that button
    if (event.key === " " && target.matches?.("button, summary, input[type=checkbox]") && target.id !== "play") return;
    const found = list.find((s) => s.key.split("").includes(event.key));
    if (!found) return;
    event.preventDefault();
    found.does(event.key);
  });
}
