// The visible objects of one scene, moved by its frames.
import * as THREE from "three";
import type { Frame } from "./frame";
import { Marks } from "./marks";
import { Overlays, type Overlay } from "./overlays";
import { Parts } from "./parts";
import type { Scenery, Source } from "./protocol";
import type { Stage } from "./stage";
import { Traces } from "./traces";

/** A switch of the panel: its key, its label, and whether it is on by default. */
export interface Switch {
  key: string;
  label: string;
  on: boolean;
}

/** Layers that every scene has and that would hide what is special about it. */
const QUIET = ["momenta", "momenta of bodies", "momentum ellipsoid", "joint reactions", "constraints",
  "contact points", "contact normals", "contact forces", "friction cones"];

export class World {
  readonly parts: Parts;
  readonly traces: Traces;
  readonly bodies: THREE.Matrix4[];
  frame: Frame | null = null;
  selected = -1;
  following = false;
  private marks: Marks;
  private overlays: Overlays;
  private layers = new Map<string, boolean>();
  private seen = new THREE.Vector3();

  constructor(readonly scenery: Scenery, scene: number, source: Source, private stage: Stage) {
    this.bodies = scenery.bodies.map(() => new THREE.Matrix4());
    this.parts = new Parts(scenery, scene, source, () => stage.touch());
    this.marks = new Marks(scenery, stage.size);
    this.overlays = new Overlays(scenery, stage.size);
    this.traces = new Traces(scenery);
    stage.scene.add(this.parts.group, this.marks.group, this.overlays.group, this.traces.group);
  }

  switches(): Switch[] {
    const { parts, arrows, traces, solids, shown } = this.scenery;
    const seen = parts.some((p) => p.layer === "visual");
    const layers = [...new Set([...arrows, ...traces, ...solids].map((m) => m.layer))];
    return [
      { key: "visual", label: "visuals", on: true },
      { key: "collision", label: "collision shapes", on: !seen },
      { key: "frames", label: "body frames", on: false },
      { key: "ellipsoids", label: "inertia ellipsoids", on: false },
      { key: "centres", label: "centres of mass", on: false },
      { key: "body-trails", label: "trails of every body", on: false },
      ...layers.map((layer) => ({ key: `layer:${layer}`, label: layer, on: shown.includes(layer) || !QUIET.includes(layer) })),
    ];
  }

  show(key: string, on: boolean): void {
    if (key === "visual" || key === "collision") this.parts.show(key, on);
    else if (key === "body-trails") this.traces.trail(on);
    else if (key.startsWith("layer:")) this.layers.set(key.slice(6), on);
    else this.overlays.show(key as Overlay, on);
    this.place();
  }

  /** Applies a frame; lines grow unless it is from history. */
  take(frame: Frame): void {
    if (!frame.past) this.traces.add(frame);
    this.frame = frame;
  }

  /** Moves everything to the last frame. */
  place(): void {
    const frame = this.frame;
    if (!frame) return;
    const [at, turn, one] = [new THREE.Vector3(), new THREE.Quaternion(), new THREE.Vector3(1, 1, 1)];
    this.bodies.forEach((matrix, k) => {
      const pose = frame.poses.subarray(7 * k, 7 * k + 7);
      turn.set(pose[4], pose[5], pose[6], pose[3]);
      matrix.compose(at.fromArray(pose), turn, one);
    });
    const shown = (layer: string) => this.layers.get(layer) ?? true;
    this.parts.place(this.bodies);
    this.overlays.place(this.bodies);
    this.marks.place(frame.arrows, frame.solids, shown);
    this.traces.show(frame.time, this.bodies, (k) => this.marks.solid(k), shown);
    if (this.following) this.follow();
    this.stage.touch();
  }

  /** The current centre of mass of a body. */
  centre(body: number): THREE.Vector3 {
    return new THREE.Vector3(...this.scenery.bodies[body].com).applyMatrix4(this.bodies[body]);
  }

  /** The body that the camera follows: the selected one, otherwise the first that moves. */
  private leader(): number {
    return this.selected >= 0 ? this.selected : this.scenery.bodies.findIndex((b) => b.moves);
  }

  /** Lets the camera follow a body, from its present position, or centred on the body. */
  setFollow(on: boolean, bring = false): void {
    this.following = on && this.leader() >= 0;
    if (!this.following) return;
    this.seen = bring ? this.stage.orbit.target.clone() : this.centre(this.leader());
    if (bring) this.follow();
  }

  /** True if nothing that moves is in the picture. */
  isAway(): boolean {
    const { camera } = this.stage;
    const out = (k: number) => {
      const at = this.centre(k).project(camera);
      return Math.abs(at.x) > 1.1 || Math.abs(at.y) > 1.1 || at.z > 1;
    };
    const moving = this.scenery.bodies.flatMap((b, k) => (b.moves ? [k] : []));
    return moving.length > 0 && moving.every(out);
  }

  private follow(): void {
    const now = this.centre(this.leader());
    const by = now.clone().sub(this.seen);
    if (Number.isFinite(by.lengthSq())) this.stage.shift(by);
    this.seen = now;
  }

  select(body: number): void {
    this.selected = body;
    this.parts.select(body);
    this.traces.choose(body);
    this.setFollow(this.following);
    this.stage.touch();
  }

  dispose(): void {
    this.parts.dispose();
    this.marks.dispose();
    this.overlays.dispose();
    this.traces.dispose();
  }
}
