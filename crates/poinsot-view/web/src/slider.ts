// A slider with its name and number, that follows the simulation unless a hand is on it.
import { make, Newest, short } from "./dom";

export interface Spec {
  id: string;
  kind: "joint" | "actuator";
  name: string;
  unit: string;
  range: [number, number];
  channel: number | null;
  number: number;
}

export class Slider {
  readonly element: HTMLElement;
  private input: HTMLInputElement;
  private shown: HTMLElement;
  private held = false;
  private wanted: Newest<number>;

  constructor(readonly spec: Spec, send: (value: number) => void) {
    this.wanted = new Newest(send);
    const [min, max] = spec.range;
    const middle = Math.min(Math.max(0, min), max);
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
    this.write(middle);
  }

  private move(): void {
    const value = Number(this.input.value);
    this.wanted.put(value);
    this.write(value);
  }

  private write(value: number): void {
    const text = `${Math.abs(value) < 5e-4 ? "0" : short(value, 3)} ${this.spec.unit}`;
    if (this.shown.textContent !== text) this.shown.textContent = text;
  }

  follow(value: number | undefined): void {
    if (value === undefined || !Number.isFinite(value) || this.held || this.wanted.waiting) return;
    this.input.value = String(value);
    this.write(value);
  }
}
