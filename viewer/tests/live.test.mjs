// The live page in a real browser, with a real simulation behind it.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { coarse, compareLooks, cupule, DIVERGING, differ, launch, nameless, openLive, pictures, sceneFile, serve, settled } from "./browser.mjs";

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser?.close());

const time = (page) => page.getByLabel("Time", { exact: true }).textContent().then(parseFloat);
async function live(scene, words, run, options) {
  const server = await serve(scene, ...words);
  try {
    const visited = await openLive(browser, server.address, options);
    await run(visited.page, server);
    assert.deepEqual(visited.problems, []);
    await visited.close();
  } finally {
    server.end();
  }
}

test("plays, pauses, steps, begins anew, and shows how fast it is", async () => {
  await live("falling-block", ["--paused"], async (page) => {
    assert.equal(await time(page), 0);
    assert.deepEqual(await nameless(page), []);
    assert.equal(await page.locator(".badge").textContent(), "Paused");
    await page.getByRole("button", { name: "One step" }).click();
    await page.waitForFunction(() => parseFloat(document.querySelector(".time").textContent) > 0);
    const step = await time(page);
    await page.keyboard.press("ArrowRight");
    await page.waitForFunction((step) => parseFloat(document.querySelector(".time").textContent) > 1.5 * step, step);
    assert.ok(Math.abs((await time(page)) - 2 * step) < 1e-9);
    await page.getByRole("button", { name: "Play", exact: true }).click();
    await page.waitForFunction(() => parseFloat(document.querySelector(".time").textContent) > 0.3, null, { timeout: 60_000 });
    assert.equal(await page.locator(".badge").textContent(), "Live");
    assert.match(await page.getByLabel("real-time factor").textContent(), /^\d.* ×$/);
    assert.match(await page.getByLabel("step time").textContent(), /^\d.* ms$/);
    await page.keyboard.press("Space");
    await page.getByRole("button", { name: "Play", exact: true }).waitFor();
    const stopped = await time(page);
    await page.waitForTimeout(300);
    assert.equal(await time(page), stopped);
    await page.keyboard.press("Home");
    await page.waitForFunction(() => parseFloat(document.querySelector(".time").textContent) === 0, null, { timeout: 60_000 });
    await page.getByLabel("Speed").selectOption({ label: "0.1 ×" });
    await page.keyboard.press("]");
    await page.waitForFunction(() => document.querySelector("select[aria-label=Speed]").value === "0.25");
  });
});

test("a regulator's slider moves the pressure, in every tab", async () => {
  await live("bell", [], async (page, server) => {
    const other = await openLive(browser, server.address);
    const slider = page.getByRole("slider", { name: /Regulator/ });
    await slider.fill("500");
    const wanted = (await page.locator(".control.by-hand .figure").textContent()).replace("−", "-");
    const absolute = 101.325 + parseFloat(wanted);
    for (const tab of [page, other.page]) {
      await tab.getByRole("tab", { name: "Charts" }).click();
      await tab.waitForFunction(
        (absolute) => {
          const chart = document.querySelector("section[aria-label='Cavity pressure']");
          return Math.abs(parseFloat(chart?.querySelector(".figure")?.textContent) - absolute) < 0.5;
        },
        absolute,
        { timeout: 60_000 },
      );
    }
    await other.page.getByRole("tab", { name: "Controls" }).click();
    assert.equal(await other.page.locator(".control.by-hand").count(), 1);
    await other.page.getByRole("button", { name: /Regulator.*as the scene says/ }).click();
    await page.waitForFunction(() => document.querySelectorAll(".control.by-hand").length === 0);
    assert.deepEqual(other.problems, []);
    await other.close();
  });
});

test("a body is pulled by a drag, and let go", async () => {
  await live("falling-block", ["--set", "gravity=[0,0,0]"], async (page) => {
    await page.getByRole("tab", { name: "Charts" }).click();
    const height = () => page.locator("section[aria-label='Height of centre'] .figure").first().textContent().then(parseFloat);
    const unit = () => page.locator("section[aria-label='Height of centre'] .unit").textContent();
    await page.locator("section[aria-label='Height of centre'] .figure").first().waitFor();
    await page.waitForTimeout(500);
    const before = await height();
    const first = await unit();
    const box = await page.locator(".viewport canvas").boundingBox();
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x, y - 120, { steps: 4 });
    await page.waitForFunction(() => /pull/.test(document.querySelector(".caption")?.textContent ?? ""), null, { timeout: 20_000 });
    await page.waitForFunction(
      ([before, first]) => {
        const chart = document.querySelector("section[aria-label='Height of centre']");
        const moved = parseFloat(chart.querySelector(".figure").textContent) > 1.1 * before;
        return moved || chart.querySelector(".unit").textContent !== first;
      },
      [before, first],
      { timeout: 60_000 },
    );
    await page.screenshot({ path: join(pictures, "live-pull.png") });
    await page.mouse.up();
    await page.waitForFunction(() => !document.querySelector(".viewport").classList.contains("pulling"));
  });
});

test("colours and looks as it did, light and dark", async () => {
  for (const colorScheme of ["light", "dark"]) {
    await live("ground", ["--paused"], async (page) => {
      const looks = {};
      const look = async (name) => {
        await settled(page);
        await page.screenshot({ path: join(pictures, `${name}-page.png`) });
        const png = await page.locator(".viewport canvas").screenshot({ path: join(pictures, `${name}.png`) });
        looks[name] = await coarse(page, png);
      };
      await look(`live-${colorScheme}`);
      await page.getByLabel("Colour by").selectOption("displacement");
      await look(`live-${colorScheme}-displacement`);
      assert.ok(differ(looks[`live-${colorScheme}`], looks[`live-${colorScheme}-displacement`]));
      compareLooks(looks);
    }, { colorScheme });
  }
});

test("a parameter is moved, kept over a new beginning, and reset", async () => {
  await live("ground", ["--paused"], async (page) => {
    const slider = page.getByRole("slider", { name: "contact: Friction" });
    await slider.fill("200");
    await page.locator(".control.by-hand").waitFor();
    const row = page.locator(".control", { has: slider });
    assert.equal(await row.locator(".figure").textContent(), "0.3");
    await page.getByRole("button", { name: "Begin anew" }).click();
    await page.waitForTimeout(500);
    assert.equal(await row.locator(".figure").textContent(), "0.3");
    await page.getByRole("button", { name: "Reset parameters" }).click();
    await page.waitForFunction(() => document.querySelectorAll(".control.by-hand").length === 0);
    assert.equal(await row.locator(".figure").textContent(), "0.5");
  });
});

test("hostile texts stay texts, and a simulation that ends is noticed", async () => {
  const nasty = "</script><img src=x onerror=document.title=1><script>document.title=2</script>";
  const scene = `version = 1
title = '''${nasty}'''
description = '''${nasty}'''
duration = 1.0
[bodies.block]
kind = "rigid"
shape = { type = "box", size = [0.1, 0.1, 0.1] }
position = [0, 0, 0.06]
mass = 1
`;
  const server = await serve(sceneFile("nasty", scene));
  const { page, problems, close } = await openLive(browser, server.address);
  assert.match(await page.locator("header .facts").textContent(), /onerror/);
  await page.getByRole("tab", { name: "Scene" }).click();
  assert.equal(await page.locator("img").count(), 0);
  assert.match(await page.title(), /nasty/);
  assert.deepEqual(problems, []);
  server.end();
  await page.waitForFunction(() => document.querySelector(".badge").textContent === "Cut off");
  await close();
});

test("a simulation that fails says why, keeps its picture, and begins anew", async () => {
  await live(sceneFile("diverging", DIVERGING), [], async (page) => {
    await page.waitForFunction(() => document.querySelector(".badge").textContent === "Simulation failed", null, { timeout: 60_000 });
    assert.match(await page.locator(".caption").textContent(), /failed .*at t = 0\.1.*pad.*diverged/);
    assert.ok(await page.getByRole("button", { name: "Play", exact: true }).isDisabled());
    await page.getByRole("button", { name: "Begin anew" }).click();
    await page.waitForFunction(() => parseFloat(document.querySelector(".time").textContent) === 0, null, { timeout: 60_000 });
    assert.equal(await page.locator(".badge").textContent(), "Paused");
    assert.ok(await page.getByRole("button", { name: "Play", exact: true }).isEnabled());
  });
});

test("three cavities on a manifold, and a hundred bodies", async () => {
  await live("manifold", [], async (page) => {
    await page.getByRole("tab", { name: "Charts" }).click();
    await page.waitForFunction(
      () => document.querySelectorAll("section[aria-label='Cavity pressure'] .legend li").length >= 3,
      null,
      { timeout: 120_000 },
    );
    await page.screenshot({ path: join(pictures, "live-manifold.png") });
  });
  const box = (i) => `[bodies.box_${i}]
kind = "rigid"
shape = { type = "box", size = [0.1, 0.1, 0.1] }
position = [${0.15 * (i % 10)}, ${0.15 * Math.floor(i / 10)}, 0.3]
mass = 1
`;
  const scene = `version = 1\nduration = 1.0\n${Array.from({ length: 100 }, (_, i) => box(i)).join("")}`;
  await live(sceneFile("hundred", scene), [], async (page) => {
    assert.equal(await page.locator(".display .list input").count(), 100);
    await page.waitForFunction(() => parseFloat(document.querySelector(".time").textContent) > 0.1, null, { timeout: 60_000 });
    await page.getByRole("tab", { name: "Charts" }).click();
    const heights = page.getByRole("region", { name: "Height of centre" });
    await heights.waitFor();
    assert.match(await heights.textContent(), /92 more/);
    await page.screenshot({ path: join(pictures, "live-hundred.png") });
  });
});

test("thirty frames a second, and the simulation as fast as without a page", async () => {
  const alone = JSON.parse(cupule("run", "ground", "--json", "--out", "alone"));
  // Drawn by the processor, a picture costs by the pixel, which is no fault of the page: a small window.
  const options = { viewport: { width: 640, height: 400 } };
  const figureOf = (page, label) => page.getByLabel(label).textContent().then(parseFloat);
  await live("ground", [], async (page) => {
    // Time of the processor, which others on the machine do not change much: the page's own, and that of drawing.
    const devtools = await browser.newBrowserCDPSession();
    const spent = async () => {
      const { processInfo } = await devtools.send("SystemInfo.getProcessInfo");
      return ["renderer", "GPU"].map((kind) => processInfo.filter(({ type }) => type === kind).reduce((sum, { cpuTime }) => sum + cpuTime, 0));
    };
    // The first pictures take long, until everything is compiled and the page knows how plain they must be.
    await page.waitForTimeout(5000);
    const [before, since] = [await spent(), Date.now()];
    await page.waitForTimeout(4000);
    const [frames, factor] = [await figureOf(page, "frames a second"), await figureOf(page, "real-time factor")];
    const shown = (frames * (Date.now() - since)) / 1000;
    const [own, drawing] = (await spent()).map((after, kind) => (1000 * (after - before[kind])) / shown);
    // As fast as can be, over the same stretch of the scene as the run without a page.
    await page.getByLabel("Speed").selectOption({ label: "as fast as can be" });
    await page.keyboard.press("Space");
    await page.keyboard.press("Home");
    await page.waitForFunction(() => parseFloat(document.querySelector(".time").textContent) === 0, null, { timeout: 60_000 });
    await page.keyboard.press("Space");
    const began = Date.now();
    await page.waitForFunction(() => parseFloat(document.querySelector(".time").textContent) > 3.9, null, { timeout: 120_000 });
    const fast = (await time(page)) / ((Date.now() - began) / 1000);
    console.log(
      `ground: ${frames} frames/s at ${factor} x real time, ${own.toFixed(1)} ms of the page and ${drawing.toFixed(1)} ms of drawing a frame; as fast as can be ` +
        `${fast.toFixed(2)} x with this page, ${alone.real_time_factor.toFixed(2)} x without (${((100 * fast) / alone.real_time_factor).toFixed(0)} %)`,
    );
    assert.ok(own < 33, `the page is busy for ${own} ms a frame`);
    // What this machine has left depends on who else computes on it: the rest is asserted when asked for.
    if (!process.env.CUPULE_MEASURE) return;
    assert.ok(frames >= 30, `${frames} frames a second`);
    assert.ok(fast >= 0.9 * alone.real_time_factor, `${fast} against ${alone.real_time_factor}`);
  }, options);
});
