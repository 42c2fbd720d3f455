// Robots of packages from PyPI as the page shows them, where scripts/python-test has fetched them (or MODELS says where its environment
// is). The pictures, and from where they were taken, go to target/browser; docs/pictures/peers.py puts another engine's beside them.
import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { shot } from "./shot.mjs";
import { launch, open, pictures, root, serve } from "./viewer.mjs";

const environment = process.env.MODELS ?? `${root}target/python/venv`;
const [python] = existsSync(`${environment}/lib`) ? readdirSync(`${environment}/lib`).filter((name) => /^python3/.test(name)) : [];
const urdf = `${environment}/lib/${python}/site-packages/cmeel.prefix/share/example-robot-data/robots`;
const packages = `${environment}/models`;

/** Each robot: its file, and where its joints are. */
const robots = {
  panda: [`${urdf}/panda_description/urdf/panda.urdf`, "0,-0.785,0,-2.356,0,1.571,0.785,0.04,0.04"],
  anymal: [`${urdf}/anymal_c_simple_description/urdf/anymal.urdf`, "0,0.6,-1.1,0,0.6,-1.1,0,-0.6,1.1,0,-0.6,1.1"],
  talos: [`${urdf}/talos_data/robots/talos_reduced.urdf`, null],
  ur5: [`${urdf}/ur_description/urdf/ur5_robot.urdf`, "0.4,-1.2,1.4,-1.7,-1.57,0"],
  hand: [`${packages}/gymnasium_robotics/envs/assets/hand/manipulate_block.xml`, null],
  dog: [`${packages}/dm_control/suite/dog.xml`, null],
};

let browser;
before(async () => (browser = await launch()));
after(() => browser?.close());

/** Whether corners of a mesh have colours of their own. */
const hasColours = (page, parts) => page.evaluate(async (numbers) => {
  for (const number of numbers) {
    const url = new URL(`mesh/${window.poinsot.scene}/${number}`, location.href.replace(/[?#].*/, ""));
    url.search = location.search;
    const head = new Uint32Array(await (await fetch(url)).arrayBuffer(), 0, 4);
    if (head[2] & 1) return true;
  }
  return false;
}, parts.filter((p) => p.form === "mesh").map((p) => p.size[0]));

/** From where each was seen, also in earlier runs. */
const views = existsSync(`${pictures}/robots.json`) ? JSON.parse(readFileSync(`${pictures}/robots.json`, "utf8")) : {};
for (const [name, [file, qpos]] of Object.entries(robots)) {
  test(`${name} is seen in its own colours`, { skip: existsSync(file) ? false : `there is no ${file}` }, async () => {
    const server = await serve(file, "--package-path", urdf, ...(qpos ? ["--qpos", qpos] : []));
    try {
      const page = await open(browser, server.url);
      await shot(page, `${pictures}/robot-${name}.png`);
      const { camera, floor, parts, meshes } = await page.evaluate(() => window.poinsot.scenery);
      assert.ok(floor !== null || parts.some((p) => p.flat), "it has a ground");
      const seen = parts.filter((p) => p.layer === "visual");
      const colours = new Set(seen.map((p) => p.rgba.join()));
      const coloured = colours.size > 1 || meshes.some((m) => m.picture !== null) || (await hasColours(page, seen));
      assert.ok(coloured, "it has colours or pictures");
      assert.doesNotMatch(await page.textContent("#diagnostics"), /is not drawn/);
      assert.deepEqual([page.faults, page.elsewhere], [[], []]);
      // a picture of nothing is smaller
      assert.ok(statSync(`${pictures}/robot-${name}.png`).size > 40000);
      views[name] = { file, qpos, camera };
      writeFileSync(`${pictures}/robots.json`, JSON.stringify(views, null, 1));
      await page.context().close();
    } finally {
      server.stop();
    }
  });
}
