// The shapes of bodies: few draw calls for any number of them.
import * as THREE from "three";
import { Hide, Skins } from "./skins";
import type { Part, Scenery, Source } from "./protocol";
import { ball, colourOf, dispose, rod, Swarm } from "./swarm";

/** The half edge of an infinite plane, m. */
const ENDLESS = 100;
/** With this many parts or more, shapes are drawn more coarsely. */
const MANY = 300;

/** The colour of wireframes: a shape that is both visual and collision geometry is drawn in two ways. */
const WIRE = [0.835, 0.369, 0];

interface Piece {
  body: number;
  /** From the unit form to the body. */
  local: THREE.Matrix4;
  colour: THREE.Color;
}

interface Herd {
  swarm: Swarm;
  pieces: Piece[];
  layer: string;
}

export class Parts {
  readonly group = new THREE.Group();
  private herds: Herd[] = [];
  private hides: { hide: Hide; layer: string }[] = [];
  private many: boolean;
  /** Collision shapes are drawn as wireframes if there are visual shapes. */
  private wires: boolean;
  private chosen = -1;
  /** The number of meshes still loading. */
  private awaited = 0;
  private last: THREE.Matrix4[] = [];
  readonly shown = new Map([["visual", true], ["collision", false]]);

  constructor(private scenery: Scenery, scene: number, source: Source, private touch: () => void) {
    this.wires = scenery.parts.some((p) => p.layer === "visual");
    this.many = scenery.parts.length > MANY;
    const skins = new Skins(scenery, scene, source);
    const lists = new Map<string, { form: string; first: Part; pieces: Piece[] }>();
    for (const part of scenery.parts) {
      for (const [form, local] of unitForms(part)) {
        const key = `${form} ${part.layer} ${part.rgba[3].toFixed(2)}`;
        let list = lists.get(key);
        if (!list) lists.set(key, (list = { form, first: part, pieces: [] }));
        const wire = this.wires && part.layer === "collision";
        list.pieces.push({ body: part.body, local, colour: colourOf(wire ? WIRE : part.rgba) });
      }
    }
    for (const { form, first, pieces } of lists.values()) {
      if (form.startsWith("mesh")) {
        // a mesh that cannot be loaded leaves the rest of the scene as it is
        this.awaited++;
        skins.mesh(first.size[0])
          .then(({ geometry, picture }) => this.add(geometry, form, first, pieces, picture), () => {})
          .finally(() => this.awaited--);
      } else this.add(geometryOf(form, this.many), form, first, pieces, null);
    }
  }

  private add(geometry: THREE.BufferGeometry, form: string, part: Part, pieces: Piece[], map: THREE.Texture | null): void {
    const opacity = part.rgba[3];
    const translucent = opacity < 0.995;
    const wireframe = this.wires && part.layer === "collision" && form !== "plane";
    const look = {
      transparent: translucent, opacity, depthWrite: !translucent, wireframe, map,
      vertexColors: geometry.hasAttribute("color"),
      side: form === "plane" || form.startsWith("mesh") ? THREE.DoubleSide : THREE.FrontSide,
    };
    const material = this.many
      ? new THREE.MeshLambertMaterial(look) : new THREE.MeshStandardMaterial({ ...look, roughness: 0.5, metalness: 0 });
    const bones = part.form === "mesh" ? this.scenery.meshes[part.size[0]].bones : [];
    let mesh: THREE.Mesh;
    if (bones.length > 0) {
      const hide = new Hide(geometry, material, bones);
      material.color.copy(pieces[0].colour);
      this.hides.push({ hide, layer: part.layer });
      mesh = hide.mesh;
    } else {
      const swarm = new Swarm(geometry, material, pieces.length);
      swarm.mesh.userData.bodies = pieces.map((p) => p.body);
      this.herds.push({ swarm, pieces, layer: part.layer });
      mesh = swarm.mesh;
    }
    const solid = part.layer === "visual" && !wireframe;
    mesh.castShadow = solid && !translucent && !part.flat;
    mesh.receiveShadow = solid;
    mesh.visible = this.shown.get(part.layer) ?? true;
    this.group.add(mesh);
    this.paint();
    if (this.last.length > 0) this.place(this.last);
    this.touch();
  }

  /** True once all meshes are loaded. */
  get complete(): boolean {
    return this.awaited === 0;
  }

  show(layer: string, on: boolean): void {
    this.shown.set(layer, on);
    for (const herd of this.herds) if (herd.layer === layer) herd.swarm.mesh.visible = on;
    for (const { hide, layer: own } of this.hides) if (own === layer) hide.mesh.visible = on;
  }

  /** Moves all shapes to their bodies. */
  place(bodies: THREE.Matrix4[]): void {
    this.last = bodies;
    const matrix = new THREE.Matrix4();
    for (const { swarm, pieces } of this.herds) {
      pieces.forEach((piece, k) => swarm.set(k, matrix.multiplyMatrices(bodies[piece.body], piece.local)));
      swarm.changed();
    }
    for (const { hide } of this.hides) hide.place(bodies);
  }

  /** Highlights a body; −1 for none. */
  select(body: number): void {
    this.chosen = body;
    this.paint();
  }

  private paint(): void {
    const glow = new THREE.Color(0xffc83d);
    const colour = new THREE.Color();
    for (const { swarm, pieces } of this.herds) {
      pieces.forEach((piece, k) => {
        colour.copy(piece.colour);
        swarm.colour(k, piece.body === this.chosen ? colour.lerp(glow, 0.65) : colour);
      });
    }
  }

  /** The body under a ray, and the point of intersection. */
  pick(ray: THREE.Raycaster): { body: number; point: THREE.Vector3 } | null {
    const seen = this.herds.filter((h) => h.swarm.mesh.visible).map((h) => h.swarm.mesh);
    const hit = ray.intersectObjects(seen, false).find((h) => h.instanceId !== undefined);
    for (const { hide } of this.hides) {
      const skin = hide.pick(ray);
      if (skin && !(hit && hit.distance < skin.distance)) return skin;
    }
    return hit ? { body: hit.object.userData.bodies[hit.instanceId ?? 0], point: hit.point } : null;
  }

  dispose(): void {
    dispose(this.group);
  }
}

/** The unit forms of a part, and how each is scaled and placed in the body. */
function unitForms(part: Part): [string, THREE.Matrix4][] {
  const [x, y, z, w, i, j, k] = part.pose;
  const pose = new THREE.Matrix4().compose(
    new THREE.Vector3(x, y, z), new THREE.Quaternion(i, j, k, w), new THREE.Vector3(1, 1, 1));
  const scaled = (a: number, b: number, c: number) => pose.clone().scale(new THREE.Vector3(a, b, c));
  const [a, b, c] = part.size;
  switch (part.form) {
    case "sphere":
      return [["ball", scaled(a, a, a)]];
    case "ellipsoid":
      return [["ball", scaled(a, b, c)]];
    case "box":
      return [["box", scaled(a, b, c)]];
    case "cylinder":
      return [["cylinder", scaled(a, a, b)]];
    case "plane":
      return [["plane", scaled(a || 2 * ENDLESS, b || 2 * ENDLESS, 1)]];
    case "mesh":
      return [[`mesh ${a}`, pose]];
    case "capsule": {
      // a tube and two hemispheres, so that the caps stay round
      const cap = (side: number) => {
        const turn = side > 0 ? 0 : Math.PI;
        const at = new THREE.Matrix4().makeRotationX(turn).setPosition(0, 0, (side * b) / 2);
        return pose.clone().multiply(at).scale(new THREE.Vector3(a, a, a));
      };
      return [["tube", scaled(a, a, b)], ["cap", cap(1)], ["cap", cap(-1)]];
    }
    default:
      return [];
  }
}

function geometryOf(form: string, many: boolean): THREE.BufferGeometry {
  switch (form) {
    case "ball": return ball(many);
    case "cap": return ball(many, true);
    case "tube": return rod(many, true);
    case "cylinder": return rod(many, false);
    case "plane": return new THREE.PlaneGeometry(1, 1);
    default: return new THREE.BoxGeometry(1, 1, 1);
  }
}
