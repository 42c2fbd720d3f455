// The plots next to the scene: which groups are shown, how much of the past, and when they are redrawn.
import { byId, fillSelect } from "./dom";
import { History } from "./history";
import { Plot } from "./plot";
import type { Scenery } from "./protocol";
import type { Wants } from "./wants";

/** Pictures of plots per second. */
const RATE = 12;

const peaksOf = ({ channels, peaks }: Scenery) => channels.map((c) => peaks.includes(c.group));

export class Plots {
  history = new History([]);
  private scenery: Scenery | null = null;
  private shown = new Map<string, Plot>();
  private time = 0;
  private stale = false;
  private marks: number[] = [];
  private chooser = byId<HTMLSelectElement>("plot-add");
  private window = byId<HTMLSelectElement>("plot-window");

  /** `watch` requests the values of a joint that are not sent so far; null if there is no server. */
  constructor(
    private seek: (time: number) => void, private watch: ((joint: number) => void) | null, private wants: Wants,
  ) {
    this.chooser.addEventListener("change", () => this.choose(this.chooser.value));
    this.window.addEventListener("change", () => (this.stale = true));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.again());
    setInterval(() => this.draw(), 1000 / RATE);
    addEventListener("resize", () => (this.stale = true));
  }

  open(scenery: Scenery): void {
    for (const plot of this.shown.values()) plot.dispose();
    this.shown.clear();
    this.scenery = scenery;
    this.history = new History(peaksOf(scenery));
    this.time = 0;
    this.marks = [];
    for (const group of scenery.plots) this.add(group);
    this.offer();
  }

  /** Updates the scene after its channels have changed: shown plots stay, and the scenery's default plots are added. */
  extend(scenery: Scenery): void {
    const before = this.scenery?.plots ?? [];
    this.scenery = scenery;
    this.history = new History(peaksOf(scenery));
    for (const [group, plot] of [...this.shown]) {
      if (plot.renumber(scenery)) continue;
      this.remove(group);
      this.add(group);
    }
    for (const group of scenery.plots) if (!before.includes(group)) this.add(group);
    this.offer();
  }

  private choose(group: string): void {
    const joints = this.unsent().get(group) ?? [];
    // the plot is added when the new scenery arrives
    for (const joint of joints) this.watch?.(joint);
    if (joints.length === 0) this.add(group);
    this.offer();
  }

  /** The joints whose values are sent on request, by group. */
  private unsent(): Map<string, number[]> {
    const groups = new Map<string, number[]>();
    this.scenery?.joints.forEach(({ name, kind, channel }, k) => {
      if (!this.watch || channel !== null || kind === "fixed") return;
      groups.set(`joint ${name}`, [...(groups.get(`joint ${name}`) ?? []), k]);
    });
    return groups;
  }

  private add(group: string): void {
    if (!this.scenery || this.shown.has(group) || !this.scenery.channels.some((c) => c.group === group)) return;
    const plot = new Plot(group, this.scenery, this.seek, () => this.remove(group));
    this.shown.set(group, plot);
    this.wants.set(group, true);
    byId("plot-list").append(plot.element);
    this.stale = true;
  }

  private remove(group: string): void {
    this.shown.get(group)?.dispose();
    this.shown.delete(group);
    this.wants.set(group, false);
    this.offer();
  }

  /** Creates the plots again, for another colour scheme. */
  private again(): void {
    const groups = [...this.shown.keys()];
    groups.forEach((group) => this.remove(group));
    groups.forEach((group) => this.add(group));
    this.offer();
  }

  /** Offers the groups that are not shown. */
  private offer(): void {
    const sent = this.scenery?.channels.map((c) => c.group) ?? [];
    const groups = [...new Set([...sent, ...this.unsent().keys()])].filter((g) => !this.shown.has(g));
    fillSelect(this.chooser, [["", "add a plot …"], ...groups.map((g): [string, string] => [g, g])]);
    this.chooser.value = "";
    this.chooser.disabled = groups.length === 0;
  }

  /** Prepends the values from before the page's first frame. */
  before(rows: Float64Array[]): void {
    if (!this.scenery || rows.length === 0) return;
    const later = this.history.read(false);
    const kept = Array.from(later.times, (t, r) => ({ t, row: this.scenery!.channels.map((_, k) => later.of(k)[r]) }));
    this.history = new History(peaksOf(this.scenery));
    for (const row of rows) this.history.add(row[0], row.subarray(1));
    const last = rows[rows.length - 1][0];
    for (const { t, row } of kept) if (t > last) this.history.add(t, row);
    this.stale = true;
  }

  take(time: number, channels: Float64Array, past: boolean): void {
    if (!past) this.history.add(time, channels);
    this.time = time;
    this.stale = true;
  }

  /** The times of events, shown as ticks at the bottom of each plot. */
  mark(times: number[]): void {
    this.marks = times;
    this.stale = true;
  }

  private draw(): void {
    if (!this.stale || document.hidden) return;
    this.stale = false;
    const seconds = this.window.value === "all" ? null : Number(this.window.value);
    const columns = this.history.read(seconds === null);
    for (const plot of this.shown.values()) plot.update(columns, this.time, seconds, this.marks);
  }
}
