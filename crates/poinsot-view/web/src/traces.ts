// Lines drawn by points of a scene: those of instruments, and the trails of bodies.
import * as THREE from "three";
import type { Frame } from "./frame";
import { Polyline } from "./polyline";
import type { Scenery } from "./protocol";
import { colourOf } from "./swarm";

/** The largest number of points of a line. */
const LONG = 20000;
const TRAIL = 3000;
/** With more bodies than this, only the selected one leaves a trail. */
const FEW = 40;
const PALETTE = [0x0072b2, 0xe69f00, 0x009e73, 0xcc79a7, 0x56b4e9, 0xd55e00];

export class Traces {
  readonly group = new THREE.Group();
  private lines: Polyline[];
  private trails = new Map<number, Polyline>();
  private trailing = false;
  private chosen = -1;

  constructor(private scenery: Scenery) {
    this.lines = scenery.traces.map((t) => new Polyline(colourOf(t.colour), t.lasts, LONG, 2.2));
    this.lines.forEach(({ line }, k) => {
      const { on } = scenery.traces[k];
      // lines on the far side of a solid are seen through it
      if (typeof on === "object" && "solid" in on) line.renderOrder = 1;
      this.group.add(line);
    });
  }

  /** Adds the points of a frame that is not from history. */
  add(frame: Frame): void {
    this.lines.forEach((line, k) => {
      const [x, y, z] = frame.traces.subarray(3 * k, 3 * k + 3);
      line.add(frame.time, x, y, z);
    });
    if (!this.trailing) return;
    const [at, turn, com] = [new THREE.Vector3(), new THREE.Quaternion(), new THREE.Vector3()];
    for (const [body, trail] of this.trails) {
      const pose = frame.poses.subarray(7 * body, 7 * body + 7);
      at.fromArray(pose);
      turn.set(pose[4], pose[5], pose[6], pose[3]);
      com.set(...this.scenery.bodies[body].com).applyQuaternion(turn).add(at);
      trail.add(frame.time, com.x, com.y, com.z);
    }
  }

  /** Draws the lines as of a time, each in the frame it belongs to. */
  show(time: number, bodies: THREE.Matrix4[], solid: (k: number) => THREE.Matrix4 | null,
    shown: (layer: string) => boolean): void {
    this.lines.forEach(({ line }, k) => {
      const { on, layer } = this.scenery.traces[k];
      line.visible = shown(layer);
      if (!line.visible) return;
      this.lines[k].show(time);
      if (on === "world") return;
      const place = "body" in on ? bodies[on.body] : solid(on.solid);
      if (place) line.matrix.copy(place);
    });
    for (const trail of this.trails.values()) trail.show(time);
  }

  /** Switches the trails of bodies on or off. */
  trail(on: boolean): void {
    this.trailing = on;
    this.choose(this.chosen);
  }

  /** Selects a body: with many bodies, only the selected one leaves a trail. */
  choose(body: number): void {
    this.chosen = body;
    const moving = this.scenery.bodies.flatMap((b, k) => (b.moves && b.mass > 0 ? [k] : []));
    const wanted = !this.trailing ? [] : moving.length <= FEW ? moving : moving.filter((k) => k === body);
    for (const [k, trail] of this.trails) {
      if (wanted.includes(k)) continue;
      trail.dispose();
      this.trails.delete(k);
    }
    for (const k of wanted) {
      if (this.trails.has(k)) continue;
      const { tracks, bodies } = this.scenery;
      const colour = tracks.length > 1 ? colourOf(tracks[bodies[k].track].colour) : new THREE.Color(PALETTE[k % PALETTE.length]);
      const trail = new Polyline(colour, null, TRAIL, 1.5);
      this.trails.set(k, trail);
      this.group.add(trail.line);
    }
  }

  /** The number of points of all lines. */
  get points(): number {
    return [...this.lines, ...this.trails.values()].reduce((n, line) => n + line.count, 0);
  }

  dispose(): void {
    for (const line of [...this.lines, ...this.trails.values()]) line.dispose();
    this.group.removeFromParent();
  }
}
