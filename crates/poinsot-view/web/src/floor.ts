// The floor: a plane that fades into the background, its grid, and the shadows on it.
import * as THREE from "three";

const vertex = `
varying vec2 place;
varying vec3 world;
void main() {
  vec4 p = modelMatrix * vec4(position, 1.0);
  place = position.xy;
  world = p.xyz;
  gl_Position = projectionMatrix * viewMatrix * p;
}`;

const fragment = `
uniform float cell;
uniform float reach;
uniform vec3 centre;
uniform vec3 plain;
uniform vec3 ruled;
varying vec2 place;
varying vec3 world;
float line(float width) {
  vec2 at = place / width;
  vec2 wide = fwidth(at);
  vec2 near = abs(fract(at - 0.5) - 0.5) / max(wide, vec2(1e-6));
  float fine = 1.0 - smoothstep(0.15, 0.6, max(wide.x, wide.y));
  return (1.0 - min(min(near.x, near.y), 1.0)) * fine;
}
void main() {
  float fade = 1.0 - smoothstep(0.12 * reach, reach, distance(world, centre));
  float drawn = max(0.45 * line(cell), 0.8 * line(5.0 * cell));
  gl_FragColor = vec4(mix(plain, ruled, drawn), fade);
  #include <colorspace_fragment>
}`;

/** Colours of the floor and of its lines. */
export interface Ground {
  plain: number;
  ruled: number;
  /** The darkness of shadows. */
  shadow: number;
}

/** A floor at `height` for a scene of this size. */
export function floorOf(height: number, size: number, up: THREE.Vector3, ground: Ground): THREE.Object3D {
  const cell = [1, 2, 5, 10].map((k) => k * 10 ** Math.floor(Math.log10(size / 10))).find((c) => c >= size / 10) ?? 1;
  const reach = 6 * size;
  const centre = new THREE.Vector3();
  const plane = new THREE.PlaneGeometry(40 * size, 40 * size);
  const uniforms = {
    cell: { value: cell }, reach: { value: reach }, centre: { value: centre },
    plain: { value: new THREE.Color(ground.plain) }, ruled: { value: new THREE.Color(ground.ruled) },
  };
  const grid = new THREE.Mesh(plane, new THREE.ShaderMaterial({
    vertexShader: vertex, fragmentShader: fragment, transparent: true, depthWrite: false, side: THREE.DoubleSide, uniforms,
  }));
  grid.renderOrder = -2;
  const shadow = new THREE.Mesh(plane, new THREE.ShadowMaterial({ opacity: ground.shadow, depthWrite: false }));
  shadow.receiveShadow = true;
  shadow.renderOrder = -1;
  const floor = new THREE.Group();
  floor.add(grid, shadow);
  floor.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), up);
  floor.position.copy(up).multiplyScalar(height);
  floor.userData.centre = centre;
  return floor;
}
