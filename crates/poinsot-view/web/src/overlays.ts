// Optional marks of every body: its frame, its centre of mass, its ellipsoid of inertia.
import * as THREE from "three";
import type { Body, Scenery } from "./protocol";
import { ball, colourOf, dispose, rod, Swarm } from "./swarm";

const AXES = [[0.835, 0.369, 0], [0, 0.62, 0.451], [0, 0.447, 0.698]];

export type Overlay = "frames" | "centres" | "ellipsoids";

export class Overlays {
  readonly group = new THREE.Group();
  private axes: Swarm;
  private centres: Swarm;
  private ellipsoids: Swarm;
  /** Three for each body. */
  private axisForms: THREE.Matrix4[];
  private centreForms: THREE.Matrix4[];
  private ellipsoidForms: THREE.Matrix4[];

  constructor(scenery: Scenery, size: number) {
    const bodies = scenery.bodies;
    const [n, many] = [Math.max(1, bodies.length), bodies.length > 300];
    const flat = { depthTest: false, transparent: true };
    this.axes = new Swarm(rod(true, false), new THREE.MeshBasicMaterial(flat), 3 * n);
    this.centres = new Swarm(ball(many), new THREE.MeshBasicMaterial(flat), n);
    this.ellipsoids = new Swarm(ball(many), new THREE.MeshStandardMaterial({
      transparent: true, opacity: 0.4, depthWrite: false, depthTest: false, roughness: 0.5,
    }), n);
    const turns = [
      new THREE.Matrix4().makeRotationY(Math.PI / 2), new THREE.Matrix4().makeRotationX(-Math.PI / 2), new THREE.Matrix4()];
    // in proportion to the link, but never too short or too long to be seen
    const long = (b: Body) => Math.min(Math.max(0.7 * b.size, 0.015 * size), 0.1 * size);
    this.axisForms = bodies.flatMap((b) => turns.map((turn) => {
      const [length, thin] = [long(b), Math.max(0.03 * long(b), 0.001 * size)];
      return turn.clone().multiply(new THREE.Matrix4().makeTranslation(0, 0, length / 2)).scale(new THREE.Vector3(thin, thin, length));
    }));
    const empty = new THREE.Matrix4().makeScale(0, 0, 0);
    const one = new THREE.Quaternion();
    this.centreForms = bodies.map((b) => {
      const dot = 0.09 * long(b);
      return b.mass > 0 ? new THREE.Matrix4().compose(new THREE.Vector3(...b.com), one, new THREE.Vector3(dot, dot, dot)) : empty;
    });
    this.ellipsoidForms = bodies.map((b) => {
      const [w, x, y, z] = b.axes;
      const half = new THREE.Vector3(...b.ellipsoid).clampScalar(6e-6 * size, Infinity);
      return b.mass > 0 && b.ellipsoid.every(Number.isFinite)
        ? new THREE.Matrix4().compose(new THREE.Vector3(...b.com), new THREE.Quaternion(x, y, z, w), half) : empty;
    });
    bodies.forEach((b, k) => {
      AXES.forEach((axis, a) => this.axes.colour(3 * k + a, colourOf(axis)));
      this.centres.colour(k, colourOf([0.95, 0.75, 0.1]));
      this.ellipsoids.colour(k, colourOf(scenery.tracks.length > 1 ? scenery.tracks[b.track].colour : [0.34, 0.71, 0.91]));
    });
    this.axes.mesh.renderOrder = 921;
    this.centres.mesh.renderOrder = 922;
    this.ellipsoids.mesh.renderOrder = 920;
    for (const swarm of [this.axes, this.centres, this.ellipsoids]) {
      swarm.mesh.visible = false;
      this.group.add(swarm.mesh);
    }
  }

  show(what: Overlay, on: boolean): void {
    const swarm = { frames: this.axes, centres: this.centres, ellipsoids: this.ellipsoids }[what];
    swarm.mesh.visible = on;
  }

  place(bodies: THREE.Matrix4[]): void {
    const matrix = new THREE.Matrix4();
    const put = (swarm: Swarm, index: number, body: THREE.Matrix4, form: THREE.Matrix4) =>
      swarm.set(index, matrix.multiplyMatrices(body, form));
    bodies.forEach((body, k) => {
      if (this.axes.mesh.visible) for (let a = 3 * k; a < 3 * k + 3; a++) put(this.axes, a, body, this.axisForms[a]);
      if (this.centres.mesh.visible) put(this.centres, k, body, this.centreForms[k]);
      if (this.ellipsoids.mesh.visible) put(this.ellipsoids, k, body, this.ellipsoidForms[k]);
    });
    for (const swarm of [this.axes, this.centres, this.ellipsoids]) swarm.changed();
  }

  dispose(): void {
    dispose(this.group);
  }
}
