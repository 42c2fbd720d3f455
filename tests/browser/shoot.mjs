// Pictures of robots as the page shows them: node shoot.mjs OUT.png MODEL [options of poinsot view]
import { launch, open, serve } from "./viewer.mjs";
import { shot } from "./shot.mjs";

const [out, ...words] = process.argv.slice(2);
const server = await serve(...words);
const browser = await launch();
try {
  const page = await open(browser, server.url, { width: 1600, height: 1000 });
  await shot(page, out);
  const { camera } = await page.evaluate(() => window.poinsot.scenery);
  console.log(JSON.stringify({ camera, faults: page.faults }));
} finally {
  await browser.close();
  server.stop();
}
