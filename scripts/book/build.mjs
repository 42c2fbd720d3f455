// node build.mjs TOOLS DOCS OUT: the book, from DOCS/SUMMARY.md and the pages it names, as HTML that loads nothing from the
// network. TOOLS is a folder with markdown-it and katex in its node_modules. Fails when an equation does not render, a
// citation is not in BIBLIOGRAPHY.md, or a link, an anchor or a picture leads nowhere.
//
// The layout is mdBook's (book.toml, SUMMARY.md, {{#include FILE}}), so `mdbook build docs` works too; mdBook itself is not
// used because compiling it takes longer than all our pages do, and because its equations come from a server.
import fs from "node:fs";
import path from "node:path";
import { createRequire } from "node:module";
import { equations } from "./equations.mjs";
import { page, searchScript } from "./page.mjs";

const [tools, docs, out] = process.argv.slice(2).map((folder) => path.resolve(folder));
const require = createRequire(path.join(tools, "package.json"));
const katex = require("katex");
const repository = path.dirname(docs);
const failures = [];
const MANY_COLUMNS = 6;

/** The pages in order: `{file, title, depth}`, and headings of parts: `{part}`. */
function summary() {
  const entries = [];
  for (const line of fs.readFileSync(path.join(docs, "SUMMARY.md"), "utf8").split("\n")) {
    const link = line.match(/^( *)(?:- )?\[(.+)\]\((.+\.md)\)$/);
    if (link) entries.push({ depth: link[1].length / 2, title: link[2], file: link[3] });
    else if (/^# (?!Summary)/.test(line)) entries.push({ part: line.slice(2) });
  }
  return entries;
}

const entries = summary();
const pages = entries.filter((entry) => entry.file);
/** From a file of the repository to the page that shows it. */
const shownBy = new Map();
for (const entry of pages) {
  entry.source = path.join(docs, entry.file);
  entry.text = fs.readFileSync(entry.source, "utf8");
  shownBy.set(entry.source, entry);
  const include = entry.text.match(/^\{\{#include (.+)\}\}\s*$/);
  if (include) {
    entry.source = path.resolve(path.dirname(entry.source), include[1]);
    entry.text = fs.readFileSync(entry.source, "utf8");
    shownBy.set(entry.source, entry);
  }
  entry.html = entry.file.replace(/\.md$/, ".html");
}

const markdown = require("markdown-it")({ html: true, typographer: false }).use(equations, katex, (error, text) =>
  failures.push(`equation: ${error.message}: ${text}`));
const slug = (text) => text.toLowerCase().replace(/[^\p{L}\p{N}\- _]/gu, "").replace(/ /g, "-");

/** Headings get the anchors that GitHub gives them; links to pages and files are turned to where these will be. */
function render(entry) {
  const tokens = markdown.parse(entry.text, {});
  entry.anchors = new Set();
  entry.links = [];
  entry.sections = [];
  for (const [k, token] of tokens.entries()) {
    if (token.type === "heading_open") {
      const words = tokens[k + 1].children.map((child) => child.content).join("");
      let id = slug(words);
      for (let n = 1; entry.anchors.has(id); n++) id = `${slug(words)}-${n}`;
      entry.anchors.add(id);
      token.attrSet("id", id);
      entry.sections.push({ id, title: words, text: "" });
    } else if (token.content && entry.sections.length) {
      entry.sections.at(-1).text += " " + token.content;
    }
    for (const child of token.children ?? []) {
      const name = { link_open: "href", image: "src" }[child.type];
      if (name) child.attrSet(name, lead(entry, decodeURI(child.attrGet(name)), child.type === "image"));
    }
  }
  entry.body = markdown.renderer.render(tokens, markdown.options, {})
    .replace(/<table>[^]*?<\/table>/g, laidOut);
}

/** A table that scrolls if it must. One of many columns has the whole width of the window, and its code breaks between words. */
function laidOut(table) {
  const columns = table.split("</thead>")[0].split("<th>").length - 1;
  if (columns < MANY_COLUMNS) return `<div class="wide">${table}</div>`;
  const broken = table.replace(/<code>([^<]*)<\/code>/g, (_, code) =>
    `<code>${code.replace(/(?<=^|\s)--?[\w-]+/g, '<span class="word">$&</span>').replace(/[/_,](?![^<]*>)/g, "$&<wbr>")}</code>`);
  return `<div class="wide broad">${broken}</div>`;
}

/** Where a link of a page leads in the book. */
function lead(entry, target, picture) {
  if (/^[a-z]+:/.test(target)) return target;
  const [file, anchor] = target.split("#");
  const source = file ? path.resolve(path.dirname(entry.source), file) : entry.source;
  const to = shownBy.get(source);
  const up = path.relative(path.dirname(path.join(out, entry.html)), out) || ".";
  if (to) {
    entry.links.push({ target, to, anchor });
    return (file ? path.posix.join(up, to.html) : "") + (anchor ? "#" + anchor : "");
  }
  if (!fs.existsSync(source)) failures.push(`${entry.file}: ${target} leads nowhere`);
  if (!picture) return path.relative(path.dirname(path.join(out, entry.html)), source); // into the clone
  const place = path.relative(docs, source);
  fs.mkdirSync(path.dirname(path.join(out, place)), { recursive: true });
  fs.copyFileSync(source, path.join(out, place));
  return path.posix.join(up, place);
}

/** Keys like [Buss00] or [Featherstone08, section 5.3] outside code. */
function checkCitations(entry, bibliography) {
  const prose = entry.text.replace(/```[^]*?```/g, "").replace(/`[^`]*`/g, "").replace(/\$\$?[^$]+\$\$?/g, "");
  for (const [, key] of prose.matchAll(/\[((?:[A-Za-z]{3,}\d\d)|(?:[A-Z]{4,}))(?=[\],])/g)) {
    if (!bibliography.includes(`**[${key}]**`)) failures.push(`${entry.file}: [${key}] is not in BIBLIOGRAPHY.md`);
  }
}

fs.rmSync(out, { recursive: true, force: true });
fs.mkdirSync(out, { recursive: true });
pages.forEach(render);
const bibliography = fs.readFileSync(path.join(repository, "BIBLIOGRAPHY.md"), "utf8");
for (const entry of pages) {
  checkCitations(entry, bibliography);
  for (const { target, to, anchor } of entry.links) {
    if (anchor && !to.anchors.has(anchor)) failures.push(`${entry.file}: ${target}: there is no such heading`);
  }
}
for (const [k, entry] of pages.entries()) {
  const place = path.join(out, entry.html);
  fs.mkdirSync(path.dirname(place), { recursive: true });
  fs.writeFileSync(place, page(entry, entries, pages[k - 1], pages[k + 1]));
}
fs.writeFileSync(path.join(out, "index.html"), `<!doctype html><meta http-equiv="refresh" content="0; url=${pages[0].html}">\n`);
fs.writeFileSync(path.join(out, "search.js"), searchScript(pages));

// styles and fonts, of which browsers read the woff2 ones
const dist = path.join(tools, "node_modules/katex/dist");
const style = fs.readFileSync(path.join(dist, "katex.min.css"), "utf8").replace(/src:[^;}]*/g, (src) => src.match(/src:url\([^)]*\.woff2\) format\("woff2"\)/)[0]);
const here = path.dirname(new URL(import.meta.url).pathname);
fs.writeFileSync(path.join(out, "style.css"), style + "\n" + fs.readFileSync(path.join(here, "style.css"), "utf8"));
fs.mkdirSync(path.join(out, "fonts"));
for (const font of fs.readdirSync(path.join(dist, "fonts")).filter((name) => name.endsWith(".woff2"))) {
  fs.copyFileSync(path.join(dist, "fonts", font), path.join(out, "fonts", font));
}
fs.copyFileSync(path.join(tools, "node_modules/katex/LICENSE"), path.join(out, "katex-LICENSE"));

const named = new Set(pages.map((entry) => entry.file));
for (const file of fs.readdirSync(docs).filter((name) => name.endsWith(".md") && name !== "SUMMARY.md")) {
  if (!named.has(file)) console.error(`note: docs/${file} is not in docs/SUMMARY.md, so the book does not have it`);
}
if (failures.length) {
  console.error(failures.join("\n"));
  process.exit(1);
}
console.log(`The book: ${pages.length} pages, ${path.join(out, "index.html")}`);
