// Equations of the documentation: from the Unicode in which they stand in the sources to TeX, and to the page.
//
// A block ```math holds one or more lines. A number "(3)" at either end of a line is its tag. Three spaces or more,
// or two after a heading ("kick  …", "about k:  …"), begin a new column, except next to a relation, where they only
// align the source. Words of two letters or more which are not names of functions are text.
"use strict";

const SUPERSCRIPTS = { "⁰": "0", "¹": "1", "²": "2", "³": "3", "⁴": "4", "⁵": "5", "⁶": "6", "⁷": "7", "⁸": "8",
  "⁹": "9", "⁺": "+", "⁻": "-", "ᵀ": "\\top", "ⁿ": "n", "ʲ": "j" };
const SUBSCRIPTS = { "₀": "0", "₁": "1", "₂": "2", "₃": "3", "₄": "4", "₅": "5", "₆": "6", "₇": "7", "₈": "8",
  "₉": "9", "₊": "+", "₋": "-", "ₙ": "n", "ᵢ": "i", "ⱼ": "j", "ₖ": "k" };
const ACCENTS = { "\u0302": "\\hat", "\u0303": "\\tilde", "\u0304": "\\bar", "\u0305": "\\bar", "\u0307": "\\dot",
  "\u0308": "\\ddot" };
const SYMBOLS = { "−": "-", "·": "\\cdot ", "×": "\\times ", "½": "\\tfrac12 ", "¼": "\\tfrac14 ", "Σ": "\\sum ",
  "∫": "\\int ", "∂": "\\partial ", "∞": "\\infty ", "±": "\\pm ", "≤": "\\le ", "≥": "\\ge ", "≈": "\\approx ",
  "≠": "\\ne ", "→": "\\to ", "←": "\\leftarrow ", "⇒": "\\quad\\Rightarrow\\quad ", "↦": "\\mapsto ",
  "⊗": "\\otimes ", "⊕": "\\oplus ", "⊖": "\\ominus ", "∘": "\\circ ", "∈": "\\in ", "…": "\\dots ", "′": "'",
  ":": "{:}\\ ", "‖": "\\|", "⟂": "\\perp ", "√": "\\sqrt ", "∛": "\\sqrt[3] ", "&": "\\&", "%": "\\%", "#": "\\#" };
const FUNCTION = /^(tr|exp|log|ln|sin|cos|tan|cot|arctan|sn|cn|dn|vex|min|max|det|diag|Rot|Ad|ad)(?![A-Za-z])/;
const RELATION = /[=←→⇒↦≈≤≥<>]/;
const LETTER = /^[A-Za-z\u0370-\u03ff]/;

/** The columns of a line and its tag: `{tag, cells: [{at, text}]}`, with `at` in characters as one sees them. */
function columns(line) {
  let tag = "";
  line = line.replace(/\s+$/, "");
  line = line.replace(/^\((\d+)\)/, (all) => ((tag = all), " ".repeat(all.length)));
  if (!tag) line = line.replace(/\s{2,}(\(\d+\))$/, (_, n) => ((tag = n), ""));
  const cells = [];
  let begin = line.search(/\S/);
  const push = (end) => {
    const before = line.slice(0, begin).normalize("NFD").replace(/\p{M}/gu, "");
    cells.push({ at: [...before].length, text: line.slice(begin, end).trim() });
  };
  for (const gap of line.matchAll(/ {2,}/g)) {
    const end = gap.index + gap[0].length;
    const before = line.slice(Math.max(begin, 0), gap.index);
    const relation = RELATION.test(before.slice(-1)) || RELATION.test(line[end]);
    const heading = /:$|^[a-z]{2,}$/.test(before);
    if (gap.index < begin || relation || (gap[0].length < 3 && !heading)) continue;
    push(gap.index);
    begin = end;
  }
  if (begin >= 0 && begin < line.length) push(line.length);
  return { tag, cells };
}

/** From `open` at `chars[i]` to the bracket that closes it: the index after it. */
function closing(chars, i, open, close) {
  for (let depth = 0; i < chars.length; i++) {
    if (chars[i] === open) depth++;
    if (chars[i] === close && --depth === 0) return i + 1;
  }
  throw new Error("unbalanced " + open);
}

/** What stands in the bracket opened at `chars[i]`, if there is a fraction in it that makes it tall. */
function tall(chars, i) {
  const inner = chars.slice(i + 1, closing(chars, i, chars[i], chars[i] === "(" ? ")" : "]") - 1);
  return /∂[^\s/]+\/∂/.test(inner) ? inner : null;
}

/** Whether the space between `before` and `after` means a product. */
function product(before, after) {
  if (/(^|[\s(])[A-Za-z]{2,}$|Σ(_\w+)?$/.test(before) || /^[A-Za-z]{2}/.test(after)) return false;
  return /([\p{L}\p{M}\p{N})\]|'′∞]|\]×)$/u.test(before) && /^[\p{L}\p{N}([√∛∂|]/u.test(after) && after[0] !== "Σ";
}

/** TeX of one equation in Unicode. */
function toTex(source) {
  const chars = source.normalize("NFD").replace(/=\u0338/g, "≠").replace(/ +/g, (s) => (s.length > 1 ? "  " : " "));
  let tex = "";
  let i = 0;
  const take = (pattern) => {
    const found = chars.slice(i).match(pattern);
    if (!found) return null;
    i += found[0].length;
    return found;
  };
  const translate = (map, pattern) => {
    const found = take(pattern);
    return found && [...found[0]].map((c) => map[c]).join("");
  };
  /** What `_`, `^` or a root applies to, beginning at i. */
  const argument = (run) => {
    if (chars[i] === "{" || chars[i] === "(") {
      const end = closing(chars, i, chars[i], chars[i] === "{" ? "}" : ")");
      const inner = toTex(chars.slice(i + 1, end - 1));
      i = end;
      return inner;
    }
    return take(run)[0].replace("∞", "\\infty ");
  };
  while (i < chars.length) {
    let found;
    const c = chars[i];
    if ((found = take(/^∂([A-Za-z]\p{M}*(?:_\w+)?)\/∂([A-Za-z](?:_\w+)?)/u))) {
      tex += `\\frac{\\partial ${toTex(found[1])}}{\\partial ${toTex(found[2])}}`;
    } else if ((found = take(/^d(?=[tm](?![\w]))/))) {
      tex += "\\,\\mathrm d";
    } else if ((found = take(/^Rz/))) {
      tex += "R_z";
    } else if ((found = take(FUNCTION))) {
      tex += `\\operatorname{${found[0]}}`;
    } else if ((found = take(/^[A-Za-z]{2,}(?:'(?=\s))?(?: [A-Za-z]{2,}\b)*/))) {
      const before = chars[i - found[0].length - 1] === " " ? "\\ " : "";
      const after = /^ [^\])]/.test(chars.slice(i)) ? "\\ " : "";
      tex += `${before}\\text{${found[0]}}${after}`;
    } else if (/[([]/.test(c) && (found = tall(chars, i))) {
      tex += `\\left${c}${toTex(found)}\\right${c === "(" ? ")" : "]"}`;
      i += found.length + 2;
    } else if (LETTER.test(c) && c !== "Σ") {
      i++;
      let letter = c;
      for (const mark of (take(/^\p{M}+/u) || [""])[0]) {
        if (!(mark in ACCENTS)) throw new Error("accent " + mark.codePointAt(0).toString(16));
        letter = `${ACCENTS[mark]}{${letter}}`;
      }
      tex += letter;
      if (take(/^∞/)) tex += "_\\infty ";
    } else if (c === "_") {
      i++;
      tex += `_{${argument(/^[A-Za-z0-9\u0370-\u03ff]+/)}}`;
    } else if (c === "^") {
      i++;
      tex += `^{${argument(/^[A-Za-z0-9∞\u0370-\u03ff]/)}}`;
    } else if (c in SUPERSCRIPTS) {
      tex += `^{${translate(SUPERSCRIPTS, new RegExp(`^[${Object.keys(SUPERSCRIPTS).join("")}]+`))}}`;
      if (take(/^ 1(?![\d/])/)) tex += "\\,\\mathbf 1"; // the identity
    } else if (c in SUBSCRIPTS) {
      tex += `_{${translate(SUBSCRIPTS, new RegExp(`^[${Object.keys(SUBSCRIPTS).join("")}]+`))}}`;
    } else if (c === "√" || c === "∛") {
      i++;
      tex += SYMBOLS[c].trim();
      if (chars[i] === "(") tex += `{${argument()}}`;
      else tex += `{${toTex(take(/^(?:\d+|[A-Za-z\u0370-\u03ff])[₀-₉ₙ]*/)[0])}}`;
    } else if ((found = take(/^\]×/))) {
      tex += "]_\\times ";
    } else if ((found = take(/^\+=/))) {
      tex += "\\mathrel{{+}{=}}";
    } else if ((found = take(/^ \| /))) {
      tex += "\\;|\\;";
    } else if ((found = take(/^ (?=\([a-z]{2,} )/))) {
      tex += "\\ "; // before a remark
    } else if (c === " " && product(chars.slice(0, i), chars.slice(i + 1))) {
      i++;
      tex += "\\,";
    } else if ((found = take(/^  /))) {
      tex += /[,;:.]$/.test(chars.slice(0, i - 2)) || chars[i] === "[" ? "\\quad " : " ";
    } else {
      i++;
      tex += SYMBOLS[c] || c;
    }
  }
  return tex;
}

const OPTIONS = { strict: false, throwOnError: true, displayMode: false };

/** Puts the rendered equations of a block in place of its text. */
function renderBlock(pre) {
  const lines = pre.textContent.replace(/\n$/, "").split("\n").map((text) => ({ text, ...columns(text) }));
  // columns that begin within two characters of each other are one
  const starts = [];
  for (const cell of lines.flatMap((l) => l.cells).sort((a, b) => a.at - b.at)) {
    if (!(cell.at - starts.at(-1) <= 2)) starts.push(cell.at);
    cell.column = starts.length - 1;
  }
  const tagged = lines.some((l) => l.tag) ? 2 : 1;
  const block = document.createElement("div");
  block.className = "equations";
  lines.forEach((line, row) => {
    const put = (column, end, name) => {
      const span = document.createElement("span");
      span.style.gridRow = row + 1;
      span.style.gridColumn = `${column} / ${end}`;
      span.className = name;
      block.append(span);
      return span;
    };
    const first = block.childNodes.length;
    try {
      if (line.tag) put(1, 2, "tag").textContent = line.tag;
      line.cells.forEach((cell, k) => {
        const next = line.cells[k + 1];
        const span = put(cell.column + tagged, (next ? next.column : starts.length) + tagged, "equation");
        katex.render("\\displaystyle " + toTex(cell.text), span, OPTIONS);
      });
    } catch (error) {
      console.error(`${line.text}: ${error.message}`);
      while (block.childNodes.length > first) block.lastChild.remove();
      put(1, -1, "plain").textContent = line.text;
    }
  });
  pre.replaceWith(block);
}

if (typeof document !== "undefined") {
  document.querySelectorAll("pre.language-math").forEach((pre) => renderBlock(pre));
} else {
  module.exports = { columns, toTex, OPTIONS };
}
