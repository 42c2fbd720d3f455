// The frame of a page: contents on the left, the chapter, the way to its neighbours, and a search over all headings.
import path from "node:path";

const escape = (text) => text.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);

/** One page; `entries` are the contents. */
export function page(entry, entries, before, after) {
  const up = path.posix.relative(path.posix.dirname(entry.html), ".") || ".";
  const link = (to, words, extra = "") => `<a href="${up}/${to.html}"${extra}>${escape(words)}</a>`;
  const contents = entries.map((item) => {
    if (item.part) return `<h2>${escape(item.part)}</h2>`;
    return `<p class="depth${item.depth}">${link(item, item.title, item === entry ? ' aria-current="page"' : "")}</p>`;
  });
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(entry.title)} · Poinsot</title><link rel="stylesheet" href="${up}/style.css"></head>
<body><input type="checkbox" id="menu" hidden><label for="menu" aria-label="Contents">☰</label>
<nav><input type="search" placeholder="Search" aria-label="Search"><div id="found"></div>
${contents.join("\n")}</nav>
<main>
${entry.body}
<footer>${before ? link(before, "← " + before.title) : "<span></span>"}${after ? link(after, after.title + " →") : ""}</footer>
</main>
<script>const UP = "${up}/";</script><script src="${up}/search.js"></script></body></html>
`;
}

/** The search: every word of the query must stand in a section or its heading; headings count more. */
export function searchScript(pages) {
  const index = pages.flatMap((entry) => entry.sections.map((section) =>
    [entry.html + "#" + section.id, entry.title, section.title, section.text.replace(/\s+/g, " ").toLowerCase()]));
  return `const INDEX = ${JSON.stringify(index)};
const box = document.querySelector("nav input"), found = document.getElementById("found");
box.addEventListener("input", () => {
  const words = box.value.toLowerCase().split(/\\s+/).filter(Boolean);
  found.replaceChildren();
  if (!words.length) return;
  const score = (heading, text) => words.reduce((sum, word) =>
    heading.includes(word) ? sum + 10 : text.includes(word) ? sum + 1 : -Infinity, 0);
  const hits = INDEX.map((hit) => [score(hit[2].toLowerCase(), hit[3]), hit]).filter(([points]) => points > 0);
  hits.sort((a, b) => b[0] - a[0]);
  for (const [, [to, title, heading]] of hits.slice(0, 12)) {
    const link = document.createElement("a");
    link.href = UP + to;
    link.textContent = heading === title ? title : title + ": " + heading;
    found.append(link);
  }
});
// the contents alone are scrolled, not the chapter
const contents = document.querySelector("nav"), current = contents.querySelector("[aria-current]");
if (current) contents.scrollTop = current.offsetTop - contents.clientHeight / 2;
`;
}
