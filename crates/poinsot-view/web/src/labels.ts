// The names of tracks, written over each track.
import * as THREE from "three";
import { contactOff } from "./contact";
import { byId, make } from "./dom";
import type { Scenery, Status } from "./protocol";
import type { Stage } from "./stage";
import { cssColour } from "./swarm";
import type { World } from "./world";

interface Label {
  element: HTMLElement;
  why: HTMLElement;
  /** The body that is followed; null: the position below is fixed. */
  body: number | null;
  place: THREE.Vector3 | null;
}

export class Labels {
  private labels: Label[] = [];

  constructor(private stage: Stage) {}

  open(scenery: Scenery): void {
    byId("labels").replaceChildren();
    this.labels = scenery.tracks.length < 2 ? [] : scenery.tracks.map((track, k) => {
      const why = make("small", { hidden: true });
      const element = make("div", { class: "label", "data-label": k, hidden: true }, make("b", {}, track.label), why);
      element.style.setProperty("--colour", cssColour(track.colour));
      byId("labels").append(element);
      return { element, why, body: null, place: null };
    });
  }

  status(status: Status): void {
    this.labels.forEach(({ why }, k) => {
      const word = status.stopped[k] ? "stopped" : contactOff(status, k) ? "not simulated: contact" : "";
      why.hidden = !word;
      why.textContent = word;
    });
  }

  /** Chooses the positions of labels: over each track, or at the last body if tracks are in one place. */
  private settle(world: World): void {
    const { bodies } = world.scenery;
    const up = this.stage.camera.up;
    const origins = this.labels.map((_, t) => {
      const root = bodies.findIndex((b) => b.track === t && b.parent === null);
      return new THREE.Vector3().setFromMatrixPosition(world.bodies[Math.max(root, 0)]);
    });
    const together = origins.some((o, k) => k > 0 && o.distanceTo(origins[0]) < 1e-6 * this.stage.size);
    this.labels.forEach((label, t) => {
      const moving = bodies.flatMap((b, k) => (b.track === t && b.moves ? [k] : []));
      if (together && moving.length > 0) {
        label.body = moving[moving.length - 1];
        return;
      }
      const spots = moving.map((k) => world.centre(k));
      // a fast body must not carry the label away
      const masses = moving.map((k) => bodies[k].mass || 1e-9);
      const middle = new THREE.Vector3();
      spots.forEach((spot, k) => middle.addScaledVector(spot, masses[k] / masses.reduce((sum, m) => sum + m, 0)));
      const base = spots.length > 0 ? middle : origins[t];
      const top = Math.max(base.dot(up), ...spots.map((s) => s.dot(up)));
      label.place = base.clone().addScaledVector(up, top - base.dot(up) + 0.09 * this.stage.size);
    });
  }

  /** Moves the labels to their tracks, one above the other where they would overlap. */
  draw(world: World): void {
    if (this.labels.length === 0 || !world.frame) return;
    if (this.labels.every((l) => l.body === null && !l.place)) this.settle(world);
    const { clientWidth: width, clientHeight: height } = byId("labels");
    const spots = this.labels.map((label) => {
      const at = label.body === null ? (label.place ?? new THREE.Vector3()).clone() : world.centre(label.body);
      at.project(this.stage.camera);
      const [x, y] = [((at.x + 1) / 2) * width, ((1 - at.y) / 2) * height - 14];
      return { label, x, y, seen: at.z < 1 && Number.isFinite(x + y) };
    });
    const done: typeof spots = [];
    for (const spot of spots.sort((a, b) => b.y - a.y)) {
      const { element } = spot.label;
      element.hidden = !spot.seen;
      if (!spot.seen) continue;
      const [w, h] = [element.offsetWidth, element.offsetHeight];
      spot.x = Math.min(Math.max(spot.x, w / 2 + 4), width - w / 2 - 4);
      const near = done.filter((d) => Math.abs(d.x - spot.x) < (d.label.element.offsetWidth + w) / 2);
      for (const d of near) {
        const apart = (d.label.element.offsetHeight + h) / 2 + 2;
        if (Math.abs(spot.y - d.y) < apart) spot.y = d.y - apart;
      }
      done.push(spot);
      element.style.transform = `translate(${spot.x.toFixed(1)}px, ${spot.y.toFixed(1)}px) translate(-50%, -50%)`;
    }
  }
}
