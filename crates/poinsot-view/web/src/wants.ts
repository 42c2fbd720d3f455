// The plots and layers that this page shows, out of those that are read only while shown.
import type { Scenery, Source } from "./protocol";

export class Wants {
  private names = new Set<string>();
  private onDemand = new Set<string>();

  constructor(private source: Source) {}

  /** Resets for another scene, whose plots and layers will be announced again. */
  open(scenery: Scenery): void {
    this.onDemand = new Set(scenery.on_demand);
    this.names.clear();
  }

  /** Announces that a plot or layer is shown, or no longer shown. */
  set(what: string, on: boolean): void {
    if (!this.onDemand.has(what) || this.names.has(what) === on) return;
    if (on) this.names.add(what);
    else this.names.delete(what);
    this.source.send({ do: "want", what, on });
  }

  /** Announces everything again, to a server that has restarted. */
  again(): void {
    for (const what of this.names) this.source.send({ do: "want", what, on: true });
  }
}
