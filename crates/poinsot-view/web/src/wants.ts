// What this page looks at of that which is read only while somebody does: plots and layers.
import type { Scenery, Source } from "./protocol";

export class Wants {
  private names = new Set<string>();
  private asked = new Set<string>();

  constructor(private source: Source) {}

  /** Another scene, whose plots and layers will be said anew. */
  open(scenery: Scenery): void {
    this.asked = new Set(scenery.asked);
    this.names.clear();
  }

  /** Says that something is looked at, or no longer is. */
  set(what: string, on: boolean): void {
    if (!this.asked.has(what) || this.names.has(what) === on) return;
    if (on) this.names.add(what);
    else this.names.delete(what);
    this.source.send({ do: "want", what, on });
  }

  /** Says all of it again, to a server that has forgotten. */
  again(): void {
    for (const what of this.names) this.source.send({ do: "want", what, on: true });
  }
}
