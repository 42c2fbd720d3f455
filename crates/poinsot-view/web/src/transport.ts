// The bar below the scene: play, pause, step, reset, keyframes, speed and the timeline.
import { byId, fillSelect, make, Newest, short } from "./dom";
import type { Frame } from "./frame";
import type { Scenery, Source, Status } from "./protocol";

const SPEEDS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100];

export class Transport {
  private playing = false;
  private frame: Frame | null = null;
  private dt = 0.01;
  private dragging = false;
  /** The time reached by stepping back; coarse histories do not have a moment for each step. */
  private back: number | null = null;
  private play = byId<HTMLButtonElement>("play");
  private speed = byId<HTMLSelectElement>("speed");
  private line = byId<HTMLInputElement>("timeline");
  private key = byId<HTMLSelectElement>("keyframe");
  private wanted: Newest<number>;

  constructor(private source: Source) {
    this.wanted = new Newest((time) => source.send({ do: "seek", time }));
    fillSelect(this.speed, SPEEDS.map((s) => [String(s), `${s}×`]));
    this.play.addEventListener("click", () => this.toggle());
    byId("step").addEventListener("click", () => this.step());
    byId("step-back").addEventListener("click", () => this.stepBack());
    byId("reset").addEventListener("click", () => this.reset());
    this.speed.addEventListener("change", () => source.send({ do: "speed", value: Number(this.speed.value) }));
    this.key.addEventListener("change", () => {
      if (this.key.value !== "") source.send({ do: "key", index: Number(this.key.value) });
      this.key.value = "";
    });
    this.line.addEventListener("pointerdown", () => (this.dragging = true));
    for (const end of ["pointerup", "pointercancel", "change"]) {
      this.line.addEventListener(end, () => (this.dragging = false));
    }
    this.line.addEventListener("input", () => this.seek(Number(this.line.value)));
    byId<HTMLInputElement>("loop").addEventListener("change", (e) =>
      source.send({ do: "loop", on: (e.target as HTMLInputElement).checked }));
  }

  open(scenery: Scenery): void {
    this.frame = null;
    this.back = null;
    this.dt = Math.max(1e-6, ...scenery.tracks.map((t) => t.dt));
    fillSelect(this.key, [["", "keyframe …"], ...scenery.keyframes.map((name, k): [string, string] => [String(k), name || `key ${k}`])]);
    this.key.hidden = scenery.keyframes.length === 0 || !this.source.live;
  }

  toggle(): void {
    this.back = null;
    this.source.send({ do: this.playing ? "pause" : "play" });
  }

  step(): void {
    this.back = null;
    this.source.send({ do: "step" });
  }

  stepBack(): void {
    if (!this.frame) return;
    const from = Math.min(this.frame.time, this.back ?? Infinity);
    this.back = Math.max(this.frame.begin, from - Math.max(this.dt, 1 / 60));
    this.source.send({ do: "seek", time: this.back });
  }

  reset(): void {
    this.back = null;
    this.source.send({ do: "reset" });
  }

  /** Goes to a time of the history. */
  seek(time: number): void {
    this.back = null;
    this.wanted.put(time);
  }

  status(status: Status): void {
    this.playing = status.playing;
    if (status.dt.length > 0) this.dt = Math.max(...status.dt);
    const word = status.playing ? "pause" : "play";
    this.play.dataset.state = status.playing ? "playing" : "paused";
    this.play.title = `${word} (space)`;
    this.play.setAttribute("aria-label", word);
    const value = String(status.speed);
    const known = [...this.speed.options].some((o) => o.value === value);
    if (!known) this.speed.append(make("option", { value }, `${short(status.speed, 3)}×`));
    this.speed.value = value;
  }

  take(frame: Frame): void {
    this.frame = frame;
  }

  /** Shows the time of the last frame. */
  draw(): void {
    const frame = this.frame;
    if (!frame) return;
    byId("time").textContent = `${frame.time.toFixed(frame.end < 100 ? 3 : 2)} s`;
    byId("reached").textContent = frame.playing && frame.speed > 0 ? `runs at ${short(frame.speed, 2)}×` : frame.past && this.source.live ? "looking back" : "";
    this.line.min = String(frame.begin);
    this.line.max = String(Math.max(frame.end, frame.begin + 1e-9));
    if (!this.dragging) this.line.value = String(frame.time);
    const part = (frame.time - frame.begin) / Math.max(frame.end - frame.begin, 1e-9);
    this.line.style.setProperty("--part", `${100 * Math.min(1, Math.max(0, part))}%`);
  }
}
