// One plot of one group of channels, with the current time marked.
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { make, short } from "./dom";
import type { Columns } from "./history";
import type { Scenery } from "./protocol";
import { cssColour } from "./swarm";

const PALETTE = ["#0072b2", "#e69f00", "#009e73", "#d55e00", "#cc79a7", "#56b4e9", "#999933", "#882255"];
const DASHES = [[], [6, 4], [2, 3], [8, 3, 2, 3], [12, 4]];
const HEIGHT = 150;
/** The height of the mark of an event, px. */
const EVENT = 9;
const ROUND_OFF = 2e-15;
/** Powers of ten below this are not drawn where there are others above. */
const LEAST_POWER = -18;

/** Lowest and highest finite number, made a little wider; a plot of a constant gets room too. */
function limits(columns: ArrayLike<number>[], first: number, last: number, logarithmic: boolean): [number, number] {
  let [low, high] = [Infinity, -Infinity];
  for (const column of columns) {
    for (let k = first; k <= last; k++) {
      const y = column[k];
      if (!Number.isFinite(y)) continue;
      if (y < low) low = y;
      if (y > high) high = y;
    }
  }
  if (low > high) return [-1, 1];
  // a number that happens to be almost zero must not flatten all others
  if (logarithmic && high > LEAST_POWER) low = Math.max(low, LEAST_POWER);
  const size = Math.max(Math.abs(low), Math.abs(high));
  // values below round-off are drawn as zero
  const least = size === 0 ? 1 : Math.max(1e-5 * size, ROUND_OFF);
  const room = Math.max(0.06 * (high - low), 0.5 * (least - (high - low)));
  return [low - room, high + room];
}

/** Tick labels with enough digits to tell them apart. */
function ticks(values: number[], logarithmic: boolean): string[] {
  if (logarithmic) return values.map((v) => (Number.isInteger(v) ? `1e${v}` : ""));
  const step = Math.abs((values[1] ?? 1) - values[0]);
  const size = Math.max(...values.map(Math.abs));
  const large = size >= 1e5 || size < 1e-3;
  // enough decimals to write the step in full: 0.025 needs three
  const unit = large ? 10 ** Math.floor(Math.log10(size)) : 1;
  let places = 0;
  while (places < 9 && Math.abs(Math.round((step / unit) * 10 ** places) / 10 ** places - step / unit) > 1e-3 * (step / unit)) places++;
  const write = (v: number) => (large ? v.toExponential(places).replace("e+", "e") : v.toFixed(places));
  return values.map((v) => (Math.abs(v) < 1e-6 * step ? "0" : write(v)));
}

/** The space for labels, px. */
const room = (labels: string[] | null) => Math.max(40, 14 + 6.4 * Math.max(0, ...(labels ?? []).map((l) => l.length)));

/** The indices of the channels of a group. */
const numbers = (scenery: Scenery, group: string) => scenery.channels.flatMap((c, k) => (c.group === group ? [k] : []));

export class Plot {
  readonly element: HTMLElement;
  private plot: uPlot;
  private channels: number[];
  private logarithmic = false;
  private time = 0;
  private range: [number, number] = [0, 1];
  private marks: number[] = [];

  constructor(readonly group: string, scenery: Scenery, seek: (time: number) => void, remove: () => void) {
    this.channels = numbers(scenery, group);
    this.logarithmic = scenery.logarithmic.includes(group);
    const channels = this.channels.map((k) => scenery.channels[k]);
    const unit = [...new Set(channels.map((c) => c.unit))].filter(Boolean).join(", ");
    const log = make("button", {
      class: "small", title: "logarithm of the magnitude", "aria-pressed": String(this.logarithmic), "data-log": group,
      click: () => this.setLog(log),
    }, "log");
    const close = make("button", {
      class: "small", title: `close the plot ${group}`, "aria-label": `close the plot ${group}`, "data-close-plot": group, click: remove,
    }, "×");
    const holder = make("div", { class: "plot-area" });
    const heading = make("h3", {}, group, unit && make("span", { class: "unit" }, ` / ${unit}`));
    this.element = make("section", { class: "plot", "data-plot": group },
      make("header", {}, heading, make("span", { class: "grow" }), log, close), holder);
    this.plot = new uPlot(this.options(scenery, channels), [[]], holder);
    this.plot.over.addEventListener("click", () => {
      const x = this.plot.cursor.left ?? -1;
      if (x >= 0) seek(this.plot.posToVal(x, "x"));
    });
  }

  private options(scenery: Scenery, channels: Scenery["channels"]): uPlot.Options {
    const several = scenery.tracks.length > 1;
    const names = [...new Set(channels.map((c) => c.name))];
    const ink = getComputedStyle(document.documentElement).getPropertyValue("--soft");
    const faint = getComputedStyle(document.documentElement).getPropertyValue("--faint");
    const axis = { stroke: ink, grid: { stroke: faint, width: 1 }, ticks: { stroke: faint, size: 4 }, font: "11px system-ui, sans-serif" };
    const value = (_: uPlot, v: number | null) => (v === null ? "–" : short(this.logarithmic ? 10 ** v : v, 4));
    return {
      width: 300, height: HEIGHT, padding: [6, 16, 0, 0],
      scales: {
        x: { time: false, range: () => this.range },
        y: { range: (u) => this.yRange(u) },
      },
      axes: [
        { ...axis, size: 24, gap: 2, values: (_, v) => v.map((t) => `${short(t, 6)} s`), space: 60 },
        { ...axis, size: (_, labels) => room(labels), gap: 3, values: (_, v) => ticks(v, this.logarithmic), space: 26 },
      ],
      legend: { live: true },
      cursor: { drag: { x: false, y: false }, points: { size: 6 } },
      series: [
        { label: "t", value: (_, v) => (v === null ? "–" : `${short(v, 5)} s`) },
        ...channels.map((c, k) => ({
          label: !several ? c.name : names.length === 1 ? scenery.tracks[c.track].label : `${c.name}, ${scenery.tracks[c.track].label}`,
          stroke: several ? cssColour(scenery.tracks[c.track].colour) : PALETTE[k % PALETTE.length],
          dash: several ? DASHES[names.indexOf(c.name) % DASHES.length] : [],
          width: 1.5, value, points: { show: false }, pxAlign: 0,
        })),
      ],
      hooks: { draw: [(u) => this.tick(u), (u) => this.mark(u)] },
    };
  }

  /** Updates the indices of its channels; false if there are more of them and the plot must be created again. */
  renumber(scenery: Scenery): boolean {
    const before = this.channels.length;
    this.channels = numbers(scenery, this.group);
    return this.channels.length === before;
  }

  private yRange(u: uPlot): [number, number] {
    const shown = u.data.slice(1).filter((_, k) => u.series[k + 1].show) as ArrayLike<number>[];
    const times = u.data[0];
    let [first, last] = [0, times.length - 1];
    while (first < last && times[first] < this.range[0]) first++;
    while (last > first && times[last] > this.range[1]) last--;
    return limits(shown, first, last, this.logarithmic);
  }

  /** A short line at the bottom for each event. */
  private tick(u: uPlot): void {
    const { ctx, bbox } = u;
    const foot = bbox.top + bbox.height;
    ctx.save();
    ctx.strokeStyle = "#cc79a7";
    ctx.lineWidth = 2 * devicePixelRatio;
    ctx.beginPath();
    for (const time of this.marks) {
      const x = u.valToPos(time, "x", true);
      if (!(x >= bbox.left && x <= bbox.left + bbox.width)) continue;
      ctx.moveTo(x, foot);
      ctx.lineTo(x, foot - EVENT * devicePixelRatio);
    }
    ctx.stroke();
    ctx.restore();
  }

  /** A line at the current time. */
  private mark(u: uPlot): void {
    const { ctx, bbox } = u;
    const x = u.valToPos(this.time, "x", true);
    if (!(x >= bbox.left && x <= bbox.left + bbox.width)) return;
    ctx.save();
    ctx.setLineDash([]);
    ctx.strokeStyle = "#d55e00";
    ctx.lineWidth = devicePixelRatio;
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    ctx.restore();
  }

  private setLog(button: HTMLElement): void {
    this.logarithmic = !this.logarithmic;
    button.setAttribute("aria-pressed", String(this.logarithmic));
  }

  /** Shows these columns, their last `seconds` or all, and events. */
  update(columns: Columns, time: number, seconds: number | null, marks: number[]): void {
    const width = this.element.clientWidth;
    if (width === 0) return;
    if (Math.abs(width - this.plot.width) > 1) this.plot.setSize({ width, height: HEIGHT });
    this.time = time;
    this.marks = marks;
    const { times } = columns;
    const [first, last] = [times[0] ?? 0, times[times.length - 1] ?? 1];
    // a window follows the time that is shown, so that one can look back through it
    const end = seconds === null ? last : Math.min(last, Math.max(time + 0.1 * seconds, first + seconds));
    const begin = seconds === null ? first : Math.max(first, end - seconds);
    this.range = [begin, Math.max(end, begin + 1e-3)];
    const bent = (list: Float64Array) => list.map((y) => Math.log10(Math.abs(y)));
    const data = this.channels.map((k) => (this.logarithmic ? bent(columns.of(k)) : columns.of(k)));
    this.plot.setData([times, ...data] as uPlot.AlignedData);
    const pointed = (this.plot.cursor.left ?? -1) >= 0;
    if (!pointed && times.length > 0) {
      let at = times.findIndex((t) => t >= time);
      if (at < 0) at = times.length - 1;
      this.plot.setLegend({ idx: at });
    }
  }

  dispose(): void {
    this.plot.destroy();
    this.element.remove();
  }
}
