// The gallery: a card for each exhibit.
import { byId, make } from "./dom";
import { address, gallery } from "./live";

export class Gallery {
  private asked = false;
  /** Whether there is a scene to go back to. */
  private hasScene = false;

  constructor(private open: (name: string) => void) {
    byId("gallery-button").addEventListener("click", () => this.toggle());
    addEventListener("hashchange", () => this.show(location.hash === "#gallery" || !this.hasScene));
  }

  get shown(): boolean {
    return !byId("gallery").hidden;
  }

  toggle(): void {
    location.hash = this.shown && this.hasScene ? "" : "gallery";
  }

  /** A scene has arrived: it is shown unless the address names the gallery. */
  scene(name: string): void {
    this.hasScene = name !== "";
    this.show(!this.hasScene || location.hash === "#gallery");
  }

  /** Shows the scene; the browser's Back button returns to the gallery. */
  leave(): void {
    if (location.hash === "#gallery") history.pushState(null, "", location.pathname + location.search);
    this.show(false);
  }

  private show(on: boolean): void {
    byId("gallery").hidden = !on;
    byId("gallery-button").setAttribute("aria-pressed", String(on));
    if (on && !this.asked) this.fetch();
  }

  private async fetch(): Promise<void> {
    this.asked = true;
    const list = byId("exhibits");
    try {
      const cards = (await gallery()).map((exhibit) => make("button", {
        class: "exhibit", "data-exhibit": exhibit.name, click: () => this.choose(exhibit.name),
      },
      make("img", {
        src: address(`thumbnail/${encodeURIComponent(exhibit.name)}.png`), alt: "", loading: "lazy",
        error: (event) => (event.target as HTMLElement).removeAttribute("src"),
      }),
      make("strong", {}, exhibit.title), make("span", {}, exhibit.physics)));
      list.replaceChildren(...cards);
    } catch (error) {
      this.asked = false;
      list.replaceChildren(make("p", {}, `The gallery did not come: ${(error as Error).message}`));
    }
  }

  private choose(name: string): void {
    this.leave();
    this.hasScene = true;
    this.open(name);
  }
}
