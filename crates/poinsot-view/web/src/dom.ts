// Small helpers for elements of the page.

type Children = (Node | string | null | undefined | false)[];

/** A new element with attributes, listeners (functions) and children. */
export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K, attributes: Record<string, string | number | boolean | ((event: Event) => void)> = {}, ...children: Children
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (typeof value === "boolean") element.toggleAttribute(name, value);
    else element.setAttribute(name, String(value));
  }
  for (const child of children) if (child) element.append(child);
  return element;
}

/** The element with this id; it is in index.html, so it exists. */
export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the page has no #${id}`);
  return element as T;
}

/** Fills a select with choices and keeps the element's value when it is still among them. */
export function fillSelect(select: HTMLSelectElement, choices: [string, string][]): void {
  select.replaceChildren(...choices.map(([value, text]) => make("option", { value }, text)));
}

/** A number in few characters: 0.25, 12.3, 1.2e-15. */
export function short(value: number, digits = 4): string {
  if (!Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size < 1e-3 || size >= 1e5) return value.toExponential(Math.min(2, digits - 1)).replace("e+", "e").replace(/\.?0+e/, "e");
  return String(Number(value.toPrecision(digits)));
}

/** Sends only the newest of values that come faster than 60 times a second. */
export class Newest<T> {
  private value: T | null = null;

  constructor(private send: (value: T) => void) {}

  /** True if a value is waiting to be sent. */
  get waiting(): boolean {
    return this.value !== null;
  }

  put(value: T): void {
    if (this.value === null) setTimeout(() => this.flush(), 16);
    this.value = value;
  }

  /** Sends the waiting value at once. */
  flush(): void {
    if (this.value !== null) this.send(this.value);
    this.value = null;
  }
}

/** Shows a message for a while. */
export function toast(text: string): void {
  const note = make("div", { class: "toast", role: "alert" }, text);
  byId("toasts").append(note);
  setTimeout(() => note.remove(), 7000);
}

/** Hides the message. */
export function clearToasts(): void {
  byId("toasts").replaceChildren();
}
