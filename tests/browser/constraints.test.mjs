// Loops, coordinates and soft joints: what the page can switch, and what it shows of them.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { apart, bodies, launch, open, pictures, send, serve, show, time, until } from "./viewer.mjs";

let browser, server, page;
before(async () => {
  browser = await launch();
  server = await serve("four-bar");
  page = await open(browser, server.url);
  await until(page, () => window.poinsot?.time > 0);
});
after(async () => {
  await browser?.close();
  server?.stop();
});

/** The last numbers of the channels of a group. */
const numbers = (group) => page.evaluate((g) => window.poinsot.channels(g), group);
const picture = async () => (await page.locator("#canvas").screenshot()).toString("base64");

/** The largest distance between the two ends of the loop's last hinge, which are marked. */
const gap = () => page.evaluate(() => {
  const [a, b] = window.poinsot.solids("knee");
  return Math.hypot(...[0, 1, 2].map((k) => a[k] - b[k]));
});

test("a loop runs and stays closed, and drift and forces are plotted", async () => {
  await until(page, () => window.poinsot.time > 1);
  assert.ok((await gap()) < 1e-5, "in single precision");
  const [drift] = await numbers("constraint drift");
  assert.ok(drift >= 0 && drift < 1e-9, `drift ${drift}`);
  assert.equal(await page.getAttribute('[data-log="constraint drift"]', "aria-pressed"), "true");
  assert.ok((await numbers("constraint forces"))[0] > 0.1);
});

test("coordinates are switched while it runs, and the motion goes on", async () => {
  await show(page, "governor");
  await page.selectOption("#plot-add", "constraint drift");
  await until(page, () => window.poinsot.time > 0.5);
  await send(page, { do: "pause" });
  await page.waitForTimeout(300);
  const [before, then] = [await bodies(page), await time(page)];
  await page.selectOption("#formulation-0", "maximal");
  await page.waitForTimeout(300);
  assert.ok(apart(before, await bodies(page)) < 1e-6, "the state is carried over");
  assert.equal(await time(page), then);
  await send(page, { do: "play" });
  await until(page, (t) => window.poinsot.time > t + 0.3, then);
  assert.ok(apart(before, await bodies(page)) > 0.05);
  const [drift] = await numbers("constraint drift");
  assert.ok(drift > 0 && drift < 1e-9, `joints are constraints, and hold: ${drift}`);
  await page.screenshot({ path: `${pictures}/maximal.png` });
  await page.selectOption("#formulation-0", "reduced");
  await until(page, (t) => window.poinsot.time > t + 0.8, then);
  assert.equal(await page.inputValue("#formulation-0"), "reduced");
  // the server takes up the switch in its own time
  let none = NaN;
  for (let tries = 0; tries < 50 && none !== 0; tries++) {
    await page.waitForTimeout(100);
    [none] = await numbers("constraint drift");
  }
  assert.equal(none, 0, "soft arms do not count, and joints cannot drift");
});

test("the integrators that coordinates allow are offered", async () => {
  await show(page, "dzhanibekov");
  await page.selectOption("#formulation-0", "maximal");
  await until(page, () => document.querySelector("#integrator-0").value === "midpoint");
  assert.ok(!(await page.locator("#integrator-0 option").allTextContents()).includes("exact"));
  await page.selectOption("#formulation-0", "reduced");
  await until(page, () => [...document.querySelector("#integrator-0").options].some((o) => o.value === "exact"));
});

test("reactions and constraints are switched in the picture", async () => {
  await show(page, "slider-crank");
  await until(page, () => window.poinsot.time > 1.3);
  await send(page, { do: "pause" });
  await page.waitForTimeout(400);
  await page.screenshot({ path: `${pictures}/reactions.png` });
  for (const key of ["layer:joint reactions", "layer:constraints"]) {
    const plain = await picture();
    await page.click(`[data-show="${key}"]`);
    await page.waitForTimeout(500);
    assert.ok((await picture()) !== plain, key);
    await page.screenshot({ path: `${pictures}/show-${key.replace(/\W/g, "-")}.png` });
    await page.click(`[data-show="${key}"]`);
    await page.waitForTimeout(400);
  }
});

test("of three ways to keep a loop closed each drifts as it must", async () => {
  await show(page, "drift-race");
  await send(page, { do: "speed", value: 4 });
  await until(page, () => window.poinsot.time > 10);
  await send(page, { do: "pause" });
  await page.waitForTimeout(400);
  const [nothing, baumgarte, projection] = await numbers("constraint drift");
  assert.ok(nothing > 0.01 && baumgarte < 1e-3 * nothing && projection < 1e-12, `${nothing} ${baumgarte} ${projection}`);
  await page.screenshot({ path: `${pictures}/drift-race.png` });
});

test("arrows that are switched on later come, and are of a sensible length", async () => {
  await show(page, "chain5");
  await until(page, () => window.poinsot.time > 0.3);
  const arrows = () => page.evaluate(() => window.poinsot.arrows("joint reactions"));
  assert.ok((await arrows()).every((a) => a.some(Number.isNaN)), "nobody looks, nothing is read");
  await page.click('[data-show="layer:joint reactions"]');
  await until(page, () => window.poinsot.arrows("joint reactions").every((a) => a.every(Number.isFinite)));
  const lengths = (await arrows()).map((a) => Math.hypot(...[0, 1, 2].map((k) => a[3 + k] - a[k])));
  assert.ok(Math.max(...lengths) > 0.02 && Math.max(...lengths) < 2, lengths.join());
});

test("the ledger is kept while it is plotted, and adds up", async () => {
  await show(page, "four-bar");
  await page.selectOption("#plot-add", "ledger");
  await page.selectOption("#plot-add", "ledger error");
  await until(page, () => Number.isFinite(window.poinsot.channels("ledger")[0]));
  const [points, when] = [await page.evaluate(() => window.poinsot.plotPoints()), await time(page)];
  await until(page, (t) => window.poinsot.time > t + 1, when);
  assert.ok((await page.evaluate(() => window.poinsot.plotPoints())) > points);
  const lines = await numbers("ledger");
  const [kinetic, parts] = [lines.at(-1), lines.slice(0, -1)];
  assert.ok(parts.some((x) => Math.abs(x) > 1e-3), lines.join());
  assert.ok(Math.abs(kinetic - parts.reduce((a, b) => a + b, 0)) < 1e-9, lines.join());
  await page.screenshot({ path: `${pictures}/ledger.png` });
  await page.click('[data-close-plot="ledger"]');
  await page.click('[data-close-plot="ledger error"]');
  await until(page, () => Number.isNaN(window.poinsot.channels("ledger")[0]));
});

test("the slider of a stiffness changes the motion at once", async () => {
  await show(page, "soft-joint");
  await until(page, () => window.poinsot.time > 0.5);
  const stretch = () => page.evaluate(() => {
    const [a, b] = window.poinsot.solids("upper_joint");
    return Math.hypot(...[0, 1, 2].map((k) => a[k] - b[k]));
  });
  assert.ok((await stretch()) < 1e-4, "as good as rigid");
  await page.locator("#stiffness-0").evaluate((slider) => {
    slider.value = "3"; // 1000 N/m
    slider.dispatchEvent(new Event("input", { bubbles: true }));
  });
  await until(page, () => {
    const [a, b] = window.poinsot.solids("upper_joint");
    return Math.hypot(...[0, 1, 2].map((k) => a[k] - b[k])) > 0.005;
  });
  assert.match(await page.textContent('output[for="stiffness-0"]'), /1000 N\/m/);
  await page.screenshot({ path: `${pictures}/soft.png` });
  assert.equal(await page.locator(".toast").count(), 0);
});

test("geared wheels turn in maximal coordinates; collision shapes are switched", async () => {
  await page.setInputFiles("#file", { name: "geared.xml", mimeType: "text/xml", buffer: Buffer.from(`<mujoco model="geared">
    <worldbody>
      <body name="a"><joint name="one" axis="0 1 0"/><geom size="0.1" pos="0 0 -0.5"/></body>
      <body name="b" pos="1 0 0"><joint name="two" axis="0 1 0"/><geom size="0.1" pos="0 0 -0.5"/></body>
    </worldbody>
    <equality><joint name="gear" joint1="two" joint2="one" polycoef="0 -2 0 0 0"/></equality>
  </mujoco>`) });
  await until(page, () => window.poinsot.scenery?.name === "geared.xml" && window.poinsot.time !== null);
  await page.selectOption("#formulation-0", "maximal");
  const switched = await time(page);
  await until(page, (from) => window.poinsot.time > from + 0.3, switched);
  assert.equal(await page.inputValue("#formulation-0"), "maximal");
  assert.equal(await page.locator(".toast").count(), 0);
  await send(page, { do: "pause" });
  await page.waitForTimeout(500);
  const plain = await picture();
  await page.click('[data-show="collision"]');
  await page.waitForTimeout(500);
  assert.ok((await picture()) !== plain, "wires over what they are the shapes of");
  await page.screenshot({ path: `${pictures}/collision-shapes.png` });
  assert.deepEqual(page.faults, []);
});
