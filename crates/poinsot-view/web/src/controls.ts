// The panel of the simulation: integrators, steps, coordinates, gravity, and sliders for joints, actuators and stiffness.
import { byId, fillSelect, make } from "./dom";
import type { Frame } from "./frame";
import { ContactChoice } from "./contact";
import { Slider } from "./slider";
import type { Formulation, Scenery, Source, Status, Track } from "./protocol";
import { cssColour } from "./swarm";

/** With this many sliders or more there is a filter. */
const MANY = 8;
/** More sliders than this would be slow; the filter finds the others. */
const MOST = 60;

/** Choices whose labels are their values. */
const named = (names: string[]) => names.map((n): [string, string] => [n, n]);

interface Row {
  integrator: HTMLSelectElement;
  formulation: HTMLSelectElement | null;
  contact: ContactChoice | null;
  dt: HTMLInputElement;
  stopped: HTMLElement;
}

export class Controls {
  private rows: Row[] = [];
  private joints: Slider[] = [];
  private actuators: Slider[] = [];
  private softs: Slider[] = [];
  private scenery: Scenery | null = null;
  private gravity = byId<HTMLInputElement>("gravity");
  private filter = byId<HTMLInputElement>("slider-filter");

  constructor(private source: Source) {
    this.gravity.addEventListener("change", () => source.send({ do: "gravity", on: this.gravity.checked }));
    this.filter.addEventListener("input", () => this.sift());
  }

  open(scenery: Scenery): void {
    this.scenery = scenery;
    this.openTracks(scenery);
    // without gravity there is nothing to switch off
    this.gravity.closest("label")?.toggleAttribute("hidden", !scenery.gravity);
    const several = scenery.tracks.length > 1;
    const name = (n: string, track: number) => (several ? `${n}, ${scenery.tracks[track].label}` : n);
    const way = (unit: string): [number, number] => (unit === "m" ? [-1, 1] : [-Math.PI, Math.PI]);
    this.joints = scenery.joints.flatMap((joint, k) => !joint.single ? [] : [new Slider(
      { id: `joint-${k}`, kind: "joint", name: name(joint.name, joint.track), unit: joint.unit,
        range: joint.range ?? way(joint.unit), channel: joint.channel, number: k },
      (value) => this.source.send({ do: "joint", joint: k, value }))]);
    this.actuators = scenery.actuators.map((a, k) => new Slider(
      { id: `actuator-${k}`, kind: "actuator", name: name(a.name, a.track), unit: "", range: a.range ?? [-1, 1], channel: null, number: k },
      (value) => this.source.send({ do: "control", actuator: k, value })));
    this.softs = scenery.softs.map((soft, k) => new Slider(
      { id: `stiffness-${k}`, kind: "stiffness", name: name(soft.name, soft.track), unit: soft.unit, range: soft.range,
        start: soft.stiffness, logarithmic: true, channel: null, number: k },
      (value) => this.source.send({ do: "stiffness", constraint: k, value })));
    byId("soft-list").replaceChildren(...this.softs.map((s) => s.element));
    byId("softs").hidden = this.softs.length === 0;
    byId("joint-list").replaceChildren(...this.joints.map((s) => s.element));
    byId("actuator-list").replaceChildren(...this.actuators.map((s) => s.element));
    byId("joints").hidden = this.joints.length === 0;
    byId("actuators").hidden = this.actuators.length === 0;
    this.filter.hidden = this.joints.length + this.actuators.length + this.softs.length < MANY;
    this.filter.value = "";
    this.sift();
  }

  /** Updates the scene after its channels have changed. */
  renumber(scenery: Scenery): void {
    for (const { spec } of this.joints) spec.channel = scenery.joints[spec.number].channel;
  }

  private openTracks(scenery: Scenery): void {
    const several = scenery.tracks.length > 1;
    const all = several ? [this.row(scenery, null)] : [];
    this.rows = scenery.tracks.map((_, k) => this.row(scenery, k).row);
    byId("tracks").replaceChildren(...all.map((r) => r.element), ...this.rows.map((r) => r.integrator.closest(".track") as Node));
  }

  /** Integrator and step of a track, or of all. */
  private row(scenery: Scenery, track: number | null): { element: HTMLElement; row: Row } {
    const id = track ?? "all";
    const of = track === null ? {} : { track };
    const names = track === null
      ? scenery.tracks[0].integrators.filter((n) => scenery.tracks.every((t) => t.integrators.includes(n)))
      : scenery.tracks[track].integrators;
    const label = track === null ? "all" : scenery.tracks.length > 1 ? scenery.tracks[track].label : "integrator and step";
    const integrator = make("select", {
      id: `integrator-${id}`, "aria-label": `integrator, ${label}`, title: "integrator",
      change: () => integrator.value && this.source.send({ do: "integrator", ...of, name: integrator.value }),
    });
    fillSelect(integrator, [...(track === null ? [["", "integrator …"] as [string, string]] : []), ...named(names)]);
    const dt = make("input", {
      id: `dt-${id}`, type: "number", min: 0, step: "any", "aria-label": `step in seconds, ${label}`, title: "step, s", placeholder: "step",
      // the server reports what is wrong with a step size
      change: () => dt.value !== "" && this.source.send({ do: "dt", ...of, value: Number(dt.value) }),
    });
    const formulation = track === null ? null : this.formulation(scenery.tracks[track], track, label);
    const contact = track !== null && scenery.tracks[track].touches ? new ContactChoice(this.source, track, label, scenery.bodies) : null;
    const refused = track === null ? null : scenery.tracks[track].refused;
    const stopped = make("p", { class: "stopped", id: `stopped-${id}`, hidden: true });
    const heading = make("span", { class: "track-name" }, label);
    if (track !== null && scenery.tracks.length > 1) heading.style.setProperty("--colour", cssColour(scenery.tracks[track].colour));
    const element = make("div", { class: "track", "data-track": String(id) }, heading, integrator, dt,
      make("span", { class: "unit" }, "s"), formulation, contact?.element,
      refused && make("p", { class: "refused quiet", id: `refused-${id}` }, `no maximal coordinates: ${refused}`), stopped);
    return { element, row: { integrator, formulation, contact, dt, stopped } };
  }

  /** The choice of coordinates. */
  private formulation(info: Track, track: number, label: string): HTMLSelectElement {
    const select = make("select", {
      id: `formulation-${track}`, class: "formulation", "aria-label": `coordinates, ${label}`, title: info.refused ?? "coordinates",
      change: () => this.source.send({ do: "formulation", track, name: select.value as Formulation }),
    });
    fillSelect(select, [["reduced", "joint coordinates (reduced)"], ["maximal", "free bodies (maximal)"]]);
    select.disabled = info.refused !== null;
    return select;
  }

  private sift(): void {
    const words = this.filter.value.toLowerCase().split(/\s+/);
    let room = MOST;
    for (const slider of [...this.softs, ...this.actuators, ...this.joints]) {
      const fits = words.every((w) => slider.spec.name.toLowerCase().includes(w));
      slider.element.hidden = !fits || room-- <= 0;
    }
    byId("slider-more").hidden = room >= 0;
  }

  status(status: Status): void {
    this.gravity.checked = status.gravity;
    this.rows.forEach((row, k) => {
      const name = status.integrator[k] ?? "";
      this.offer(row, k, status.formulation[k] ?? "reduced");
      if (name && ![...row.integrator.options].some((o) => o.value === name)) row.integrator.append(make("option", { value: name }, name));
      row.integrator.value = name;
      if (document.activeElement !== row.dt) row.dt.value = String(status.dt[k] ?? "");
      row.contact?.status(status);
      const pulled = status.pulling?.integrator[k];
      const why = status.stopped[k];
      row.stopped.hidden = !why && (!pulled || pulled === name);
      row.stopped.textContent = why ? `stopped: ${why}` : pulled ? `while pulled: ${pulled}` : "";
      row.stopped.classList.toggle("bad", !!why);
    });
    this.actuators.forEach((slider, k) => slider.follow(status.controls[k]));
    this.softs.forEach((slider, k) => slider.follow(status.stiffness[k]));
  }

  /** Shows the coordinates of a track, and offers the integrators that they allow. */
  private offer(row: Row, track: number, formulation: Formulation): void {
    const info = this.scenery?.tracks[track];
    if (!info || !row.formulation) return;
    row.formulation.value = formulation;
    const names = formulation === "maximal" ? info.maximal : info.integrators;
    if ([...row.integrator.options].map((o) => o.value).join() !== names.join()) fillSelect(row.integrator, named(names));
  }

  /** Moves the joint sliders to the current coordinates. */
  draw(frame: Frame): void {
    for (const slider of this.joints) {
      const { channel } = slider.spec;
      if (channel !== null && !slider.element.hidden) slider.follow(frame.channels[channel]);
    }
  }
}
