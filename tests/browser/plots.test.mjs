// Plots of joints that are not sent unasked.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch, open, send, serve, time, until } from "./viewer.mjs";

let browser, server, page;
before(async () => {
  browser = await launch();
  server = await serve("chain:600");
  page = await open(browser, server.url);
  await until(page, () => window.poinsot?.time > 0.2);
});
after(async () => {
  await browser?.close();
  server?.stop();
});

const last = '[data-plot="joint hinge600"]';
const where = () => page.evaluate(() => window.poinsot.screen(1).map(Math.round));

test("a joint among very many is plotted when it is chosen, and all else stays as it is", async () => {
  await page.click('[data-close-plot="energy change"]');
  await page.click('[data-log="energy"]');
  const home = await where();
  await page.mouse.move(600, 400);
  await page.mouse.wheel(0, -400);
  await until(page, (h) => window.poinsot.screen(1).some((x, k) => Math.abs(x - h[k]) > 5), home);
  await send(page, { do: "pause" });
  await page.waitForTimeout(500);
  const [scene, then, view] = [await page.evaluate(() => window.poinsot.scene), await time(page), await where()];
  assert.equal(await page.evaluate(() => window.poinsot.scenery.joints[599].channel), null);
  await page.selectOption("#plot-add", "joint hinge600");
  await page.waitForSelector(last);
  await until(page, (s) => window.poinsot.scene === s + 1 && window.poinsot.time !== null, scene);
  assert.deepEqual([await time(page), await where()], [then, view], "neither time nor camera moves");
  assert.equal(await page.locator('[data-plot="energy change"]').count(), 0, "what was closed stays closed");
  assert.equal(await page.getAttribute('[data-log="energy"]', "aria-pressed"), "true");
  assert.ok((await page.evaluate(() => window.poinsot.plotPoints())) > 5, "the past is there");
  await send(page, { do: "play" });
  await until(page, (t) => window.poinsot.time > t + 0.1, then);
  await page.click('[data-close-plot="joint hinge600"]');
  assert.equal(await page.locator(last).count(), 0);
  await page.selectOption("#plot-add", "joint hinge600");
  await page.waitForSelector(last);
  assert.equal(await page.evaluate(() => window.poinsot.scene), scene + 1, "it is sent already");
  assert.deepEqual(page.faults, []);
});
