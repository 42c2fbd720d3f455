// Files: dropped ones with their diagnostics, replays that need no server, and glTF that its validator accepts.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import validator from "gltf-validator";
import { dot } from "./shot.mjs";
import { apart, bodies, launch, open, pictures, poinsot, send, serve, until } from "./viewer.mjs";

let browser, server, page;
const folder = mkdtempSync(`${tmpdir()}/poinsot-`);
before(async () => {
  browser = await launch();
  server = await serve("pendulum");
  page = await open(browser, server.url);
  await until(page, () => window.poinsot?.time > 0);
});
after(async () => {
  await browser?.close();
  server?.stop();
});

const arm = (joint) => `<mujoco model="dropped arm">
  <worldbody>
    <body name="arm" pos="0 0 1">
      <joint name="hinge" ${joint}/>
      <geom type="capsule" fromto="0 0 0 0.5 0 0" size="0.05"/>
    </body>
  </worldbody>
</mujoco>`;

const choose = (...files) => page.setInputFiles("#file", files.map(([name, text]) => ({ name, mimeType: "text/xml", buffer: Buffer.from(text) })));

test("a bad file shows its diagnostic, and the scene stays", async () => {
  const scene = await page.evaluate(() => window.poinsot.scene);
  await choose(["broken.xml", arm('axis="0 1"')]);
  const found = page.locator('#diagnostics [data-severity="error"]').first();
  await found.waitFor();
  assert.match(await found.textContent(), /broken\.xml:4:/);
  await page.screenshot({ path: `${pictures}/bad-file.png` });
  assert.equal(await page.evaluate(() => window.poinsot.scene), scene);
  assert.equal(await page.locator(".toast").count(), 0, "it is said once");
  await choose(["notes.txt", "this is no model"]);
  await until(page, () => document.querySelectorAll(".toast").length > 0);
  await choose(["notes.xml", "this is no XML"]);
  await until(page, () => /notes\.xml/.test(document.querySelector("#diagnostics").textContent));
});

test("a good file is opened, with its warnings", async () => {
  await choose(["arm.xml", arm('axis="0 1 0" dampng="1"')]);
  await until(page, () => window.poinsot.scenery.title === "dropped arm" && window.poinsot.time > 0.3);
  assert.match(await page.textContent("#diagnostics"), /damping/);
  assert.equal(await page.locator(".toast").count(), 0, "what was said of another file is past");
  assert.ok((await bodies(page))[1][2] <= 1);
  await page.screenshot({ path: `${pictures}/dropped.png` });
});

/** Where bodies are in the picture: 0 to 1 from left to right and from top to bottom. */
const places = (page) => page.evaluate(() => {
  const box = document.querySelector("#canvas").getBoundingClientRect();
  return window.poinsot.scenery.bodies.map((_, k) => {
    const at = window.poinsot.screen(k);
    return [(at[0] - box.left) / box.width, (at[1] - box.top) / box.height];
  });
});

test("a tall model fills the height, and what falls is seen where it lands", async () => {
  const ball = (name, z) => `<body name="${name}" pos="0 0 ${z}"><geom size="0.05"/></body>`;
  await choose(["tall.xml", `<mujoco model="tall"><worldbody>${ball("low", 0.05)}${ball("high", 2)}</worldbody></mujoco>`]);
  await until(page, () => window.poinsot.scenery.title === "tall" && window.poinsot.time > 0.1);
  const [, low, high] = await places(page);
  assert.ok(low[1] - high[1] > 0.55, `${low} ${high}`);
  await choose(["fall.xml", `<mujoco model="fall"><worldbody><geom type="plane" size="5 5 0.1"/>
    <body pos="0 0 1.5"><freejoint/><geom type="box" size="0.2 0.2 0.2"/></body></worldbody></mujoco>`]);
  await until(page, () => window.poinsot.scenery.title === "fall" && window.poinsot.bodies()[1][2] < 0.21);
  const [, box] = await places(page);
  assert.ok(box[1] > 0.5 && box[1] < 0.85, `${box}`);
  await page.screenshot({ path: `${pictures}/landed.png` });
});

/** A picture of 2 × 2 dots: red above, blue below. */
const flag = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEUlEQVR4nGP4z8AARAxg8j8AG/ID/fPnS7EAAAAASUVORK5CYII=", "base64");

test("a folder is opened, and its meshes bring their pictures", async () => {
  const robot = mkdtempSync(`${tmpdir()}/poinsot-`);
  mkdirSync(`${robot}/meshes`);
  writeFileSync(`${robot}/wall.urdf`, `<robot name="wall"><link name="base"><inertial><origin xyz="0 0 0.8"/><mass value="1"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial><visual><geometry><mesh filename="meshes/wall.obj"/>
    </geometry></visual></link></robot>`);
  writeFileSync(`${robot}/meshes/wall.obj`, "mtllib wall.mtl\nv 0 -0.5 0\nv 0 0.5 0\nv 0 0.5 1\nv 0 -0.5 1\n"
    + "vt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nusemtl print\nf 1/1 2/2 3/3 4/4\n");
  writeFileSync(`${robot}/meshes/wall.mtl`, "newmtl print\nmap_Kd flag.png\n");
  writeFileSync(`${robot}/meshes/flag.png`, flag);
  await page.setInputFiles("#folder", robot);
  await until(page, () => window.poinsot.scenery.title === "wall" && window.poinsot.complete() && window.poinsot.time > 0);
  await page.waitForTimeout(300);
  const [red, , blue] = await dot(page, await page.evaluate(() => window.poinsot.screen(1)));
  assert.ok(red > 120 && blue < 80, `${red} ${blue}`);

  await send(page, { do: "pause" });
  const html = `${robot}/wall.html`;
  execFileSync(poinsot, ["run", `${robot}/wall.urdf`, "--time", "0.1", "--out", `${robot}/wall.glb`, "--out", html]);
  const report = await validator.validateBytes(new Uint8Array(readFileSync(`${robot}/wall.glb`)));
  assert.equal(report.issues.numErrors, 0, JSON.stringify(report.issues.messages.slice(0, 3)));
  assert.ok(report.info.resources.some((r) => r.mimeType === "image/png"));
  const replay = await open(browser, pathToFileURL(html).href);
  await until(replay, () => window.poinsot?.time !== null && window.poinsot?.complete());
  await replay.waitForTimeout(300);
  const seen = await dot(replay, await replay.evaluate(() => window.poinsot.screen(1)));
  assert.ok(seen[0] > 120 && seen[2] < 80, `${seen}`);
  await replay.context().close();
});

test("a robot with its meshes is opened", async () => {
  const square = "solid s\n" + [[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]].map((t) => {
    const p = [[0, 0, 0], [0.3, 0, 0], [0, 0.3, 0], [0, 0, 0.3]];
    return `facet normal 0 0 0\nouter loop\n${t.map((k) => `vertex ${p[k].join(" ")}`).join("\n")}\nendloop\nendfacet`;
  }).join("\n") + "\nendsolid s\n";
  const robot = `<robot name="meshed"><link name="base"/><link name="tip"><inertial><mass value="1"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial><visual><geometry><mesh filename="package://bot/meshes/tip.stl"/>
    </geometry></visual></link><joint name="j" type="continuous"><parent link="base"/><child link="tip"/><axis xyz="0 1 0"/></joint></robot>`;
  await page.evaluate(async ([robot, square]) => {
    const form = new FormData();
    form.append("file", new File([robot], "bot/urdf/bot.urdf"), "bot/urdf/bot.urdf");
    form.append("file", new File([square], "bot/meshes/tip.stl"), "bot/meshes/tip.stl");
    await fetch("drop", { method: "POST", body: form });
  }, [robot, square]);
  await until(page, () => window.poinsot.scenery.title === "meshed" && window.poinsot.time > 0.2);
  assert.equal(await page.evaluate(() => window.poinsot.scenery.meshes.length), 1);
  await page.waitForTimeout(500);
  await page.screenshot({ path: `${pictures}/meshes.png` });
  assert.deepEqual(page.faults, []);
});

test("a replay plays from a file, with nothing from anywhere", async () => {
  const file = `${folder}/run.html`;
  execFileSync(poinsot, ["run", "dzhanibekov", "--time", "12", "--out", file]);
  const replay = await open(browser, pathToFileURL(file).href);
  await until(replay, () => window.poinsot?.time > 0.5);
  const early = await bodies(replay);
  await send(replay, { do: "seek", time: 8 });
  await until(replay, () => Math.abs(window.poinsot.time - 8) < 0.1);
  assert.ok(apart(early, await bodies(replay)) > 0.1);
  await replay.waitForTimeout(500);
  await replay.screenshot({ path: `${pictures}/replay.png` });
  assert.deepEqual(replay.faults, []);
  assert.deepEqual(replay.elsewhere, []);
  assert.ok(!/(src|href)\s*=\s*["']?(https?:)?\/\//.test(readFileSync(file, "utf8").replace(/"http:\/\/www\.w3\.org[^"]*"/g, "")));
  await replay.close();
});

test("animated glTF is valid", async () => {
  for (const scene of ["dzhanibekov", "humanoid", "chain:50", "ur5", "particle-drag"]) {
    const file = `${folder}/run.glb`;
    execFileSync(poinsot, ["run", scene, "--time", "2", "--out", file]);
    const { issues, info } = await validator.validateBytes(new Uint8Array(readFileSync(file)));
    writeFileSync(`${pictures}/gltf-${scene.replace(/\W/g, "-")}.json`, JSON.stringify({ issues, info }, null, 1));
    assert.equal(issues.numErrors + issues.numWarnings, 0, `${scene}: ${JSON.stringify(issues.messages.slice(0, 3))}`);
    assert.ok(info.animationCount === 1 && info.totalVertexCount > 0, scene);
  }
});
