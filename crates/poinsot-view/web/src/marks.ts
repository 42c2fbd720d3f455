// Arrows and translucent solids that instruments draw.
import * as THREE from "three";
import type { Scenery, Solid } from "./protocol";
import { ball, colourOf, cone, dispose, rod, Swarm } from "./swarm";

/** Makes a material more opaque at grazing angles, like glass. */
function glaze(material: THREE.Material): void {
  material.onBeforeCompile = (shader) => {
    shader.fragmentShader = shader.fragmentShader.replace("#include <opaque_fragment>", `
      float edge = 1.0 - abs(dot(normalize(vViewPosition), normal));
      diffuseColor.a = mix(diffuseColor.a, 1.0, 0.5 * edge * edge * edge);
      #include <opaque_fragment>`);
  };
}

/** A cone with its tip at the origin, open along z. */
const funnel = () => new THREE.ConeGeometry(1, 1, 32, 1, true).rotateX(-Math.PI / 2).translate(0, 0, 0.5);
const FORMS: Record<Solid["form"], () => THREE.BufferGeometry> = {
  disc: () => new THREE.CircleGeometry(1, 64), rod: () => rod(false, false), cone: funnel, ellipsoid: () => ball(false),
};

/** Shafts and heads of arrows with the same appearance. */
interface Quiver {
  shafts: Swarm;
  heads: Swarm;
}

/** Marks between or inside bodies are visible through them. */
const through = (layer: string) => layer.startsWith("contact");

export class Marks {
  readonly group = new THREE.Group();
  /** Those that bodies hide, and those that are visible through bodies. */
  private quivers: Quiver[];
  private solids: THREE.Mesh[];

  /** Marks with a thickness for a scene of this size. */
  constructor(private scenery: Scenery, private size: number) {
    // transparent, so that arrows are drawn after the glass they may be in
    const matte = (depthTest: boolean) => new THREE.MeshStandardMaterial({ roughness: 0.6, transparent: true, depthTest });
    this.quivers = [true, false].map((hidden) => {
      const count = Math.max(1, scenery.arrows.length);
      return { shafts: new Swarm(rod(false, false), matte(hidden), count), heads: new Swarm(cone(), matte(hidden), count) };
    });
    scenery.arrows.forEach((arrow, k) => {
      for (const swarm of this.quivers.flatMap(({ shafts, heads }) => [shafts, heads])) swarm.hide(k);
      const quiver = this.quiver(arrow.layer);
      quiver.shafts.colour(k, colourOf(arrow.colour));
      quiver.heads.colour(k, colourOf(arrow.colour));
    });
    this.solids = scenery.solids.map((solid, k) => {
      const form = FORMS[solid.form]();
      const material = new THREE.MeshStandardMaterial({
        color: colourOf(solid.rgba), opacity: solid.rgba[3], transparent: true, depthWrite: false, roughness: 0.5,
        depthTest: !through(solid.layer),
        side: solid.form === "disc" || solid.form === "cone" ? THREE.DoubleSide : THREE.FrontSide,
      });
      if (solid.form === "ellipsoid") glaze(material);
      const mesh = new THREE.Mesh(form, material);
      mesh.renderOrder = solid.form === "disc" ? 0 : 2 + k;
      mesh.visible = false;
      return mesh;
    });
    const meshes = this.quivers.flatMap(({ shafts, heads }) => [shafts.mesh, heads.mesh]);
    for (const [k, mesh] of meshes.entries()) {
      mesh.visible = scenery.arrows.some((arrow) => through(arrow.layer) === k > 1);
      mesh.renderOrder = 901;
    }
    this.group.add(...meshes, ...this.solids);
  }

  private quiver(layer: string): Quiver {
    return this.quivers[through(layer) ? 1 : 0];
  }

  /** The frame of a solid, on which lines can be drawn. */
  solid(index: number): THREE.Matrix4 | null {
    const mesh = this.solids[index];
    return mesh ? new THREE.Matrix4().compose(mesh.position, mesh.quaternion, new THREE.Vector3(1, 1, 1)) : null;
  }

  place(arrows: Float32Array, solids: Float32Array, shown: (layer: string) => boolean): void {
    this.placeArrows(arrows, shown);
    this.solids.forEach((mesh, k) => {
      const at = solids.subarray(10 * k, 10 * k + 10);
      const solid = this.scenery.solids[k];
      mesh.visible = shown(solid.layer) && at.every(Number.isFinite);
      if (!at.every(Number.isFinite)) return;
      mesh.position.set(at[0], at[1], at[2]);
      mesh.quaternion.set(at[4], at[5], at[6], at[3]);
      // three.js cannot transform the normals of a shape without thickness
      mesh.scale.set(at[7] || 1e-6, at[8] || 1e-6, (solid.form === "rod" ? 2 : 1) * at[9] || 1e-6);
    });
  }

  private placeArrows(arrows: Float32Array, shown: (layer: string) => boolean): void {
    const [tail, tip, along] = [new THREE.Vector3(), new THREE.Vector3(), new THREE.Vector3()];
    const [turn, matrix, z] = [new THREE.Quaternion(), new THREE.Matrix4(), new THREE.Vector3(0, 0, 1)];
    this.scenery.arrows.forEach((arrow, k) => {
      const { shafts, heads } = this.quiver(arrow.layer);
      tail.fromArray(arrows, 6 * k);
      tip.fromArray(arrows, 6 * k + 3);
      const length = along.subVectors(tip, tail).length();
      if (!(length > 1e-9 * this.size) || !shown(arrow.layer)) {
        shafts.hide(k);
        heads.hide(k);
        return;
      }
      turn.setFromUnitVectors(z, along.divideScalar(length));
      const thick = Math.min(0.0035 * this.size, 0.06 * length);
      const head = Math.min(0.028 * this.size, 0.4 * length);
      heads.set(k, matrix.compose(tip, turn, new THREE.Vector3(2.6 * thick, 2.6 * thick, head)));
      const middle = tail.addScaledVector(along, 0.5 * (length - head));
      shafts.set(k, matrix.compose(middle, turn, new THREE.Vector3(thick, thick, length - head)));
    });
    for (const { shafts, heads } of this.quivers) {
      shafts.changed();
      heads.changed();
    }
  }

  dispose(): void {
    dispose(this.group);
  }
}
