// The list of events: bodies that collide, joints that reach their limits, ropes that go taut, friction that sticks or slips;
// and notices of steps that departed from their method.
import { byId, make, short } from "./dom";
import type { Event, Happened, Scenery } from "./protocol";

/** The largest number of items listed, the newest first. */
const LISTED = 30;

/** An event in plain words. */
function words({ kind, at, place }: Event): string {
  const end = place === "lower end" ? "lower" : "upper";
  switch (kind) {
    case "impact":
      if (place === "contact") return `${at} collide`;
      return place === "rope" ? `${at} goes taut` : `${at} reaches its ${end} end`;
    case "release": return place === "rope" ? `${at} goes slack` : `${at} leaves its ${end} end`;
    case "slip": return `${at} begins to slip`;
    case "stick": return `${at} comes to rest, or turns round`;
    case "jam": return `${at} jam: an impulse stops them without a collision`;
  }
}

/** More events than this of one kind in one place become one item with a count. */
const SINGLE = 3;

/** An item: a moment, and the number of events it stands for. */
interface Item {
  event: Event;
  time: number;
  many: boolean;
}

function items(event: Event): Item[] {
  const many = event.count > SINGLE;
  const times = many ? event.times.slice(-1) : event.times;
  return times.map((time) => ({ event, time, many }));
}

const seconds = (time: number) => `${short(Math.abs(time) < 1e-9 ? 0 : time, 6)} s`;

export class Events {
  private scenery: Scenery | null = null;
  /** Items that stay in the list keep their elements, so that a click on one that moves is still a click. */
  private items = new Map<string, HTMLElement>();

  constructor(private seek: (time: number) => void) {}

  open(scenery: Scenery): void {
    this.scenery = scenery;
    this.items.clear();
    this.show({ scene: 0, events: [], notices: [] });
  }

  show({ events, notices }: Happened): void {
    const said = notices.flatMap((list, track) => list.map((text) => make("li", { class: "notice" }, this.of(track), text)));
    const newest = events.flatMap(items).sort((a, b) => b.time - a.time).slice(0, LISTED);
    byId("notices").replaceChildren(...said);
    const before = this.items;
    this.items = new Map(newest.map((item) => {
      const { track, kind, at, place, count } = item.event;
      // an item is replaced when its count increases
      const key = JSON.stringify([track, kind, at, place, item.many ? count : item.time]);
      return [key, before.get(key) ?? this.item(item)];
    }));
    byId("events").replaceChildren(...this.items.values());
    byId("happened").hidden = said.length + newest.length === 0;
  }

  private item({ event, time, many }: Item): HTMLElement {
    const button = make("button", { class: "small", title: "look back to this moment", click: () => this.seek(time) }, seconds(time));
    const often = many && make("span", { class: "quiet" }, `, ${event.count} times since ${seconds(event.first)}`);
    return make("li", { "data-kind": event.kind }, button, ` ${this.of(event.track)}${words(event)}`, often);
  }

  /** The name of the track, if there are several. */
  private of(track: number): string {
    const tracks = this.scenery?.tracks ?? [];
    return tracks.length > 1 ? `${tracks[track].label}: ` : "";
  }
}
