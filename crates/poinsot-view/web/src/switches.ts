// The panel of layers, with one checkbox for each.
import { byId, make } from "./dom";
import type { Wants } from "./wants";
import type { World } from "./world";

/** Fills the panel for a scene and sets the defaults. */
export function fillSwitches(world: World, wants: Wants): void {
  const rows = world.switches().map(({ key, label, on }, k) => {
    const show = (yes: boolean) => {
      wants.set(label, yes);
      world.show(key, yes);
    };
    const box = make("input", { type: "checkbox", id: `show-${k + 1}`, "data-show": key, change: () => show(box.checked) });
    box.checked = on;
    show(on);
    return make("label", { class: "check" }, box, make("span", {}, label), k < 9 && make("kbd", {}, String(k + 1)));
  });
  byId("switches").replaceChildren(...rows);
}

/** Toggles the switch with this number. */
export function flip(number: number): void {
  document.getElementById(`show-${number}`)?.click();
}
