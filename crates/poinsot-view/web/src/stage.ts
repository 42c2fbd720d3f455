// The 3D stage: renderer, camera, light, floor; draws only when something has changed.
import * as THREE from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { floorOf, type Ground } from "./floor";
import type { Scenery } from "./protocol";
import { dispose } from "./swarm";

/** The aspect ratio that cameras of scenes are made for. */
const WIDE = 1.6;

/** The colours of the background from top to bottom, and of the floor. */
const LIGHT = { sky: ["#f4f6f9", "#c3ccd8"], ground: { plain: 0xd9dee5, ruled: 0x9aa4b3, shadow: 0.42 } };
const DARK = { sky: ["#2b313a", "#14171b"], ground: { plain: 0x2a2f37, ruled: 0x4c5562, shadow: 0.5 } };

export class Stage {
  readonly scene = new THREE.Scene();
  readonly camera = new THREE.PerspectiveCamera(40, 1, 0.01, 1000);
  readonly renderer: THREE.WebGLRenderer;
  readonly orbit: OrbitControls;
  /** The initial distance of the camera: the scale of marks. */
  size = 1;
  /** Called just before a picture is drawn. */
  before: () => void = () => {};
  private sun = new THREE.DirectionalLight(0xfffaf2, 1.6);
  /** Light from all sides, brighter from above, so that no face is black. */
  private sky = new THREE.HemisphereLight(0xfcfdff, 0xb4aea6, 1.6);
  /** A light opposite the sun, so that faces turned away from it have shape too. */
  private lamp = new THREE.DirectionalLight(0xeaf1ff, 0.4);
  private floor: THREE.Object3D | null = null;
  private height: number | null = null;
  private ground: Ground = LIGHT.ground;
  private home: Scenery["camera"] = { from: [3, -4, 2], to: [0, 0, 0], up: [0, 0, 1] };
  private fills: Scenery["fills"] = null;
  private stale = true;
  /** True once the user has moved the camera. */
  private moved = false;

  constructor(private canvas: HTMLCanvasElement) {
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true });
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    this.sun.castShadow = true;
    // small, and without an environment map: a browser without a graphics card has to keep up
    this.sun.shadow.mapSize.set(1024, 1024);
    this.sun.shadow.radius = 2.5;
    this.scene.add(this.sun, this.sun.target, this.sky, this.lamp, this.lamp.target);
    this.orbit = new OrbitControls(this.camera, canvas);
    this.orbit.addEventListener("change", () => this.touch());
    this.orbit.addEventListener("start", () => (this.moved = true));
    new ResizeObserver(() => this.fit()).observe(canvas.parentElement ?? canvas);
    const dark = matchMedia("(prefers-color-scheme: dark)");
    const paint = () => {
      const { sky, ground } = dark.matches ? DARK : LIGHT;
      if (this.scene.background instanceof THREE.Texture) this.scene.background.dispose();
      this.scene.background = shaded(sky);
      this.ground = ground;
      this.layFloor();
      this.touch();
    };
    dark.addEventListener("change", paint);
    paint();
    this.fit();
    const loop = () => {
      requestAnimationFrame(loop);
      if (this.stale) this.draw();
    };
    loop();
  }

  /** Requests a new picture. */
  touch(): void {
    this.stale = true;
  }

  private draw(): void {
    this.stale = false;
    this.before();
    this.light();
    this.renderer.render(this.scene, this.camera);
  }

  private fit(): void {
    const { clientWidth: width, clientHeight: height } = this.canvas.parentElement ?? this.canvas;
    if (width === 0 || height === 0) return;
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    if (!this.moved) this.resetView();
    this.touch();
  }

  /** Sets the camera and floor of another scene. */
  open(scenery: Scenery): void {
    this.home = scenery.camera;
    this.fills = scenery.fills;
    const up = new THREE.Vector3(...this.home.up).normalize();
    this.size = new THREE.Vector3(...this.home.from).distanceTo(new THREE.Vector3(...this.home.to)) || 1;
    this.camera.up.copy(up);
    this.sky.position.copy(up);
    // the controls keep the upward direction they were created with
    const turn = new THREE.Quaternion().setFromUnitVectors(up, new THREE.Vector3(0, 1, 0));
    Object.assign(this.orbit, { _quat: turn, _quatInverse: turn.clone().invert() });
    this.camera.near = this.size / 500;
    this.camera.far = this.size * 200;
    this.orbit.minDistance = this.size / 50;
    this.orbit.maxDistance = this.size * 40;
    this.height = scenery.floor;
    this.layFloor();
    const reach = 0.9 * this.size;
    Object.assign(this.sun.shadow.camera, {
      left: -reach, right: reach, top: reach, bottom: -reach, near: 0.1 * this.size, far: 8 * this.size,
    });
    this.sun.shadow.camera.updateProjectionMatrix();
    this.sun.shadow.normalBias = 0.0016 * this.size;
    this.sun.shadow.bias = -0.0004;
    this.resetView();
  }

  private layFloor(): void {
    if (this.floor) dispose(this.floor);
    this.floor = this.height === null ? null : floorOf(this.height, this.size, this.camera.up, this.ground);
    if (this.floor) this.scene.add(this.floor);
  }

  resetView(): void {
    this.camera.position.set(...this.home.from);
    this.moved = false;
    const to = new THREE.Vector3(...this.home.to);
    this.camera.position.sub(to).multiplyScalar(this.farther()).add(to);
    this.orbit.target.copy(to);
    this.camera.updateProjectionMatrix();
    this.orbit.update();
    this.touch();
  }

  /** A tall picture shows less horizontally, so the camera moves back, as far as the horizontal extent requires if that is known. */
  private farther(): number {
    const shape = WIDE / this.camera.aspect;
    const [wide, high] = this.fills ?? [1, 0];
    return Math.min(Math.max(1, Math.max(wide * shape, high) / Math.max(wide, high)), 2.5);
  }

  /** Moves the camera together with its target. */
  shift(by: THREE.Vector3): void {
    this.moved = true;
    this.camera.position.add(by);
    this.orbit.target.add(by);
    this.orbit.update();
  }

  /** The sun stays above the camera's target, so that shadows are sharp there. */
  private light(): void {
    const { target } = this.orbit;
    const up = this.camera.up;
    const side = new THREE.Vector3(0.05, -0.75, 0.3).projectOnPlane(up);
    this.sun.target.position.copy(target);
    this.sun.position.copy(target).addScaledVector(up, 3 * this.size).addScaledVector(side, 3 * this.size);
    this.lamp.target.position.copy(target);
    this.lamp.position.copy(target).addScaledVector(up, this.size).addScaledVector(side, -3 * this.size);
    if (this.floor) this.floor.userData.centre?.copy(target);
  }
}

/** A background that fades from one colour at the top to another at the bottom. */
function shaded([top, bottom]: string[]): THREE.Texture {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [2, 256];
  const ink = canvas.getContext("2d");
  if (ink) {
    const fill = ink.createLinearGradient(0, 0, 0, 256);
    fill.addColorStop(0, top);
    fill.addColorStop(1, bottom);
    ink.fillStyle = fill;
    ink.fillRect(0, 0, 2, 256);
  }
  const texture = new THREE.CanvasTexture(canvas);
  texture.colorSpace = THREE.SRGBColorSpace;
  return texture;
}
