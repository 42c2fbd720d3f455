// The panel of contact: the solver, the detection, and the gains of springs and dampers.
import { fillSelect, make } from "./dom";
import { Slider } from "./slider";
import type { Body, Source, Status } from "./protocol";

const SOLVERS: [string, string][] = [
  ["exact", "contact: exact"], ["lcp", "contact: lcp, cones of 4 edges"], ["pgs", "contact: pgs, 50 sweeps"],
  ["impulse", "contact: impulse, one after another"], ["penalty", "contact: penalty, springs"], ["none", "contact: none"],
];
const DETECTIONS: [string, string][] = [["swept", "bodies are followed (swept)"], ["discrete", "looked for once a step (discrete)"]];

/** The initial gains of the sliders, N/m and N s/m. */
const GAINS: [number, number] = [1e4, 100];

/** The range of masses, kg, and the largest number of bodies of a track with a slider. */
const MASSES: [number, number] = [1e-3, 1e4];
const MOST_MASSES = 12;

/** Why contact is not simulated although the scene has it: the integrator does not support it. */
export function contactOff(status: Status, track: number): string | null {
  return status.contact[track] === "none" ? (status.untouched[track] ?? null) : null;
}

export class ContactChoice {
  readonly element: HTMLElement;
  private solver: HTMLSelectElement;
  private detection: HTMLSelectElement;
  /** Choices that are not on a list, such as the law of restitution. */
  private others: string[] = [];
  private springs: HTMLElement;
  private sliders: Slider[];
  /** Mass sliders next to the gains: the effect of a spring depends on both. */
  private masses: Slider[];
  private gains = [...GAINS];
  private untouched: HTMLElement;

  constructor(private source: Source, private track: number, label: string, bodies: Body[]) {
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
    const heavy = bodies.flatMap((body, k) => (body.track === track && body.moves && body.mass > 0 ? [k] : []));
    this.masses = heavy.slice(0, MOST_MASSES).map((k) => new Slider(
      { id: `mass-${k}`, kind: "mass", name: `mass of ${bodies[k].name}`, unit: "kg", range: MASSES, start: bodies[k].mass,
        logarithmic: true, channel: null, number: k },
      (value) => source.send({ do: "mass", body: k, value })));
    const sliders = [...this.sliders, ...this.masses];
    this.springs = make("div", { class: "gains", hidden: true }, ...sliders.map((s) => s.element));
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
    // cones with other numbers of edges are not on the list
    if (![...this.solver.options].some((o) => o.value === solver)) this.solver.append(make("option", { value: solver }, `contact: ${solver}`));
    this.solver.value = solver;
    this.detection.value = choices.includes("discrete") ? "discrete" : "swept";
    this.detection.disabled = solver === "none";
    this.solver.disabled = contactOff(status, this.track) !== null;
    this.springs.hidden = solver !== "penalty";
    const gains = status.gains[this.track];
    if (gains) {
      this.gains = [...gains];
      this.sliders.forEach((slider, k) => slider.follow(gains[k]));
    }
    for (const slider of this.masses) slider.follow(status.masses[slider.spec.number]);
    const sentence = status.untouched[this.track];
    this.untouched.hidden = !sentence;
    this.untouched.textContent = sentence ?? "";
  }
}
