// Equations for markdown-it: $…$, $$…$$ in TeX, and blocks ```math in TeX or in the Unicode of the sources.
import { createRequire } from "node:module";
const { columns, toTex } = createRequire(import.meta.url)("../../docs/equations/equations.js");

/** The plug-in; `fail(error, text)` hears of what does not render. */
export function equations(markdown, katex, fail) {
  const html = (tex, displayMode, strict = "error") => {
    try {
      return katex.renderToString(tex, { displayMode, strict, throwOnError: true });
    } catch (error) {
      fail(error, tex);
      return `<code>${markdown.utils.escapeHtml(tex)}</code>`;
    }
  };

  markdown.inline.ruler.after("escape", "equation", (state, silent) => {
    const text = state.src.slice(state.pos);
    // a dollar next to a space or a digit is money
    const found = text.match(/^\$\$([^$]+)\$\$/) ?? text.match(/^\$(?! )([^$\n]|\n(?!\n))+?(?<! )\$(?!\d)/);
    if (!found) return false;
    const wide = found[0].startsWith("$$");
    if (!silent) {
      const token = state.push("equation", "", 0);
      token.content = found[0].slice(wide ? 2 : 1, wide ? -2 : -1);
      token.markup = wide ? "$$" : "$";
    }
    state.pos += found[0].length;
    return true;
  });
  markdown.renderer.rules.equation = (tokens, k) => html(tokens[k].content, tokens[k].markup === "$$");

  markdown.block.ruler.before("paragraph", "equations", (state, first, last, silent) => {
    const line = (k) => state.src.slice(state.bMarks[k] + state.tShift[k], state.eMarks[k]);
    if (line(first).trim() !== "$$") return false;
    let end = first + 1;
    while (end < last && line(end).trim() !== "$$") end++;
    if (end === last) return false;
    if (silent) return true;
    const token = state.push("equation", "", 0);
    token.content = state.getLines(first + 1, end, state.blkIndent, false);
    token.markup = "$$";
    token.block = true;
    state.line = end + 1;
    return true;
  }, { alt: ["paragraph", "list"] });

  const fence = markdown.renderer.rules.fence;
  markdown.renderer.rules.fence = (tokens, k, options, env, self) => {
    const { info, content } = tokens[k];
    if (info.trim() === "math") return content.includes("\\") ? html(content, true) : grid(content, html);
    if (/^rust/.test(info)) tokens[k].content = shown(content);
    return fence(tokens, k, options, env, self);
  };
}

/** A Rust example without the lines that rustdoc hides. */
const shown = (code) => code.split("\n").filter((line) => !/^# |^#$/.test(line)).join("\n");

/** A block in Unicode: its lines in columns, with their numbers. */
function grid(block, html) {
  const lines = block.replace(/\n$/, "").split("\n").map(columns);
  const starts = [];
  for (const cell of lines.flatMap((line) => line.cells).sort((a, b) => a.at - b.at)) {
    if (!(cell.at - starts.at(-1) <= 2)) starts.push(cell.at);
    cell.column = starts.length - 1;
  }
  const rows = lines.map(({ tag, cells }) => {
    const row = [`<td>${tag}</td>`];
    cells.forEach((cell, k) => {
      const end = cells[k + 1]?.column ?? starts.length;
      row.push(`<td colspan="${end - cell.column}">${html("\\displaystyle " + toTex(cell.text), false, false)}</td>`);
    });
    return `<tr>${row.join("")}</tr>`;
  });
  return `<div class="wide"><table class="equations">${rows.join("\n")}</table></div>\n`;
}
