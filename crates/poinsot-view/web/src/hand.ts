// Picks bodies with the pointer and pulls movable ones with a spring; elsewhere the pointer moves the camera.
import * as THREE from "three";
import { Line2 } from "three/addons/lines/Line2.js";
import { LineGeometry } from "three/addons/lines/LineGeometry.js";
import { LineMaterial } from "three/addons/lines/LineMaterial.js";
import { Newest } from "./dom";
import type { Source, Vector } from "./protocol";
import type { Stage } from "./stage";
import type { World } from "./world";

/** A pointer that moved less than this counts as a click, px. */
const CLICK = 5;

interface Hold {
  pointer: number;
  body: number;
  /** The point at which the body is held, in its frame. */
  point: THREE.Vector3;
  /** The plane in which the hand moves. */
  plane: THREE.Plane;
  to: THREE.Vector3;
  pulling: boolean;
}

export class Hand {
  private hold: Hold | null = null;
  private begin: { pointer: number; x: number; y: number } | null = null;
  private to: Newest<Vector>;
  private line: Line2;
  private ball: THREE.Mesh;

  constructor(private stage: Stage, private source: Source, private world: () => World | null,
    private select: (body: number) => void) {
    this.to = new Newest((to) => source.send({ do: "pull", to }));
    const orange = 0xd55e00;
    this.line = new Line2(new LineGeometry(), new LineMaterial({ color: orange, linewidth: 3, depthTest: false }));
    this.ball = new THREE.Mesh(new THREE.SphereGeometry(1, 16, 12), new THREE.MeshBasicMaterial({ color: orange, depthTest: false }));
    for (const mark of [this.line, this.ball]) {
      mark.visible = false;
      mark.frustumCulled = false;
      mark.renderOrder = 930;
      stage.scene.add(mark);
    }
    const canvas = stage.renderer.domElement;
    // before the camera's controls, which also listen
    canvas.addEventListener("pointerdown", (e) => this.down(e), { capture: true });
    canvas.addEventListener("pointermove", (e) => this.move(e));
    for (const end of ["pointerup", "pointercancel"] as const) canvas.addEventListener(end, (e) => this.up(e));
  }

  private ray(event: PointerEvent): THREE.Raycaster {
    const box = this.stage.renderer.domElement.getBoundingClientRect();
    const x = (2 * (event.clientX - box.left)) / box.width - 1;
    const y = 1 - (2 * (event.clientY - box.top)) / box.height;
    const ray = new THREE.Raycaster();
    ray.setFromCamera(new THREE.Vector2(x, y), this.stage.camera);
    return ray;
  }

  private down(event: PointerEvent): void {
    // a second finger moves the camera
    if (this.begin) {
      this.release();
      this.begin = null;
      return;
    }
    if (event.button !== 0) return;
    this.begin = { pointer: event.pointerId, x: event.clientX, y: event.clientY };
    const world = this.world();
    const hit = event.shiftKey || !this.source.live ? null : world?.parts.pick(this.ray(event));
    if (!world || !hit || !world.scenery.bodies[hit.body]?.moves) return;
    this.stage.orbit.enabled = false;
    const facing = this.stage.camera.getWorldDirection(new THREE.Vector3());
    this.hold = {
      pointer: event.pointerId, body: hit.body, to: hit.point.clone(), pulling: false,
      point: hit.point.clone().applyMatrix4(world.bodies[hit.body].clone().invert()),
      plane: new THREE.Plane().setFromNormalAndCoplanarPoint(facing, hit.point),
    };
    this.stage.renderer.domElement.setPointerCapture(event.pointerId);
  }

  private far(event: PointerEvent): boolean {
    return !!this.begin && Math.hypot(event.clientX - this.begin.x, event.clientY - this.begin.y) > CLICK;
  }

  private move(event: PointerEvent): void {
    const hold = this.hold;
    if (!hold || event.pointerId !== hold.pointer) return;
    if (!hold.pulling) {
      if (!this.far(event)) return;
      hold.pulling = true;
      this.select(hold.body);
      this.source.send({ do: "grab", body: hold.body, point: hold.point.toArray() as Vector });
    }
    const to = this.ray(event).ray.intersectPlane(hold.plane, new THREE.Vector3());
    if (!to) return;
    hold.to.copy(to);
    this.to.put(to.toArray() as Vector);
    this.stage.touch();
  }

  private up(event: PointerEvent): void {
    if (this.begin?.pointer !== event.pointerId) return;
    if (!this.far(event) && event.type === "pointerup") {
      const hit = this.world()?.parts.pick(this.ray(event));
      this.select(hit ? hit.body : -1);
    }
    this.release();
    this.begin = null;
  }

  /** Releases the body. */
  release(): void {
    this.to.flush();
    if (this.hold?.pulling) this.source.send({ do: "release" });
    this.hold = null;
    this.stage.orbit.enabled = true;
    this.line.visible = this.ball.visible = false;
    this.stage.touch();
  }

  /** Draws the spring; called before each picture. */
  draw(): void {
    const [hold, world] = [this.hold, this.world()];
    if (!hold?.pulling || !world?.bodies[hold.body]) return;
    const held = hold.point.clone().applyMatrix4(world.bodies[hold.body]);
    (this.line.geometry as LineGeometry).setPositions([...held.toArray(), ...hold.to.toArray()]);
    this.ball.position.copy(hold.to);
    this.ball.scale.setScalar(0.007 * this.stage.camera.position.distanceTo(hold.to));
    this.line.visible = this.ball.visible = true;
  }
}
