// Assembles the page: a source of frames, the stage, and the panels around it.
import "./style.css";
import { fillCard, fillSelection } from "./card";
import { contactOff } from "./contact";
import { Controls } from "./controls";
import { byId, toast } from "./dom";
import { listenForFiles } from "./dropping";
import { Events } from "./events";
import { readFrame, readPast, type Frame } from "./frame";
import { Gallery } from "./gallery";
import { Hand } from "./hand";
import { Labels } from "./labels";
import { Live } from "./live";
import { showDiagnostics } from "./messages";
import { startPanels } from "./panels";
import { Plots } from "./plots";
import type { Command, Diagnostic, Happened, Listener, Scenery, Source, Status } from "./protocol";
import { recording, Replay } from "./replay";
import { startShortcuts } from "./shortcuts";
import { Stage } from "./stage";
import { fillSwitches, flip } from "./switches";
import { Transport } from "./transport";
import { Wants } from "./wants";
import { World } from "./world";

class Page implements Listener {
  private stage = new Stage(byId<HTMLCanvasElement>("canvas"));
  private world: World | null = null;
  private scenery: Scenery | null = null;
  private number = -1;
  private known = "";
  private newest: Frame | null = null;
  private frames = 0;
  private source: Source;
  private transport: Transport;
  private controls: Controls;
  private labels = new Labels(this.stage);
  private wants: Wants;
  private plots: Plots;
  private events = new Events((time) => this.transport.seek(time));
  private hand: Hand;
  private gallery: Gallery | null = null;

  constructor() {
    startPanels();
    const tape = recording();
    document.body.classList.add(tape ? "replay" : "live");
    const replay = tape ? new Replay(tape, this) : null;
    this.source = replay ?? new Live(this);
    this.transport = new Transport(this.source);
    this.controls = new Controls(this.source);
    const watch = (joint: number) => this.source.send({ do: "watch", joint });
    this.wants = new Wants(this.source);
    this.plots = new Plots((time) => this.transport.seek(time), this.source.live ? watch : null, this.wants);
    this.hand = new Hand(this.stage, this.source, () => this.world, (body) => this.select(body));
    this.stage.before = () => this.draw();
    if (!replay) {
      this.gallery = new Gallery((name) => this.source.send({ do: "open", name }));
      listenForFiles((ok, diagnostics) => this.dropped(ok, diagnostics));
    }
    this.listen();
    this.expose();
    replay?.start().catch((error: Error) => toast(`this replay cannot be read: ${error.message}`));
  }

  private listen(): void {
    byId("follow").addEventListener("click", () => this.follow());
    byId("away-follow").addEventListener("click", () => this.follow(true, true));
    byId("reset-view").addEventListener("click", () => this.resetView());
    byId("deselect").addEventListener("click", () => this.select(-1));
    startShortcuts([
      { key: " ", shown: "space", says: "play or pause", does: () => this.transport.toggle() },
      { key: ".", says: "one step", does: () => this.transport.step() },
      { key: ",", says: "one step back in history", does: () => this.transport.stepBack() },
      { key: "r", says: "reset", does: () => this.transport.reset() },
      { key: "f", says: "follow the selected body, or stop following", does: () => this.follow() },
      { key: "v", says: "back to the first view", does: () => this.resetView() },
      { key: "g", says: "gallery", does: () => this.gallery?.toggle() },
      { key: "123456789", shown: "1 … 9", says: "switches of the panel Show", does: (key) => flip(Number(key)) },
      { key: "?", says: "this list", does: () => byId<HTMLDialogElement>("help").showModal() },
    ]);
  }

  private dropped(ok: boolean, diagnostics: Diagnostic[]): void {
    this.gallery?.leave();
    if (!ok) showDiagnostics(diagnostics, "not opened");
  }

  scene(number: number, scenery: Scenery, diagnostics: Diagnostic[]): void {
    // the same scene after a broken connection: camera, switches and plots stay as they are
    const { tracks: _, ...fixed } = scenery;
    const known = JSON.stringify([number, fixed]);
    if (known === this.known) return this.wants.again();
    this.known = known;
    if (this.scenery && showsMore(this.scenery, scenery)) return this.extend(number, scenery);
    this.hand.release();
    this.world?.dispose();
    this.number = number;
    this.scenery = scenery;
    this.newest = null;
    this.stage.open(scenery);
    this.world = new World(scenery, number, this.source, this.stage);
    this.transport.open(scenery);
    this.controls.open(scenery);
    this.labels.open(scenery);
    this.wants.open(scenery);
    this.plots.open(scenery);
    this.events.open(scenery);
    fillSwitches(this.world, this.wants);
    fillCard(scenery);
    this.select(-1);
    this.follow(false);
    showDiagnostics(diagnostics);
    byId("left").scrollTop = byId("right").scrollTop = 0;
    this.gallery?.scene(scenery.name);
  }

  /** Updates the scene with more channels to plot; everything else stays as it is. */
  private extend(number: number, scenery: Scenery): void {
    this.number = number;
    this.scenery = scenery;
    this.newest = null;
    this.controls.renumber(scenery);
    this.plots.extend(scenery);
  }

  frame(bytes: ArrayBuffer): void {
    const frame = this.scenery && readFrame(bytes, this.scenery);
    if (!frame || frame.scene !== this.number) return;
    this.frames++;
    if (!byId("busy").hidden) this.busy(0);
    this.newest = frame;
    this.world?.take(frame);
    this.plots.take(frame.time, frame.channels, frame.past);
    this.transport.take(frame);
    this.stage.touch();
  }

  past(bytes: ArrayBuffer): void {
    const rows = this.scenery && readPast(bytes, this.number, this.scenery.channels.length);
    if (rows) this.plots.before(rows);
  }

  status(status: Status): void {
    if (status.scene !== this.number) return;
    if (!byId("busy").hidden) this.busy(0);
    this.transport.status(status);
    this.controls.status(status);
    this.labels.status(status);
    byId("clients").textContent = status.clients > 1 ? `${status.clients} pages look on` : "";
    // with several tracks the label of each says so
    const [stopped, untouched] = status.stopped.length === 1 ? [status.stopped[0], contactOff(status, 0)] : [null, null];
    byId("halt").hidden = !stopped && !untouched;
    byId("halt").textContent = stopped ? `stopped: ${stopped}` : (untouched ?? "");
    this.stage.touch();
  }

  happened(happened: Happened): void {
    if (happened.scene !== this.number) return;
    this.events.show(happened);
    this.plots.mark(happened.events.flatMap((e) => e.times));
  }

  /** Shows that a single step has taken this long. */
  busy(seconds: number): void {
    byId("busy").hidden = seconds === 0;
    byId("busy").textContent = `A step is taking long (${seconds} s)… Pause, reset or another scene ends it.`;
  }

  problem(text: string): void {
    toast(text);
  }

  connected(yes: boolean, wait: number): void {
    byId("connection").hidden = yes;
    byId("connection").textContent = yes ? "" : `The server does not answer; trying again in ${wait} s.`;
    if (!yes) this.hand?.release();
  }

  /** Called once per picture: moves everything to the newest frame. */
  private draw(): void {
    const [world, frame] = [this.world, this.newest];
    if (!world || !frame) return;
    if (this.drawn !== frame) {
      this.drawn = frame;
      world.place();
      this.transport.draw();
      this.controls.draw(frame);
      fillSelection(world);
    }
    this.hand.draw();
    this.labels.draw(world);
    byId("away").hidden = world.following || !world.isAway();
  }
  private drawn: Frame | null = null;

  private select(body: number): void {
    this.world?.select(body);
    fillSelection(this.world);
  }

  private follow(on?: boolean, bring = false): void {
    if (!this.world) return;
    this.world.setFollow(on ?? !this.world.following, bring);
    byId("follow").setAttribute("aria-pressed", String(this.world.following));
  }

  private resetView(): void {
    this.stage.resetView();
    this.follow(false);
  }

  /** The interface for tests; described in README.md. */
  private expose(): void {
    const page = this;
    const poinsot = {
      get time() { return page.newest?.time ?? null; },
      get frames() { return page.frames; },
      get scene() { return page.number; },
      get scenery() { return page.scenery; },
      get selected() { return page.world?.selected ?? -1; },
      bodies: () => Array.from({ length: page.scenery?.bodies.length ?? 0 }, (_, k) =>
        Array.from(page.newest?.poses.subarray(7 * k, 7 * k + 7) ?? [])),
      screen: (body: number) => page.onScreen(body),
      channels: (group: string) => page.of("channels", (c) => c.group === group, page.newest?.channels, 1).flat(),
      arrows: (layer: string) => page.of("arrows", (a) => a.layer === layer, page.newest?.arrows, 6),
      solids: (name: string) => page.of("solids", (s) => s.name === name, page.newest?.solids, 10),
      plotPoints: () => page.plots.history.points,
      tracePoints: () => page.world?.traces.points ?? 0,
      complete: () => page.world?.parts.complete ?? false,
      drawCalls: () => page.stage.renderer.info.render.calls,
      requests: () => performance.getEntriesByType("resource").map((r) => r.name),
      send: (command: Command) => page.source.send(command),
    };
    Object.assign(window, { poinsot });
  }

  /** The values in the newest frame, a fixed number for each, of the entries of a list in the scenery that pass a test. */
  private of<K extends "channels" | "arrows" | "solids">(
    list: K, test: (info: Scenery[K][number]) => boolean, numbers: Float32Array | Float64Array | undefined, each: number,
  ): number[][] {
    const all = (this.scenery?.[list] ?? []) as Scenery[K][number][];
    return all.flatMap((info, k) => (test(info) ? [Array.from(numbers?.subarray(each * k, each * k + each) ?? [])] : []));
  }

  /** The position of a body's centre of mass on the screen, px. */
  private onScreen(body: number): [number, number] | null {
    if (!this.world || !this.scenery?.bodies[body]) return null;
    const at = this.world.centre(body).project(this.stage.camera);
    const box = this.stage.renderer.domElement.getBoundingClientRect();
    return [box.left + ((at.x + 1) / 2) * box.width, box.top + ((1 - at.y) / 2) * box.height];
  }
}

/** True if only channels and plots have been added. */
function showsMore(before: Scenery, now: Scenery): boolean {
  const rest = ({ tracks: _, joints: __, channels: ___, plots: ____, ...fixed }: Scenery) => JSON.stringify(fixed);
  const [channels, plots] = [now.channels.length - before.channels.length, now.plots.length - before.plots.length];
  return channels >= 0 && plots >= 0 && channels + plots > 0 && rest(before) === rest(now);
}

try {
  new Page();
} catch (error) {
  // most often a browser without WebGL
  byId("connection").hidden = false;
  byId("connection").textContent = `This browser cannot show the scene: ${(error as Error).message}`;
}
