// What all tests share: a server, a browser, and small things to say with them.
import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

export const root = fileURLToPath(new URL("../../", import.meta.url));
export const poinsot = process.env.POINSOT ?? `${root}target/release/poinsot`;
/** Where pictures of the page go, to be looked at by a person. */
export const pictures = process.env.PICTURES ?? `${root}target/browser`;
mkdirSync(pictures, { recursive: true });

const flags = [
  "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-background-networking",
  "--disable-component-update", "--disable-sync", "--disable-quic", "--no-first-run",
];

export const launch = () => chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: flags });

/** Starts `poinsot view` on a free port. */
export async function serve(...words) {
  const child = spawn(poinsot, ["view", "--json", "--port", "0", ...words], { stdio: ["ignore", "pipe", "inherit"] });
  const line = await new Promise((resolve, reject) => {
    let text = "";
    child.stdout.on("data", (bytes) => {
      text += bytes;
      if (text.includes("\n")) resolve(text.split("\n")[0]);
    });
    child.on("exit", (code) => reject(new Error(`poinsot view ended with ${code}: ${text}`)));
  });
  const { url, address } = JSON.parse(line);
  return { url, address, child, alive: () => child.exitCode === null, stop: () => child.kill("SIGINT") };
}

/** A page whose errors and requests to other hosts are remembered. */
export async function open(browser, url, viewport = { width: 1280, height: 800 }, more = {}) {
  const context = await browser.newContext({ viewport, ...more });
  const page = await context.newPage();
  page.faults = [];
  page.elsewhere = [];
  page.on("pageerror", (error) => page.faults.push(error.message));
  page.on("console", (message) => message.type() === "error" && page.faults.push(message.text()));
  page.on("request", (request) => {
    const other = /^(data|blob|file):/.test(request.url()) ? null : new URL(request.url()).host;
    if (other && other !== new URL(url).host) page.elsewhere.push(request.url());
  });
  await page.goto(url);
  return page;
}

export const time = (page) => page.evaluate(() => window.poinsot.time);
export const bodies = (page) => page.evaluate(() => window.poinsot.bodies());
export const send = (page, command) => page.evaluate((c) => window.poinsot.send(c), command);
export const until = (page, test, argument) => page.waitForFunction(test, argument, { timeout: 30000 });

/** Opens an exhibit and waits until its frames come. */
export async function show(page, name) {
  const before = await page.evaluate(() => window.poinsot.scene);
  await send(page, { do: "open", name });
  await until(page, ([n, old]) => window.poinsot.scene !== old && window.poinsot.scenery.name === n && window.poinsot.time !== null, [name, before]);
}

/** The largest difference of two lists of poses. */
export const apart = (a, b) => Math.max(...a.flatMap((pose, k) => pose.map((x, i) => Math.abs(x - b[k][i]))));
