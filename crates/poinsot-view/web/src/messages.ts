// The panel of diagnostics of model files.
import { byId, make } from "./dom";
import type { Diagnostic } from "./protocol";
import { openPanel } from "./panels";

function item(d: Diagnostic): HTMLElement {
  const place = [d.file, d.line, d.column].filter((x) => x !== null && x !== undefined).join(":");
  return make("li", { class: `diagnostic ${d.severity}`, "data-severity": d.severity },
    make("p", {}, make("b", {}, d.severity), d.code && ` ${d.code}`, `: ${d.message}`),
    place && make("p", { class: "place" }, place),
    d.snippet && make("pre", {}, d.snippet),
    d.help && make("p", { class: "help-text" }, d.help));
}

/** Lists diagnostics; the panel opens if something is wrong. */
export function showDiagnostics(list: Diagnostic[], heading = ""): void {
  const count = (severity: string) => list.filter((d) => d.severity === severity).length;
  const [errors, warnings] = [count("error"), count("warning")];
  const some = (n: number, word: string) => (n === 0 ? [] : [`${n} ${word}${n === 1 ? "" : "s"}`]);
  const notes = list.length - errors - warnings;
  const many = [...some(errors, "error"), ...some(warnings, "warning"), ...some(notes, "note")].join(", ") || "no messages";
  byId("diagnostics-heading").textContent = heading ? `${heading}: ${many}` : many;
  byId("diagnostics").replaceChildren(...list.map(item));
  for (const badge of document.querySelectorAll<HTMLElement>(".message-count")) {
    badge.textContent = list.length > 0 ? String(list.length) : "";
    badge.classList.toggle("bad", errors > 0);
  }
  for (const id of ["panel-messages", "tab-messages"]) byId(id).classList.toggle("empty", list.length === 0);
  if (list.length === 0 && document.body.dataset.tab === "messages") openPanel("plots");
  // notes alone stay folded
  byId("panel-messages").classList.add("closed");
  if (errors + warnings > 0) openPanel("messages");
}
