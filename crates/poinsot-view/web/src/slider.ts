// A slider with its name and value, which follows the simulation unless the user holds it.
import { make, Newest, short } from "./dom";

export interface Spec {
  id: string;
  kind: "joint" | "actuator" | "stiffness" | "gain" | "mass";
  name: string;
  unit: string;
  range: [number, number];
  channel: number | null;
  number: number;
  /** The initial value; by default 0, or the nearest in its range. */
  start?: number;
  /** True for a logarithmic scale. */
  logarithmic?: boolean;
}

export class Slider {
  readonly element: HTMLElement;
  private input: HTMLInputElement;
  private shown: HTMLElement;
  private held = false;
  private wanted: Newest<number>;

  constructor(readonly spec: Spec, send: (value: number) => void) {
    this.wanted = new Newest(send);
    const [min, max] = spec.range.map((x) => this.placed(x));
    const middle = Math.min(Math.max(spec.start === undefined ? 0 : this.placed(spec.start), min), max);
    this.input = make("input", {
      id: spec.id, type: "range", min, max, step: "any", value: middle, [`data-${spec.kind}`]: spec.number, "aria-label": spec.name,
      input: () => this.move(), pointerdown: () => (this.held = true), pointerup: () => (this.held = false),
      pointercancel: () => (this.held = false),
      dblclick: () => {
        this.input.value = String(middle);
        this.move();
      },
    });
    this.shown = make("output", { for: spec.id });
    this.element = make("div", { class: "slider" }, make("label", { for: spec.id, title: spec.name }, spec.name), this.shown, this.input);
    this.write(this.value());
  }

  /** The position of a value on the slider. */
  private placed(value: number): number {
    return this.spec.logarithmic ? Math.log10(value) : value;
  }
  private value(): number {
    const [low, high] = this.spec.range;
    const place = Number(this.input.value);
    // rounding must not lead out of the range
    return this.spec.logarithmic ? Math.min(Math.max(10 ** place, low), high) : place;
  }

  private move(): void {
    const value = this.value();
    this.wanted.put(value);
    this.write(value);
  }

  private write(value: number): void {
    const text = `${Math.abs(value) < 5e-4 && !this.spec.logarithmic ? "0" : short(value, 3)} ${this.spec.unit}`;
    if (this.shown.textContent !== text) this.shown.textContent = text;
  }

  follow(value: number | undefined): void {
    if (value === undefined || !Number.isFinite(value) || this.held || this.wanted.waiting) return;
    this.input.value = String(this.placed(value));
    this.write(value);
  }
}
