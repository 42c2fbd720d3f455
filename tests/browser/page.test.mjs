// The page in a real browser: it moves, is driven, and stays with this host.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { apart, bodies, launch, open, pictures, send, serve, show, time, until } from "./viewer.mjs";

let browser, server, page;
before(async () => {
  browser = await launch();
  server = await serve("dzhanibekov");
  page = await open(browser, server.url);
  await until(page, () => window.poinsot?.time > 0);
});
after(async () => {
  await browser?.close();
  server?.stop();
});

/** From the beginning, with nothing of what was before on its way. */
async function again(page) {
  await send(page, { do: "pause" });
  await send(page, { do: "reset" });
  await until(page, () => window.poinsot.time === 0);
  await send(page, { do: "play" });
}

test("the scene moves, and plots advance", async () => {
  const [first, points, when] = [await bodies(page), await page.evaluate(() => window.poinsot.plotPoints()), await time(page)];
  await until(page, (t) => window.poinsot.time > t + 1, when);
  assert.ok(apart(first, await bodies(page)) > 0.1);
  assert.ok((await page.evaluate(() => window.poinsot.plotPoints())) > points);
  assert.ok((await page.locator(".uplot canvas").count()) >= 2);
  await page.screenshot({ path: `${pictures}/dzhanibekov.png` });
});

test("play, pause, step, step size, speed and reset", async () => {
  await page.click("#play");
  await until(page, () => document.querySelector("#play").dataset.state === "paused");
  await page.waitForTimeout(300);
  const paused = await time(page);
  await page.waitForTimeout(300);
  assert.equal(await time(page), paused);
  await page.click("#step");
  await until(page, (t) => window.poinsot.time > t, paused);
  assert.ok(Math.abs((await time(page)) - paused - 0.01) < 1e-9);
  await page.fill("#dt-0", "0.5");
  await page.press("#dt-0", "Enter");
  await page.click("#step");
  await until(page, (t) => window.poinsot.time > t + 0.4, paused);
  assert.ok(Math.abs((await time(page)) - paused - 0.51) < 1e-9);
  await page.click("#reset");
  await until(page, () => window.poinsot.time === 0);
  await send(page, { do: "dt", value: 0.01 });
  await page.keyboard.press("Space");
  await until(page, () => window.poinsot.time > 0.2);
  await page.selectOption("#speed", { index: 0 });
  await page.waitForTimeout(200);
  const [slow, begin] = [await time(page), Date.now()];
  await page.waitForTimeout(1000);
  assert.ok(((await time(page)) - slow) / ((Date.now() - begin) / 1000) < 0.5, "slower than real time");
  await send(page, { do: "speed", value: 1 });
});

test("scrubbing shows an earlier pose, and playing goes on from there", async () => {
  await send(page, { do: "speed", value: 4 });
  await again(page);
  await until(page, () => window.poinsot.time > 3);
  await send(page, { do: "pause" });
  await page.waitForTimeout(300);
  const [early, then] = [await bodies(page), await time(page)];
  await send(page, { do: "play" });
  await until(page, (t) => window.poinsot.time > t + 4, then);
  const late = await bodies(page);
  assert.ok(apart(early, late) > 0.1);
  const slider = page.locator("#timeline");
  const box = await slider.boundingBox();
  const end = await time(page);
  await page.mouse.click(box.x + (box.width * then) / end, box.y + box.height / 2);
  await until(page, (t) => window.poinsot.time < t + 1, then);
  assert.match(await page.textContent("#reached"), /looking back/);
  await send(page, { do: "seek", time: then });
  await until(page, (t) => Math.abs(window.poinsot.time - t) < 0.05, then);
  assert.ok(apart(early, await bodies(page)) < 0.15, "the pose of that time");
  await page.screenshot({ path: `${pictures}/looking-back.png` });
  await send(page, { do: "speed", value: 1 });
  await page.click("#play");
  await until(page, (t) => window.poinsot.time > t + 0.2, then);
  assert.ok((await time(page)) < end, "the later course is forgotten");
});

test("dragging pulls a body, and letting go leaves it", async () => {
  await again(page);
  await until(page, () => window.poinsot.time > 0.2);
  const [x, y] = await page.evaluate(() => Array.from(Object.values(window.poinsot.screen(1))));
  await page.mouse.move(x, y);
  await page.mouse.down();
  for (let k = 1; k <= 20; k++) {
    await page.mouse.move(x, y - 6 * k);
    await page.waitForTimeout(30);
  }
  await page.waitForTimeout(500);
  await page.screenshot({ path: `${pictures}/pulling.png` });
  const pulled = (await bodies(page))[1];
  assert.ok(Math.hypot(...pulled.slice(0, 3)) > 0.3, `moved to ${pulled}`);
  await page.mouse.up();
  const note = await page.evaluate(() => window.poinsot.selected);
  assert.equal(note, 1, "a body that is taken is selected");
  await page.waitForTimeout(200);
  const gone = (await bodies(page))[1];
  await page.waitForTimeout(300);
  assert.ok(apart([gone.slice(0, 3)], [(await bodies(page))[1].slice(0, 3)]) < 5, "it goes on freely");
});

test("another integrator, live", async () => {
  await page.selectOption("#integrator-0", "euler-forward");
  await send(page, { do: "dt", value: 0.1 });
  await again(page);
  await until(page, () => window.poinsot.time > 8);
  await page.screenshot({ path: `${pictures}/euler-forward.png` });
  const problem = page.locator(".toast");
  await send(page, { do: "integrator", name: "euler-sideways" });
  await problem.first().waitFor();
  assert.match(await problem.first().textContent(), /euler-sideways/);
  await show(page, "dzhanibekov");
});

test("every switch changes the picture", async () => {
  await show(page, "humanoid");
  await until(page, () => window.poinsot.time > 1.5);
  await send(page, { do: "pause" });
  await page.waitForTimeout(400);
  const shots = async () => (await page.locator("#canvas").screenshot()).toString("base64");
  for (const key of ["visual", "frames", "ellipsoids", "centres", "layer:momenta", "layer:momenta of bodies"]) {
    const plain = await shots();
    await page.click(`[data-show="${key}"]`);
    await page.waitForTimeout(400);
    assert.ok((await shots()) !== plain, key);
    await page.screenshot({ path: `${pictures}/show-${key.replace(/\W/g, "-")}.png` });
    await page.click(`[data-show="${key}"]`);
    await page.waitForTimeout(300);
  }
  const [points, when] = [await page.evaluate(() => window.poinsot.tracePoints()), await time(page)];
  await page.click('[data-show="body-trails"]');
  await send(page, { do: "play" });
  await until(page, (t) => window.poinsot.time > t + 0.7, when);
  assert.ok((await page.evaluate(() => window.poinsot.tracePoints())) > points + 20, "trails grow");
  await page.screenshot({ path: `${pictures}/show-body-trails.png` });
});

test("sliders: actuators move joints, joints are set, keyframes are chosen", async () => {
  await show(page, "ur5");
  const elbow = () => page.evaluate(() => {
    const { bodies } = window.poinsot.scenery;
    return window.poinsot.bodies()[bodies.findIndex((b) => b.name === "wrist_3_link")];
  });
  await page.waitForTimeout(500);
  const rest = await elbow();
  await page.locator("#actuator-0").evaluate((slider) => {
    slider.value = "1.2";
    slider.dispatchEvent(new Event("input", { bubbles: true }));
  });
  await page.waitForTimeout(1500);
  assert.ok(apart([rest], [await elbow()]) > 0.2);
  await page.screenshot({ path: `${pictures}/ur5.png` });
  await send(page, { do: "pause" });
  await page.locator("#joint-2").evaluate((slider) => {
    slider.value = "0.3";
    slider.dispatchEvent(new Event("input", { bubbles: true }));
  });
  await page.waitForTimeout(400);
  const posed = await elbow();
  assert.ok(apart([rest], [posed]) > 0.1);
  await page.selectOption("#keyframe", { label: "upright" });
  await until(page, (z) => window.poinsot.bodies().at(-1)[2] > z, 0.9);
});

test("gravity can be taken away", async () => {
  await show(page, "chain5");
  await page.click("#gravity");
  await again(page);
  await until(page, () => window.poinsot.time > 1);
  const rods = await bodies(page);
  assert.ok(rods.every((pose) => Math.abs(pose[2]) < 1e-6), "nothing falls");
});

test("the camera follows a body and comes back; keys are shown and can be switched off", async () => {
  await show(page, "chain5");
  await send(page, { do: "pause" });
  await page.waitForTimeout(500);
  const [x, y] = await page.evaluate(() => Array.from(Object.values(window.poinsot.screen(5))));
  await page.mouse.click(x, y);
  await until(page, () => window.poinsot.selected > 0);
  await page.click("#follow");
  await send(page, { do: "play" });
  await page.waitForTimeout(1000);
  await page.screenshot({ path: `${pictures}/following.png` });
  await page.click("#reset-view");
  await page.keyboard.press("?");
  await page.locator("#help").waitFor({ state: "visible" });
  await page.screenshot({ path: `${pictures}/keys.png` });
  await page.click("#shortcuts-on");
  await page.keyboard.press("Escape");
  const state = await page.getAttribute("#play", "data-state");
  await page.locator("#canvas").focus().catch(() => undefined);
  await page.keyboard.press("Space");
  await page.waitForTimeout(300);
  assert.equal(await page.getAttribute("#play", "data-state"), state, "keys are off");
});

test("no request went to another host, and nothing failed", () => {
  assert.deepEqual(page.elsewhere, []);
  assert.deepEqual(page.faults, []);
});
