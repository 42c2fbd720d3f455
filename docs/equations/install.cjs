// node install.cjs KATEX FOLDER: puts KaTeX, its fonts inside its style sheet, and our script into FOLDER,
// then renders every equation of the sources once; fails when one does not render.
"use strict";
const fs = require("fs");
const path = require("path");
const [katexFolder, folder] = process.argv.slice(2);
const katex = require(path.resolve(katexFolder));
const { columns, toTex, OPTIONS } = require("./equations.js");

fs.mkdirSync(folder, { recursive: true });
const dist = path.join(katexFolder, "dist");
const style = fs.readFileSync(path.join(dist, "katex.min.css"), "utf8").replace(/src:[^;}]*/g, (src) => {
  const file = src.match(/url\((fonts\/[^)]*\.woff2)\)/)[1];
  const data = fs.readFileSync(path.join(dist, file)).toString("base64");
  return `src:url(data:font/woff2;base64,${data}) format("woff2")`;
});
fs.writeFileSync(path.join(folder, "equations.css"), style + "\n" + fs.readFileSync(path.join(__dirname, "equations.css")));
fs.copyFileSync(path.join(dist, "katex.min.js"), path.join(folder, "katex.min.js"));
fs.copyFileSync(path.join(katexFolder, "LICENSE"), path.join(folder, "katex-LICENSE"));
fs.copyFileSync(path.join(__dirname, "equations.js"), path.join(folder, "equations.js"));

let lines = 0;
let failures = 0;
const root = path.join(__dirname, "../../crates");
for (const file of fs.readdirSync(root, { recursive: true }).filter((f) => f.endsWith(".rs"))) {
  let inside = false;
  fs.readFileSync(path.join(root, file), "utf8").split("\n").forEach((line, k) => {
    const comment = line.match(/^\s*\/\/[\/!] ?(.*)$/);
    if (!comment) return;
    if (/^```/.test(comment[1])) return void (inside = !inside && comment[1] === "```math");
    if (!inside) return;
    lines++;
    for (const cell of columns(comment[1]).cells) {
      try {
        const tex = toTex(cell.text);
        if (process.env.SHOW_TEX) console.log(tex);
        katex.renderToString("\\displaystyle " + tex, OPTIONS);
      } catch (error) {
        failures++;
        console.error(`crates/${file}:${k + 1}: ${cell.text}: ${error.message}`);
      }
    }
  });
}
console.log(`${lines} lines of equations, ${failures} that do not render`);
process.exit(failures ? 1 : 0);
