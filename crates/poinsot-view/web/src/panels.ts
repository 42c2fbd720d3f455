// Panels next to the scene on wide screens, tabs of a sheet below it on narrow ones.
import { byId } from "./dom";

const NAMES = ["plots", "controls", "show", "about", "messages"];

function mark(name: string): void {
  document.body.dataset.tab = name;
  for (const tab of document.querySelectorAll<HTMLElement>("#tabs button")) {
    tab.setAttribute("aria-pressed", String(tab.dataset.tab === name));
  }
}

/** Opens a panel, in either layout. */
export function openPanel(name: string): void {
  const panel = byId(`panel-${name}`);
  panel.classList.remove("closed");
  panel.querySelector("h2 button")?.setAttribute("aria-expanded", "true");
  mark(name);
}

/** Lets headings fold their panels and tabs select them; a second press closes the sheet. */
export function startPanels(): void {
  for (const name of NAMES) {
    const panel = byId(`panel-${name}`);
    panel.querySelector("h2 button")?.addEventListener("click", (event) => {
      const closed = panel.classList.toggle("closed");
      (event.currentTarget as HTMLElement).setAttribute("aria-expanded", String(!closed));
    });
    byId(`tab-${name}`).addEventListener("click", () => mark(document.body.dataset.tab === name ? "none" : name));
  }
  mark("plots");
}
