// Meshes with vertex colours and pictures.
import * as THREE from "three";
import type { Mesh, Scenery, Source } from "./protocol";

export interface Skin {
  geometry: THREE.BufferGeometry;
  picture: THREE.Texture | null;
}

export class Skins {
  private bytes = new Map<number, Promise<ArrayBuffer>>();
  private pictures = new Map<number, Promise<THREE.Texture | null>>();

  constructor(private scenery: Scenery, private scene: number, private source: Source) {}

  /** The triangles of a mesh, and its picture, which is sent with the first mesh that has it. */
  async mesh(number: number): Promise<Skin> {
    const carrier = this.scenery.meshes[number]?.picture ?? null;
    const [bytes, picture] = await Promise.all([this.load(number), carrier === null ? null : this.picture(carrier)]);
    return { geometry: surface(bytes), picture };
  }

  private load(number: number): Promise<ArrayBuffer> {
    let bytes = this.bytes.get(number);
    if (!bytes) this.bytes.set(number, (bytes = this.source.mesh(this.scene, number)));
    return bytes;
  }

  private picture(carrier: number): Promise<THREE.Texture | null> {
    let picture = this.pictures.get(carrier);
    // without its picture a mesh still has its colour
    if (!picture) this.pictures.set(carrier, (picture = this.load(carrier).then(textureOf).catch(() => null)));
    return picture;
  }
}

interface Layout {
  points: number;
  triangles: number;
  colours: boolean;
  places: boolean;
  bones: boolean;
  /** The offset of the picture. */
  end: number;
}

/** The layout of the bytes of /mesh/…; null if the lengths do not fit. */
function layout(bytes: ArrayBuffer): Layout | null {
  if (bytes.byteLength < 16) return null;
  const [points, triangles, kinds, picture] = new Uint32Array(bytes, 0, 4);
  const [colours, places, bones] = [(kinds & 1) > 0, (kinds & 2) > 0, (kinds & 4) > 0];
  const end = 16 + points * (24 + (colours ? 4 : 0) + (places ? 8 : 0) + (bones ? 24 : 0)) + 12 * triangles;
  return bytes.byteLength === end + picture ? { points, triangles, colours, places, bones, end } : null;
}

function surface(bytes: ArrayBuffer): THREE.BufferGeometry {
  const geometry = new THREE.BufferGeometry();
  const form = layout(bytes);
  if (!form) return geometry;
  const { points, triangles } = form;
  let at = 16;
  const floats = (width: number) => {
    const list = new Float32Array(bytes, at, width * points);
    at += 4 * width * points;
    return new THREE.BufferAttribute(list, width);
  };
  geometry.setAttribute("position", floats(3));
  geometry.setAttribute("normal", floats(3));
  if (form.colours) {
    geometry.setAttribute("color", new THREE.BufferAttribute(linear(new Uint8Array(bytes, at, 4 * points)), 3));
    at += 4 * points;
  }
  if (form.places) geometry.setAttribute("uv", floats(2));
  if (form.bones) {
    geometry.setAttribute("skinIndex", new THREE.BufferAttribute(new Uint16Array(bytes, at, 4 * points), 4));
    at += 8 * points;
    geometry.setAttribute("skinWeight", floats(4));
  }
  geometry.setIndex(new THREE.BufferAttribute(new Uint32Array(bytes, at, 3 * triangles), 1));
  return geometry;
}

/** Linear red, green, blue from sRGB bytes. */
function linear(rgba: Uint8Array): Float32Array {
  const table = Float32Array.from({ length: 256 }, (_, k) => new THREE.Color().setRGB(k / 255, 0, 0, THREE.SRGBColorSpace).r);
  const out = new Float32Array((3 * rgba.length) / 4);
  for (let k = 0, j = 0; k < rgba.length; k += 4) for (let c = 0; c < 3; c++) out[j++] = table[rgba[k + c]];
  return out;
}

/** A surface that deforms with several bodies. */
export class Hide {
  readonly mesh: THREE.SkinnedMesh;

  constructor(geometry: THREE.BufferGeometry, material: THREE.Material, private bones: Mesh["bones"]) {
    this.mesh = new THREE.SkinnedMesh(geometry, material);
    const inverses = bones.map(([, [x, y, z, w, i, j, k]]) => new THREE.Matrix4().compose(
      new THREE.Vector3(x, y, z), new THREE.Quaternion(i, j, k, w), new THREE.Vector3(1, 1, 1)));
    const skeleton = new THREE.Skeleton(bones.map(() => new THREE.Bone()), inverses);
    this.mesh.bind(skeleton, new THREE.Matrix4());
    this.mesh.frustumCulled = false;
  }

  place(bodies: THREE.Matrix4[]): void {
    this.bones.forEach(([body], k) => this.mesh.skeleton.bones[k].matrixWorld.copy(bodies[body]));
  }

  /** The body under a ray: the one that the nearest vertex follows most. */
  pick(ray: THREE.Raycaster): { body: number; point: THREE.Vector3; distance: number } | null {
    if (!this.mesh.visible) return null;
    this.mesh.computeBoundingSphere();
    const [hit] = ray.intersectObject(this.mesh, false);
    if (!hit?.face) return null;
    const { skinIndex, skinWeight } = this.mesh.geometry.attributes;
    const weights = [0, 1, 2, 3].map((k) => skinWeight.getComponent(hit.face!.a, k));
    const most = weights.indexOf(Math.max(...weights));
    return { body: this.bones[skinIndex.getComponent(hit.face.a, most)][0], point: hit.point, distance: hit.distance };
  }
}

async function textureOf(bytes: ArrayBuffer): Promise<THREE.Texture | null> {
  const form = layout(bytes);
  if (!form || form.end === bytes.byteLength) return null;
  const image = await createImageBitmap(new Blob([new Uint8Array(bytes, form.end)]));
  const texture = new THREE.Texture(image);
  texture.flipY = false;
  texture.colorSpace = THREE.SRGBColorSpace;
  texture.wrapS = texture.wrapT = THREE.RepeatWrapping;
  texture.anisotropy = 4;
  texture.needsUpdate = true;
  return texture;
}
