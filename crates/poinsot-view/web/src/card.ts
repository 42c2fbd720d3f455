// The text over the scene: what the exhibit shows, and what is selected.
import { byId, make, short } from "./dom";
import type { Scenery } from "./protocol";
import type { World } from "./world";

/** Shows the text of an exhibit. */
export function fillCard(scenery: Scenery): void {
  const title = scenery.title || scenery.name;
  document.title = title ? `${title} · Poinsot` : "Poinsot";
  byId("title").textContent = title;
  const lines: [string, string, string][] = [["physics", "", scenery.physics], ["try", "Try: ", scenery.try], ["watch", "Watch: ", scenery.watch]];
  byId("words").replaceChildren(...lines.filter(([, , text]) => text).map(([id, lead, text]) =>
    make("p", { id: `about-${id}` }, lead && make("b", {}, lead), text)));
  byId("panel-about").classList.toggle("empty", byId("words").childElementCount === 0);
}

/** Shows the data of the selected body. */
export function fillSelection(world: World | null): void {
  const body = world && world.selected >= 0 ? world.scenery.bodies[world.selected] : null;
  byId("selection").hidden = !body;
  if (!world || !body || !world.frame) return;
  const pose = world.frame.poses.subarray(7 * world.selected, 7 * world.selected + 7);
  const track = world.scenery.tracks.length > 1 ? `, ${world.scenery.tracks[body.track]?.label}` : "";
  byId("selected-name").textContent = `${body.name || `body ${world.selected}`}${track}`;
  byId("selected-mass").textContent = `${short(body.mass)} kg${body.moves ? "" : ", does not move"}`;
  byId("selected-place").textContent = `${[...pose.subarray(0, 3)].map((x) => x.toFixed(3)).join("  ")} m`;
  byId("selected-turn").textContent = [...pose.subarray(3)].map((x) => x.toFixed(3)).join("  ");
}
