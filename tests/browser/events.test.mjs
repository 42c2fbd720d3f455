// What happens at ends of ranges and to dry friction: listed next to the plots, and marked in them.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch, open, pictures, send, serve, until } from "./viewer.mjs";

let browser, server;
before(async () => ([browser, server] = await Promise.all([launch(), serve("stops")])));
after(async () => {
  await browser.close();
  server.stop();
});

test("impacts and sticks are listed in plain words, and accumulations are said", async () => {
  const page = await open(browser, server.url);
  await until(page, () => document.querySelectorAll("#events li").length > 2);
  const items = await page.locator("#events li").allTextContents();
  assert.ok(items.some((text) => /s wire reaches its lower end/.test(text)), items.join("; "));
  await until(page, () => [...document.querySelectorAll("#events li")].some((e) => /rail comes to rest/.test(e.textContent)));
  assert.equal(await page.locator("#notices li").count(), 0);
  await page.screenshot({ path: `${pictures}/events.png` });
  // many impacts in one step
  await send(page, { do: "dt", value: 0.02 });
  await send(page, { do: "speed", value: 4 });
  await until(page, () => document.querySelectorAll("#notices li").length > 0);
  assert.match(await page.locator("#notices").textContent(), /in 1 step, first at .*"wire".*time stepping/);
  await page.screenshot({ path: `${pictures}/events-accumulated.png` });
  await send(page, { do: "reset" });
  await until(page, () => document.querySelectorAll("#notices li").length === 0);
  assert.deepEqual(page.faults, []);
  assert.deepEqual(page.elsewhere, []);
});

test("a scene without limits has no list", async () => {
  const page = await open(browser, server.url);
  await send(page, { do: "open", name: "dzhanibekov" });
  await until(page, () => window.poinsot.scenery?.name === "dzhanibekov" && window.poinsot.time > 0.1);
  assert.equal(await page.locator("#happened").isVisible(), false);
});
