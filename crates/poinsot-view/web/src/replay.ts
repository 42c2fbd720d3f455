// Plays a recording embedded in the page; it accepts the same commands as a server, where they make sense.
import type { Command, Listener, Scenery, Source, Status } from "./protocol";

interface Recording {
  scenery: Scenery;
  meshes: string[];
  frames: string;
}

/** The recording in this page, if it is a replay. */
export function recording(): Recording | null {
  const text = document.getElementById("recording")?.textContent;
  return text ? JSON.parse(text) : null;
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let k = 0; k < text.length; k++) bytes[k] = text.charCodeAt(k);
  return bytes;
}

async function framesOf(base64: string): Promise<ArrayBuffer[]> {
  const packed = new Blob([bytesOf(base64)]).stream();
  const all = await new Response(packed.pipeThrough(new DecompressionStream("deflate-raw"))).arrayBuffer();
  const view = new DataView(all);
  const frames = [];
  for (let at = 0; at + 4 <= all.byteLength; ) {
    const length = view.getUint32(at, true);
    if (length < 48) break;
    frames.push(all.slice(at + 4, at + 4 + length));
    at += 4 + length;
  }
  return frames;
}

export class Replay implements Source {
  readonly live = false;
  private frames: ArrayBuffer[] = [];
  private times: number[] = [];
  private time = 0;
  private shown = -1;
  private loop = true;
  private status: Status;
  private before = 0;

  constructor(private tape: Recording, private listener: Listener) {
    const { tracks } = tape.scenery;
    this.status = {
      scene: 0, playing: true, speed: 1, dt: tracks.map((t) => t.dt), integrator: tracks.map((t) => t.integrator),
      formulation: [], contact: [], gains: [], untouched: [], masses: [], gravity: true, controls: [], stiffness: [], pulling: null, stopped: [], clients: 1,
    };
  }

  /** Passes the whole run to the listener, then starts to play. */
  async start(): Promise<void> {
    this.frames = await framesOf(this.tape.frames);
    this.times = this.frames.map((f) => new Float64Array(f, 16, 1)[0]);
    if (this.frames.length === 0) throw new Error("the recording has no frames");
    this.status.scene = new Uint32Array(this.frames[0], 4, 1)[0];
    // the speed it was recorded for is in the stamp of the first frame
    const [speed] = new Float64Array(this.frames[0], 24, 1);
    if (speed > 0) this.status.speed = speed;
    this.listener.scene(this.status.scene, this.tape.scenery, []);
    this.listener.status(this.status);
    this.frames.forEach((f, k) => this.stamp(f, k === 0 ? 0 : 1));
    for (const frame of this.frames) this.listener.frame(frame);
    this.frames.forEach((f) => this.stamp(f, 2));
    this.time = this.times[0];
    this.before = performance.now();
    requestAnimationFrame((now) => this.tick(now));
  }

  /** Marks a frame with flags, the speed and the length of the recording. */
  private stamp(frame: ArrayBuffer, flags: number): void {
    new Uint32Array(frame, 12, 1)[0] = flags;
    const reached = this.status.playing ? this.status.speed : 0;
    new Float64Array(frame, 24, 3).set([reached, this.times[0], this.times[this.times.length - 1]]);
  }

  private tick(now: number): void {
    const [begin, end] = [this.times[0], this.times[this.times.length - 1]];
    if (this.status.playing) {
      this.time += ((now - this.before) / 1000) * this.status.speed;
      if (this.time > end) {
        if (this.loop) this.time = begin;
        else {
          this.time = end;
          this.change({ playing: false });
        }
      }
    }
    this.before = now;
    let index = this.times.findIndex((t) => t > this.time + 1e-9) - 1;
    if (index < 0) index = this.time < begin ? 0 : this.times.length - 1;
    this.show(index);
    requestAnimationFrame((next) => this.tick(next));
  }

  private show(index: number): void {
    if (index === this.shown) return;
    this.shown = index;
    this.stamp(this.frames[index], this.status.playing ? 3 : 2);
    this.listener.frame(this.frames[index]);
  }

  private change(what: Partial<Status>): void {
    this.status = { ...this.status, ...what };
    this.listener.status(this.status);
    this.shown = -1;
  }

  send(command: Command): void {
    const [begin, end] = [this.times[0], this.times[this.times.length - 1]];
    switch (command.do) {
      case "play":
        if (this.time >= end) this.time = begin;
        return this.change({ playing: true });
      case "pause":
        return this.change({ playing: false });
      case "step":
        this.time = this.times[Math.min(this.shown + 1, this.times.length - 1)];
        return this.change({ playing: false });
      case "reset":
        this.time = begin;
        return this.change({});
      case "seek":
        this.time = Math.min(Math.max(command.time, begin), end);
        return this.change({ playing: false });
      case "speed":
        return this.change({ speed: command.value });
      case "loop":
        this.loop = command.on;
        return;
      default:
        return;
    }
  }

  async mesh(_: number, number: number): Promise<ArrayBuffer> {
    return bytesOf(this.tape.meshes[number]).buffer;
  }
}
