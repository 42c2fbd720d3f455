// The scene alone, where it begins.
import { send, until } from "./viewer.mjs";

const SIZE = { width: 960, height: 600 };
/** The scene covers the page. */
const ALONE = `body > *:not(#stage), #stage > *:not(canvas) { display: none !important }
  #stage { position: fixed !important; inset: 0 !important; width: 100vw !important; height: 100vh !important }`;

/** Takes a picture once all meshes and their pictures are there. */
export async function shot(page, path, size = SIZE) {
  await page.setViewportSize(size);
  await page.addStyleTag({ content: ALONE });
  await until(page, () => window.poinsot?.time !== null && window.poinsot?.scenery);
  await send(page, { do: "pause" });
  await send(page, { do: "reset" });
  await until(page, () => window.poinsot.complete?.() ?? true);
  await page.waitForTimeout(500);
  await page.screenshot({ path });
}
