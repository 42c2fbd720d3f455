// The server: reloads, two tabs, garbage, strangers, and the token.
import assert from "node:assert/strict";
import { request } from "node:http";
import { after, before, test } from "node:test";
import { apart, bodies, launch, open, send, serve, time, until } from "./viewer.mjs";

let browser, server;
before(async () => {
  browser = await launch();
  server = await serve("chain5");
});
after(async () => {
  await browser?.close();
  server?.stop();
});

/** The status of a request with these headers. */
function ask(address, path, headers = {}, more = {}) {
  const [host, port] = address.split(/:(?=\d+$)/);
  return new Promise((resolve, reject) => {
    const call = request({ host, port, path, headers, ...more }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    call.on("upgrade", (answer, socket) => (socket.destroy(), resolve(101)));
    call.on("error", reject);
    call.end();
  });
}

test("a reload and a second tab show the same run", async () => {
  const one = await open(browser, server.url);
  await until(one, () => window.poinsot?.time > 1);
  await one.reload();
  await until(one, () => window.poinsot?.time > 1.2);
  assert.ok((await one.evaluate(() => window.poinsot.plotPoints())) > 30, "the plots have what was before the reload");
  const two = await open(browser, server.url);
  await until(two, () => window.poinsot?.time > 1.2);
  await send(two, { do: "pause" });
  await until(one, () => document.querySelector("#play").dataset.state === "paused");
  await one.waitForTimeout(300);
  assert.equal(await time(one), await time(two));
  assert.ok(apart(await bodies(one), await bodies(two)) < 1e-6);
  await two.close();
  await send(one, { do: "play" });
  await until(one, (t) => window.poinsot.time > t + 0.3, await time(one));
  await one.close();
});

test("garbage is answered and changes nothing", async () => {
  const page = await open(browser, server.url);
  await until(page, () => window.poinsot?.time > 0);
  const answers = await page.evaluate(async () => {
    const socket = new WebSocket(`ws://${location.host}/ws`);
    socket.binaryType = "arraybuffer";
    let problems = 0;
    socket.onmessage = (m) => (problems += typeof m.data === "string" && m.data.startsWith('{"problem"') ? 1 : 0);
    await new Promise((resolve) => (socket.onopen = resolve));
    const odd = [
      "", "hello", "{", "[]", "null", "7", '{"do":"fly"}', '{"do":"speed"}', '{"do":"speed","value":"x"}', '{"do":"speed","value":1e999}',
      '{"do":"speed","value":-1}', '{"do":"grab","body":99999,"point":[0,0,0]}', '{"do":"grab","body":0,"point":[0,0,0]}',
      '{"do":"joint","joint":-1,"value":0}', '{"do":"joint","joint":12345,"value":0}', '{"do":"control","actuator":0,"value":0}',
      '{"do":"dt","value":0}', '{"do":"dt","track":9,"value":0.1}', '{"do":"key","index":3}', '{"do":"open","name":"../etc"}',
      '{"do":"integrator","name":"exact"}', '{"do":"play","more":1}', "\u0000\ud83d\ude00".repeat(100),
    ];
    odd.forEach((text) => socket.send(text));
    socket.send(new Uint8Array([1, 2, 3]));
    await new Promise((resolve) => setTimeout(resolve, 1000));
    const before = problems;
    // a message that is too long ends this connection, and no other
    socket.send("x".repeat(1 << 20));
    await new Promise((resolve) => (socket.onclose = resolve));
    return [before, odd.length + 1];
  });
  assert.equal(answers[0], answers[1]);
  assert.ok(server.alive());
  const now = await time(page);
  await until(page, (t) => window.poinsot.time > t + 0.3, now);
  await page.close();
});

test("a thousand random messages do no harm", async () => {
  const page = await open(browser, server.url);
  await until(page, () => window.poinsot?.time > 0);
  await page.evaluate(async () => {
    const socket = new WebSocket(`ws://${location.host}/ws`);
    await new Promise((resolve) => (socket.onopen = resolve));
    let seed = 7;
    const random = (n) => (seed = (seed * 1103515245 + 12345) % 2147483648) % n;
    const words = ["play", "pause", "step", "seek", "speed", "grab", "pull", "release", "joint", "reset", "gravity", "dt", "integrator", "watch"];
    const numbers = [0, 1, -1, 0.5, 1e-300, 1e300, 3, 17];
    for (let k = 0; k < 1000; k++) {
      const value = numbers[random(numbers.length)];
      const all = {
        play: {}, pause: {}, step: {}, release: {}, reset: {}, seek: { time: value }, speed: { value }, gravity: { on: random(2) === 0 },
        grab: { body: random(7), point: [value % 2, 0, 0] }, pull: { to: [value, 0, value] }, joint: { joint: random(6), value },
        dt: { value: Math.abs(value) }, integrator: { name: ["rkmk4", "midpoint", "implicit"][random(3)] }, watch: { joint: random(6) },
      };
      const word = words[random(words.length)];
      socket.send(JSON.stringify({ do: word, ...all[word] }));
    }
    await new Promise((resolve) => setTimeout(resolve, 500));
    socket.close();
  });
  assert.ok(server.alive());
  await send(page, { do: "open", name: "chain5" });
  await until(page, () => window.poinsot.time > 0.2 && window.poinsot.time < 5);
  await page.close();
});

test("other sites and other names are kept out", async () => {
  const socket = { Connection: "Upgrade", Upgrade: "websocket", "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==" };
  assert.equal(await ask(server.address, "/ws", socket), 101);
  assert.equal(await ask(server.address, "/ws", { ...socket, Origin: `http://${server.address}` }), 101);
  assert.equal(await ask(server.address, "/ws", { ...socket, Origin: "http://example.org" }), 403);
  assert.equal(await ask(server.address, "/gallery", { Host: "example.org" }), 403);
  assert.equal(await ask(server.address, "/drop", { Origin: "http://example.org" }, { method: "POST" }), 403);
  assert.equal(await ask(server.address, "/../../Cargo.toml"), 404);
});

test("on another address a token is wanted", async () => {
  const open_to_all = await serve("--bind", "0.0.0.0", "pendulum");
  try {
    const port = open_to_all.address.split(":").at(-1);
    const [local, token] = [`127.0.0.1:${port}`, new URL(open_to_all.url).searchParams.get("token")];
    assert.match(token, /^[0-9a-f]{32}$/);
    assert.equal(await ask(local, "/"), 401);
    assert.equal(await ask(local, "/?token=wrong"), 401);
    const page = await open(browser, `http://${local}/?token=${token}`);
    await until(page, () => window.poinsot?.time > 0);
    assert.deepEqual(page.faults, []);
    await page.close();
  } finally {
    open_to_all.stop();
  }
});
