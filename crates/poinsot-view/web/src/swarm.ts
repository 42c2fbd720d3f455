// Many copies of one form in a single draw call, and the unit forms they are made of.
import * as THREE from "three";

/** Copies of a form, each with its own matrix and colour. */
export class Swarm {
  readonly mesh: THREE.InstancedMesh;

  constructor(form: THREE.BufferGeometry, material: THREE.Material, readonly count: number) {
    this.mesh = new THREE.InstancedMesh(form, material, count);
    this.mesh.instanceMatrix.setUsage(THREE.DynamicDrawUsage);
    // the copies move, so a box around them would be out of date
    this.mesh.frustumCulled = false;
  }

  set(index: number, matrix: THREE.Matrix4): void {
    matrix.toArray(this.mesh.instanceMatrix.array, 16 * index);
  }

  hide(index: number): void {
    this.mesh.instanceMatrix.array.fill(0, 16 * index, 16 * index + 16);
  }

  colour(index: number, colour: THREE.Color): void {
    this.mesh.setColorAt(index, colour);
    if (this.mesh.instanceColor) this.mesh.instanceColor.needsUpdate = true;
  }

  changed(): void {
    this.mesh.instanceMatrix.needsUpdate = true;
    this.mesh.boundingSphere = null;
  }
}

/** Frees the graphics memory of everything below an object. */
export function dispose(object: THREE.Object3D): void {
  object.traverse((o) => {
    const mesh = o as THREE.Mesh;
    mesh.geometry?.dispose();
    for (const m of [mesh.material ?? []].flat()) {
      (m as THREE.MeshStandardMaterial).map?.dispose();
      m.dispose();
    }
    if (o instanceof THREE.InstancedMesh) o.dispose();
  });
  object.removeFromParent();
}

/** A colour from sRGB values. */
export function colourOf(rgb: ArrayLike<number>): THREE.Color {
  return new THREE.Color().setRGB(rgb[0], rgb[1], rgb[2], THREE.SRGBColorSpace);
}

/** A colour for the style of an element. */
export function cssColour(rgb: ArrayLike<number>): string {
  return `rgb(${[0, 1, 2].map((k) => Math.round(255 * rgb[k])).join(" ")})`;
}

const upright = new THREE.Matrix4().makeRotationX(Math.PI / 2);

/** A ball of radius 1, or its half above z = 0; coarse if there are many. */
export function ball(many: boolean, half = false): THREE.BufferGeometry {
  const [around, along] = many ? [12, 8] : [36, 24];
  const rows = half ? along / 2 : along;
  const arc = half ? Math.PI / 2 : Math.PI;
  return new THREE.SphereGeometry(1, around, rows, 0, 2 * Math.PI, 0, arc).applyMatrix4(upright);
}

/** A cylinder of radius 1 and length 1 along z. */
export function rod(many: boolean, open: boolean): THREE.BufferGeometry {
  return new THREE.CylinderGeometry(1, 1, 1, many ? 12 : 36, 1, open).applyMatrix4(upright);
}

/** A cone of radius 1 with its tip at z = 0 and its base at z = −1. */
export function cone(): THREE.BufferGeometry {
  return new THREE.ConeGeometry(1, 1, 20).applyMatrix4(upright).translate(0, 0, -0.5);
}
