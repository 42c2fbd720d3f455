// How bodies that touch are kept apart: the solver, the detection, and the gains of springs and dampers.
import { fillSelect, make } from "./dom";
import { Slider } from "./slider";
import type { Source, Status } from "./protocol";

const SOLVERS: [string, string][] = [
  ["exact", "contact: exact"], ["lcp", "contact: lcp, cones of 4 edges"], ["pgs", "contact: pgs, 50 sweeps"],
  ["impulse", "contact: impulse, one after another"], ["penalty", "contact: penalty, springs"], ["none", "contact: none"],
];
const DETECTIONS: [string, string][] = [["swept", "bodies are followed (swept)"], ["discrete", "looked for once a step (discrete)"]];

/** Where sliders of gains begin, N/m and N s/m. */
const GAINS: [number, number] = [1e4, 100];

export class ContactChoice {
  readonly element: HTMLElement;
  private solver: HTMLSelectElement;
  private detection: HTMLSelectElement;
  /** Choices that are on no list, as that of the law of restitution. */
  private others: string[] = [];
  private springs: HTMLElement;
  private sliders: Slider[];
  private gains = [...GAINS];
  private untouched: HTMLElement;

  constructor(private source: Source, private track: number, label: string) {
    const send = () => this.send();
    this.solver = make("select", { id: `contact-${track}`, "aria-label": `contact, ${label}`, title: "how contacts are solved", change: send });
    fillSelect(this.solver, SOLVERS);
    this.detection = make("select", { id: `detection-${track}`, "aria-label": `detection, ${label}`, title: "how contacts are found", change: send });
    fillSelect(this.detection, DETECTIONS);
    const gain = (k: number, name: string, unit: string, range: [number, number]) => new Slider(
      { id: `gain-${track}-${k}`, kind: "gain", name, unit, range, start: GAINS[k], logarithmic: true, channel: null, number: k },
      (value) => {
        this.gains[k] = value;
        const [stiffness, damping] = this.gains;
        source.send({ do: "gains", track, stiffness, damping });
      });
    this.sliders = [gain(0, "stiffness k_p", "N/m", [1, 1e8]), gain(1, "damping k_d", "N s/m", [0.01, 1e6])];
    this.springs = make("div", { class: "gains", hidden: true }, ...this.sliders.map((s) => s.element));
    this.untouched = make("p", { class: "stopped bad", id: `untouched-${track}`, hidden: true });
    this.element = make("div", { class: "contact" }, this.solver, this.detection, this.springs, this.untouched);
  }

  private send(): void {
    const choices = this.detection.value === "discrete" ? ["discrete", ...this.others] : this.others;
    const all = this.solver.value === "none" ? ["none"] : [this.solver.value, ...choices];
    this.source.send({ do: "contact", track: this.track, name: all.join("/") });
  }

  status(status: Status): void {
    const [solver, ...choices] = (status.contact[this.track] ?? "none").split("/");
    this.others = choices.filter((choice) => choice !== "discrete");
    // cones of another number of edges are on no list
    if (![...this.solver.options].some((o) => o.value === solver)) this.solver.append(make("option", { value: solver }, `contact: ${solver}`));
    this.solver.value = solver;
    this.detection.value = choices.includes("discrete") ? "discrete" : "swept";
    this.detection.disabled = solver === "none";
    this.springs.hidden = solver !== "penalty";
    const gains = status.gains[this.track];
    if (gains) {
      this.gains = [...gains];
      this.sliders.forEach((slider, k) => slider.follow(gains[k]));
    }
    const sentence = status.untouched[this.track];
    this.untouched.hidden = !sentence;
    this.untouched.textContent = sentence ?? "";
  }
}
