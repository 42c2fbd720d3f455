// The scene alone, where it begins.
import { send } from "./viewer.mjs";

const SIZE = { width: 960, height: 600 };
/** The scene covers the page. */
const ALONE = `body > *:not(#stage), #stage > *:not(canvas) { display: none !important }
  #stage { position: fixed !important; inset: 0 !important; width: 100vw !important; height: 100vh !important }`;

/** A processor that paints large pictures, and has others to serve, takes its time. */
const patient = (page, test) => page.waitForFunction(test, null, { timeout: 120000, polling: 200 });

/** Takes a picture once all meshes and their pictures are there. */
export async function shot(page, path, size = SIZE) {
  await page.setViewportSize(size);
  await page.addStyleTag({ content: ALONE });
  await patient(page, () => window.poinsot?.time !== null && window.poinsot?.scenery);
  await send(page, { do: "pause" });
  await send(page, { do: "reset" });
  await patient(page, () => window.poinsot.complete() && window.poinsot.time === 0);
  await page.waitForTimeout(500);
  await page.screenshot({ path, timeout: 120000 });
}

/** The colour of a dot of the page: red, green, blue. */
export async function dot(page, [x, y]) {
  const picture = (await page.screenshot()).toString("base64");
  return page.evaluate(async ([picture, x, y]) => {
    const bitmap = await createImageBitmap(new Blob([Uint8Array.from(atob(picture), (c) => c.charCodeAt(0))]));
    const canvas = new OffscreenCanvas(1, 1).getContext("2d");
    canvas.drawImage(bitmap, -Math.round(x), -Math.round(y));
    return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
  }, [picture, x, y]);
}
