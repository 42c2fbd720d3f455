// The page on a screen as small as a phone's.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch, open, pictures, send, serve, until } from "./viewer.mjs";

let browser, server, page;
before(async () => {
  browser = await launch();
  server = await serve("astronaut");
  page = await open(browser, server.url, { width: 390, height: 844 }, { hasTouch: true, isMobile: true });
  await until(page, () => window.poinsot?.time > 0);
});
after(async () => {
  await browser?.close();
  server?.stop();
});

test("everything fits, and each tab opens", async () => {
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(width <= 390, `${width} wide`);
  for (const tab of ["plots", "controls", "show", "about"]) {
    await page.click(`#tab-${tab}`);
    await page.waitForTimeout(300);
    await page.screenshot({ path: `${pictures}/phone-${tab}.png` });
  }
  const play = await page.locator("#play").boundingBox();
  assert.ok(play.width >= 40 && play.height >= 40, "large enough for a thumb");
  assert.ok(play.y + play.height <= 844 && play.x >= 0);
  const canvas = await page.locator("#canvas").boundingBox();
  assert.ok(canvas.height > 250 && canvas.width > 350);
});

test("a finger pulls a body", async () => {
  await send(page, { do: "reset" });
  const at = await page.evaluate(() => Array.from(Object.values(window.poinsot.screen(1))));
  const before = await page.evaluate(() => window.poinsot.bodies()[1]);
  const device = await page.context().newCDPSession(page);
  const touch = (type, x, y) => device.send("Input.dispatchTouchEvent", { type, touchPoints: type === "touchEnd" ? [] : [{ x, y }] });
  await touch("touchStart", ...at);
  for (let k = 1; k <= 15; k++) {
    await touch("touchMove", at[0], at[1] - 6 * k);
    await page.waitForTimeout(40);
  }
  await page.waitForTimeout(500);
  const after = await page.evaluate(() => window.poinsot.bodies()[1]);
  await touch("touchEnd", at[0], at[1] - 90);
  assert.ok(Math.hypot(...[0, 1, 2].map((k) => after[k] - before[k])) > 0.05, `${before} → ${after}`);
  assert.deepEqual(page.faults, []);
});
