// The panel of what readers found wrong in files.
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

/** Lists diagnostics; the panel opens itself when something is wrong. */
export function showDiagnostics(list: Diagnostic[], heading = ""): void {
  const count = (severity: string) => list.filter((d) => d.severity === severity).length;
  const [errors, warnings] = [count("error"), count("warning")];
  const many = list.length === 0 ? "no messages" : `${errors} errors, ${warnings} warnings, ${list.length - errors - warnings} notes`;
  byId("diagnostics-heading").textContent = heading ? `${heading}: ${many}` : many;
  byId("diagnostics").replaceChildren(...list.map(item));
  for (const badge of document.querySelectorAll<HTMLElement>(".message-count")) {
    badge.textContent = list.length > 0 ? String(list.length) : "";
    badge.classList.toggle("bad", errors > 0);
  }
  byId("panel-messages").classList.toggle("empty", list.length === 0);
  if (errors + warnings > 0) openPanel("messages");
}
