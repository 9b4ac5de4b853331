// How the pages choose what a slow machine goes without: the rule by itself, then on the live page.
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { launch, openLive, serve, settled } from "./browser.mjs";

const source = join(dirname(fileURLToPath(import.meta.url)), "../src/view/pace.ts");
const bundled = await build({ entryPoints: [source], bundle: true, write: false, format: "esm" });
const { Pace } = await import(`data:text/javascript;base64,${Buffer.from(bundled.outputFiles[0].contents).toString("base64")}`);

/** Levels over time on a machine whose pictures take so many ms, by level. */
function levels(pace, pictures, cost) {
  return Array.from({ length: pictures }, (_, at) => {
    pace.took(cost(pace.level, at));
    return pace.level;
  });
}
const changes = (seen) => seen.filter((level, at) => at > 0 && level !== seen[at - 1]).length;

test("slow pictures become plainer, but not where that does not help", () => {
  const helps = new Pace(4, 0);
  assert.equal(levels(helps, 100, (level) => 80 / (level + 1)).at(-1), 2);
  const useless = new Pace(4, 0);
  const seen = levels(useless, 1000, () => 50);
  assert.equal(seen.at(-1), 0);
  assert.equal(changes(seen), 2);
});

test("pictures become better again when they are fast, and do not flicker where only the plain ones are", () => {
  const free = new Pace(4, 3);
  const seen = levels(free, 1000, () => 17);
  assert.equal(seen.at(-1), 0);
  assert.equal(changes(seen), 3);
  // Fast at level 2, too slow at level 1: tried ever more seldom.
  const torn = new Pace(4, 2);
  const tries = levels(torn, 20_000, (level) => (level >= 2 ? 17 : 40));
  assert.ok(changes(tries) >= 2 && changes(tries) <= 16, `${changes(tries)} changes`);
  const late = tries.slice(10_000);
  assert.ok(late.filter((level) => level === 2).length > 0.99 * late.length);
});

test("between slow and fast nothing changes", () => {
  const calm = new Pace(4, 1);
  assert.equal(changes(levels(calm, 2000, (_, at) => 22 + (at % 9))), 0);
});

test("the page is drawn plainly while it moves, without changing its mind, and finely when it stands still", async () => {
  const browser = await launch();
  const server = await serve("ground");
  try {
    const { page, problems, close } = await openLive(browser, server.address);
    await page.waitForTimeout(4000);
    const sizes = await page.evaluate(async () => {
      const canvas = document.querySelector(".viewport canvas");
      const seen = [];
      const began = performance.now();
      while (performance.now() - began < 4000) {
        if (seen.at(-1) !== canvas.width) seen.push(canvas.width);
        await new Promise(requestAnimationFrame);
      }
      return { seen, shown: canvas.clientWidth };
    });
    assert.ok(sizes.seen.every((width) => width <= sizes.shown), `${sizes.seen} of ${sizes.shown}`);
    assert.ok(sizes.seen.length <= 3, `sizes ${sizes.seen}`);
    await page.keyboard.press("Space");
    await page.getByRole("button", { name: "Play", exact: true }).waitFor();
    await settled(page);
    const still = await page.evaluate(() => document.querySelector(".viewport canvas").width);
    assert.ok(still > sizes.shown, `${still} of ${sizes.shown}`);
    assert.deepEqual(problems, []);
    await close();
  } finally {
    server.end();
    await browser.close();
  }
});
