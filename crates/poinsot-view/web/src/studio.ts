// What is around the scene: a bright ceiling, darker walls, lamps. It lights everything softly from all sides, and is mirrored in
// what shines.
import * as THREE from "three";

const vertex = `
varying vec3 at;
void main() {
  at = position;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
}`;

const fragment = `
varying vec3 at;
void main() {
  float up = normalize(at).y;
  vec3 wall = vec3(0.62, 0.64, 0.68);
  vec3 colour = up > 0.0 ? mix(wall, vec3(1.0, 1.01, 1.04), pow(up, 0.7)) : mix(wall, vec3(0.44, 0.42, 0.40), pow(-up, 0.6));
  gl_FragColor = vec4(colour, 1.0);
}`;

function lamp(width: number, height: number, at: [number, number, number], brightness: number): THREE.Mesh {
  const material = new THREE.MeshBasicMaterial({ color: new THREE.Color().setScalar(brightness), side: THREE.DoubleSide });
  const mesh = new THREE.Mesh(new THREE.PlaneGeometry(width, height), material);
  mesh.position.set(...at);
  mesh.lookAt(0, 0, 0);
  return mesh;
}

/** The light of the studio; y is up in it. */
export function studio(renderer: THREE.WebGLRenderer): THREE.Texture {
  const scene = new THREE.Scene();
  const walls = new THREE.ShaderMaterial({ vertexShader: vertex, fragmentShader: fragment, side: THREE.BackSide });
  scene.add(new THREE.Mesh(new THREE.SphereGeometry(20, 32, 16), walls));
  scene.add(lamp(7, 5, [-7, 9, 7], 4), lamp(3, 9, [11, 4, 2], 2.5), lamp(9, 2, [0, 5, -12], 2));
  const maker = new THREE.PMREMGenerator(renderer);
  const { texture } = maker.fromScene(scene, 0.03);
  maker.dispose();
  scene.traverse((o) => {
    if (o instanceof THREE.Mesh) {
      o.geometry.dispose();
      (o.material as THREE.Material).dispose();
    }
  });
  return texture;
}
