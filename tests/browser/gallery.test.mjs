// Every exhibit of the gallery opens and moves.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch, open, pictures, send, serve, until } from "./viewer.mjs";

let browser, server, page;
before(async () => {
  browser = await launch();
  server = await serve();
  page = await open(browser, server.url);
  await page.locator("[data-exhibit]").first().waitFor();
});
after(async () => {
  await browser?.close();
  server?.stop();
});

test("cards have pictures and words, and something moves", async () => {
  const cards = page.locator("[data-exhibit]");
  assert.ok((await cards.count()) >= 10);
  for (const card of await cards.all()) {
    await card.scrollIntoViewIfNeeded();
    const picture = card.locator("img");
    await picture.evaluate((i) => i.complete || new Promise((resolve) => (i.onload = resolve)));
    assert.ok(await picture.evaluate((i) => i.naturalWidth > 100));
    assert.ok((await card.textContent()).length > 40);
  }
  await cards.first().scrollIntoViewIfNeeded();
  await until(page, () => window.poinsot.time > 0);
  await page.screenshot({ path: `${pictures}/gallery.png` });
});

test("each opens, moves and says what to look at", async () => {
  const names = await page.locator("[data-exhibit]").evaluateAll((all) => all.map((e) => e.dataset.exhibit));
  for (const name of names) {
    if (!(await page.locator("#gallery").isVisible())) await page.click("#gallery-button");
    await page.click(`[data-exhibit="${name}"]`);
    await until(page, (n) => window.poinsot.scenery?.name === n && window.poinsot.time > 0, name);
    await send(page, { do: "speed", value: 4 }); // a second of each, also of those that begin in slow motion
    await until(page, () => window.poinsot.time > 1);
    assert.ok((await page.textContent("#about-watch")).length > 10, name);
    assert.equal(await page.locator(".toast").count(), 0, name);
    await page.screenshot({ path: `${pictures}/exhibit-${name.replace(/\W/g, "-")}.png` });
  }
  assert.deepEqual(page.faults, []);
  assert.deepEqual(page.elsewhere, []);
});
