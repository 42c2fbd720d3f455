// A line that grows with time, can be shown as of an earlier time, and drops its oldest points when it is full.
import { Line2 } from "three/addons/lines/Line2.js";
import { LineMaterial } from "three/addons/lines/LineMaterial.js";
import { LineSegmentsGeometry } from "three/addons/lines/LineSegmentsGeometry.js";
import * as THREE from "three";

export class Polyline {
  readonly line: Line2;
  private times: number[] = [];
  private points: number[] = [];
  /** Ends of segments, two points each, as the graphics card has them. */
  private buffer: THREE.InstancedInterleavedBuffer;
  private from = 0;
  private to = 0;

  constructor(colour: THREE.Color, private lasts: number | null, private capacity: number, width = 2) {
    const geometry = new LineSegmentsGeometry();
    this.buffer = new THREE.InstancedInterleavedBuffer(new Float32Array(6 * capacity), 6, 1);
    this.buffer.setUsage(THREE.DynamicDrawUsage);
    geometry.setAttribute("instanceStart", new THREE.InterleavedBufferAttribute(this.buffer, 3, 0));
    geometry.setAttribute("instanceEnd", new THREE.InterleavedBufferAttribute(this.buffer, 3, 3));
    geometry.instanceCount = 0;
    // transparent, so that it can be drawn after glass
    this.line = new Line2(geometry as never, new LineMaterial({ color: colour, linewidth: width, transparent: true }));
    this.line.renderOrder = 900;
    this.line.frustumCulled = false;
    this.line.matrixAutoUpdate = false;
  }

  get count(): number {
    return this.times.length;
  }

  /** Adds the current position of the point; later ones are dropped. */
  add(time: number, x: number, y: number, z: number): void {
    let n = this.times.length;
    while (n > 0 && this.times[n - 1] >= time) n--;
    if (n < this.times.length) this.cut(n);
    if (!Number.isFinite(x + y + z)) return;
    this.times.push(time);
    this.points.push(x, y, z);
    if (this.times.length > this.capacity) {
      // a quarter at once, so that this is rare
      const old = this.capacity >> 2;
      this.times.splice(0, old);
      this.points.splice(0, 3 * old);
      this.to = 0;
    }
  }

  private cut(count: number): void {
    this.times.length = count;
    this.points.length = 3 * count;
    this.to = Math.min(this.to, count);
  }

  /** Draws the line as it was at a time. */
  show(time: number): void {
    const end = this.below(time + 1e-9);
    const begin = this.lasts === null ? 0 : this.below(time - this.lasts);
    // the card may have the first of these points already
    const fresh = begin === this.from && this.to > begin ? Math.min(this.to, end) - 1 : begin;
    const array = this.buffer.array as Float32Array;
    for (let k = fresh; k + 1 < end; k++) {
      for (let c = 0; c < 6; c++) array[6 * (k - begin) + c] = this.points[3 * k + c];
    }
    if (end - 1 > fresh) {
      this.buffer.addUpdateRange(6 * (fresh - begin), 6 * (end - 1 - fresh));
      this.buffer.needsUpdate = true;
    }
    this.line.geometry.instanceCount = Math.max(0, end - begin - 1);
    this.from = begin;
    this.to = end;
  }

  /** The number of points earlier than a time. */
  private below(time: number): number {
    let [low, high] = [0, this.times.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.times[middle] < time) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  dispose(): void {
    this.line.geometry.dispose();
    this.line.material.dispose();
    this.line.removeFromParent();
  }
}
