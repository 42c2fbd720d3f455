// Contact: what is drawn and plotted of it, and what the page can switch.
import assert from "node:assert/strict";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { after, before, test } from "node:test";
import { bodies, launch, open, pictures, send, serve, show, time, until } from "./viewer.mjs";

let browser, server, page;
before(async () => {
  browser = await launch();
  server = await serve("table");
  page = await open(browser, server.url);
  await until(page, () => window.poinsot?.time > 0);
});
after(async () => {
  await browser?.close();
  server?.stop();
});

const numbers = (group) => page.evaluate((g) => window.poinsot.channels(g), group);
/** Arrows of a layer that are seen: tails and tips. */
const arrows = (layer) => page.evaluate((l) => window.poinsot.arrows(l).filter((a) => a.every(Number.isFinite)), layer);
const picture = async () => (await page.locator("#canvas").screenshot()).toString("base64");

test("forces on the feet of a table bear its weight", async () => {
  await until(page, () => window.poinsot.time > 0.3);
  // four feet, and four corners of the weight on it
  const forces = await arrows("contact forces");
  assert.equal(forces.length, 8);
  for (const [x, y, z, a, b, c] of forces) assert.ok(Math.hypot(a - x, b - y, c - z) > 1e-4 && c > z, "they push up");
  const [normal, world] = await numbers("contact force");
  assert.ok(Math.abs(normal / (9.81 * (19 + 5)) - 1) < 1e-6, `19 kg on the floor and 5 kg on the table: ${normal} N`);
  assert.ok(Math.abs(world / (9.81 * 19) - 1) < 1e-6, `19 kg on the floor: ${world} N`);
  const [residual] = await numbers("contact residual");
  const [deep] = await numbers("penetration");
  assert.ok(residual >= 0 && residual < 1e-8 && deep >= 0 && deep < 1e-6, `${residual} ${deep}`);
  await page.screenshot({ path: `${pictures}/contact-table.png` });
});

test("normals and friction cones are switched in the picture", async () => {
  await send(page, { do: "pause" });
  await page.waitForTimeout(300);
  const plain = await picture();
  await page.check('[data-show="layer:friction cones"]');
  await page.check('[data-show="layer:contact normals"]');
  await page.waitForTimeout(400);
  assert.notEqual(await picture(), plain);
  const cones = await page.evaluate(() => window.poinsot.solids("friction cones 1"));
  const [, , , , , , , radius, , height] = cones[0];
  assert.ok(Math.abs(radius / height - 1) < 1e-5, "friction is 1");
  await page.screenshot({ path: `${pictures}/contact-cones.png` });
  await send(page, { do: "play" });
});

test("springs sink in, their gains are drawn, and other solvers follow", async () => {
  await page.selectOption("#contact-0", "penalty");
  await until(page, () => window.poinsot.channels("penetration")[0] > 1e-5);
  assert.ok(await page.locator("#gain-0-0").isVisible());
  const [before] = await numbers("penetration");
  // softer than the rule of the masses has it
  await page.locator("#gain-0-0").evaluate((slider) => {
    slider.value = String(Math.log10(3000));
    slider.dispatchEvent(new Event("input", { bubbles: true }));
  });
  await until(page, (deep) => window.poinsot.channels("penetration")[0] > 2 * deep, before);
  await page.screenshot({ path: `${pictures}/contact-penalty.png` });
  for (const solver of ["lcp", "pgs", "impulse", "exact"]) {
    await page.selectOption("#contact-0", solver);
    await until(page, (s) => document.querySelector("#contact-0").value === s, solver);
    const then = await time(page);
    await until(page, (t) => window.poinsot.time > t + 0.1, then);
    assert.equal(await page.locator("#gain-0-0").isVisible(), false);
  }
});

test("without contact all falls, and a method without contact says so", async () => {
  await show(page, "table");
  await page.selectOption("#contact-0", "none");
  await until(page, () => window.poinsot.bodies()[1][2] < -1);
  await send(page, { do: "reset" });
  await page.selectOption("#contact-0", "exact");
  await page.selectOption("#integrator-0", "backward");
  await page.locator("#untouched-0").waitFor({ state: "visible" });
  const sentence = /not simulated: contact: bodies pass through each other; `backward` does not support contact; leapfrog/;
  assert.match(await page.textContent("#untouched-0"), sentence);
  assert.match(await page.textContent("#halt"), sentence);
  assert.equal(await page.inputValue("#contact-0"), "none");
  assert.ok(await page.locator("#contact-0").isDisabled());
  await page.screenshot({ path: `${pictures}/contact-untouched.png` });
  await page.selectOption("#integrator-0", "leapfrog");
  await page.locator("#untouched-0").waitFor({ state: "hidden" });
  assert.ok(await page.locator("#halt").isHidden());
  assert.equal(await page.inputValue("#contact-0"), "exact");
});

test("arrows of contacts follow the timeline", async () => {
  await show(page, "bounce");
  await until(page, () => window.poinsot.time > 1);
  await send(page, { do: "pause" });
  await until(page, () => document.querySelector("#play").dataset.state === "paused");
  assert.ok((await arrows("contact forces")).length > 0, "one has stayed on the floor");
  // what happens again and again is one line
  const collisions = await page.locator('#events [data-kind="impact"]').allTextContents();
  assert.equal(collisions.filter((text) => /ball_0.3 collide, \d+ times since/.test(text)).length, 1, collisions.join("; "));
  await send(page, { do: "seek", time: 0.2 });
  await until(page, () => window.poinsot.time < 0.3);
  assert.equal((await arrows("contact forces")).length, 0, "all are in the air");
  await send(page, { do: "seek", time: 0.9 });
  await until(page, () => window.poinsot.time > 0.8);
  assert.ok((await arrows("contact forces")).length > 0);
});

test("a rod that jams is seen, and its event has words", async () => {
  await show(page, "painleve");
  await until(page, () => document.querySelectorAll('#events [data-kind="jam"]').length > 0);
  const text = await page.textContent("#events");
  assert.match(text, /an impulse stops them without a collision/);
  assert.doesNotMatch(text, /undefined/);
  await send(page, { do: "pause" });
  await page.screenshot({ path: `${pictures}/contact-painleve.png` });
});

test("masses of bodies on springs have sliders", async () => {
  await show(page, "penalty");
  await page.locator("#mass-2").evaluate((slider) => {
    slider.value = "2";
    slider.dispatchEvent(new Event("input", { bubbles: true }));
  });
  await until(page, () => /100 kg/.test(document.querySelector('output[for="mass-2"]').textContent));
  await page.screenshot({ path: `${pictures}/contact-masses.png` });
});

test("a shot is met where bodies are followed, and missed where they are not", async () => {
  await show(page, "shot");
  await until(page, () => window.poinsot.time > 0.05);
  const all = await bodies(page);
  const plates = await page.evaluate(() => window.poinsot.scenery.bodies.flatMap((b, k) => (b.name === "plate" ? [k] : [])));
  // how far the hinge has turned them: the y of the quaternion
  const [met, missed] = plates.map((k) => Math.abs(all[k][5]));
  assert.ok(met > 0.01 && missed < 1e-6, `${met} ${missed}`);
  assert.deepEqual([await page.inputValue("#detection-0"), await page.inputValue("#detection-1")], ["swept", "discrete"]);
  await page.screenshot({ path: `${pictures}/contact-shot.png` });
  // from a standstill, so that no frame from before the reset is taken for one after it
  await send(page, { do: "pause" });
  await page.selectOption("#detection-1", "swept");
  await send(page, { do: "reset" });
  await until(page, () => window.poinsot.time === 0);
  await send(page, { do: "play" });
  await until(page, () => window.poinsot.time > 0.05);
  const again = await bodies(page);
  assert.ok(Math.abs(Math.abs(again[plates[1]][5]) - Math.abs(again[plates[0]][5])) < 1e-6, "now both are met");
});

test("a body is thrown by the mouse, and lands", async () => {
  await show(page, "bounce");
  await until(page, () => window.poinsot.time > 3);
  const [, ball] = await bodies(page);
  await send(page, { do: "grab", body: 1, point: [0, 0, 0] });
  await send(page, { do: "pull", to: [ball[0], ball[1] - 0.3, 1] });
  await until(page, () => window.poinsot.bodies()[1][2] > 0.5);
  await send(page, { do: "release" });
  const then = await time(page);
  await until(page, (t) => window.poinsot.time > t + 2, then);
  const [, landed] = await bodies(page);
  assert.ok(Math.abs(landed[2] - 0.1) < 1e-4, `on the floor again: ${landed}`);
});

test("a file with a geom that cannot be read runs, and the page says which geom touches nothing", async () => {
  const folder = mkdtempSync(`${tmpdir()}/poinsot-`);
  writeFileSync(`${folder}/broken.stl`, "no triangles here");
  writeFileSync(`${folder}/model.xml`, `<mujoco><asset><mesh name="m" file="broken.stl"/></asset><worldbody>
    <geom type="plane" size="1 1 1"/><body pos="0 0 1"><freejoint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
    <geom type="mesh" mesh="m"/></body></worldbody></mujoco>`);
  const other = await serve(`${folder}/model.xml`);
  let second;
  try {
    second = await open(browser, other.url);
    await second.locator("#untouched-0").waitFor({ state: "visible" });
    assert.match(await second.textContent("#untouched-0"), /contact of this geom, which everything passes through: .*broken/s);
    assert.match(await second.textContent("#diagnostics"), /everything passes through/);
    await second.screenshot({ path: `${pictures}/contact-unreadable.png` });
  } finally {
    await second?.close();
    other.stop();
  }
});

test("exhibits with contact have thumbnails", async () => {
  const all = await (await page.request.get(new URL("/gallery", server.url).href)).json();
  const first = all.findIndex((e) => e.name === "bounce");
  assert.ok(first > 0 && all.length - first >= 22);
  for (const { name } of all.slice(first)) {
    const answer = await page.request.get(new URL(`/thumbnail/${name}.png`, server.url).href);
    assert.equal(answer.status(), 200, name);
    writeFileSync(`${pictures}/thumbnail-${name}.png`, await answer.body());
  }
});

test("nothing went wrong on the page", () => {
  assert.deepEqual(page.faults, []);
  assert.deepEqual(page.elsewhere, []);
});
