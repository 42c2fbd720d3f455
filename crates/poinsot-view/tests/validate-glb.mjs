// Looks at .glb files with the validator of Khronos: exit code 1 when one has an error or a warning.
//
//     npm install gltf-validator      # anywhere above this file, or where NODE_PATH points
//     node validate-glb.mjs run.glb …
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";

const { validateBytes } = createRequire(import.meta.url)("gltf-validator");
const SEVERITIES = ["error", "warning", "info", "hint"];
const MOST = 5;

let wrong = process.argv.length < 3;
if (wrong) console.error("give the paths of .glb files");
for (const path of process.argv.slice(2)) {
  const { issues, info } = await validateBytes(new Uint8Array(await readFile(path)));
  const { numErrors, numWarnings, numInfos, numHints } = issues;
  console.log(
    `${path}: ${numErrors} errors, ${numWarnings} warnings, ${numInfos} infos, ${numHints} hints; ` +
      `${info.drawCallCount} draws, ${info.totalVertexCount} corners, ${info.animationCount} animations`,
  );
  const bad = issues.messages.filter((m) => m.severity < 2);
  for (const m of bad.slice(0, MOST)) {
    console.log(`  ${SEVERITIES[m.severity]} ${m.code} at ${m.pointer ?? m.offset}: ${m.message}`);
  }
  wrong ||= numErrors + numWarnings > 0;
}
process.exit(wrong ? 1 : 0);
