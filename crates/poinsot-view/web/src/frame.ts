// Reads frames and the plots' past from bytes; the layout is in show.rs and PROTOCOL.md.
import type { Scenery } from "./protocol";

export interface Frame {
  scene: number;
  number: number;
  playing: boolean;
  past: boolean;
  time: number;
  speed: number;
  begin: number;
  end: number;
  channels: Float64Array;
  poses: Float32Array;
  arrows: Float32Array;
  traces: Float32Array;
  solids: Float32Array;
}

const HEAD = 48;

/** The frame in these bytes; null if they are not a frame of this scenery. */
export function readFrame(bytes: ArrayBuffer, scenery: Scenery): Frame | null {
  const floats = [
    7 * scenery.bodies.length,
    6 * scenery.arrows.length,
    3 * scenery.traces.length,
    10 * scenery.solids.length,
  ];
  const channels = scenery.channels.length;
  const expected = HEAD + 8 * channels + 4 * floats.reduce((a, b) => a + b, 0);
  if (bytes.byteLength !== expected) return null;
  const [kind, scene, number, flags] = new Uint32Array(bytes, 0, 4);
  if (kind !== 1) return null;
  const [time, speed, begin, end] = new Float64Array(bytes, 16, 4);
  let at = HEAD + 8 * channels;
  const [poses, arrows, traces, solids] = floats.map((count) => {
    const list = new Float32Array(bytes, at, count);
    at += 4 * count;
    return list;
  });
  return {
    scene, number, playing: (flags & 1) !== 0, past: (flags & 2) !== 0, time, speed, begin, end,
    channels: new Float64Array(bytes, HEAD, channels), poses, arrows, traces, solids,
  };
}

/** Rows of time and channels from before the page was opened; null if the bytes are something else. */
export function readPast(bytes: ArrayBuffer, scene: number, channels: number): Float64Array[] | null {
  if (bytes.byteLength < 16) return null;
  const [kind, of, rows, columns] = new Uint32Array(bytes, 0, 4);
  const width = columns + 1;
  if (kind !== 2 || of !== scene || columns !== channels || bytes.byteLength !== 16 + 8 * rows * width) return null;
  return Array.from({ length: rows }, (_, r) => new Float64Array(bytes, 16 + 8 * r * width, width));
}

/** Which of the two binary messages this is; 0 if it is too short to tell. */
export function kindOf(bytes: ArrayBuffer): number {
  return bytes.byteLength >= 16 ? new Uint32Array(bytes, 0, 1)[0] : 0;
}
