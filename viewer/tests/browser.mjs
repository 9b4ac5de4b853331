// A headless browser and pages to try: shared by the tests.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const runs = mkdtempSync(join(tmpdir(), "cupule-pages-"));
const here = dirname(fileURLToPath(import.meta.url));
const repository = join(here, "../..");
export const pictures = join(here, "out");
mkdirSync(pictures, { recursive: true });

const candidates = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const executablePath = candidates.find((path) => path && existsSync(path));

export async function launch() {
  if (!executablePath) throw new Error("no Chromium found: install the package `chromium` or set CHROMIUM to its path");
  // Software rendering: the same picture with and without a graphics card.
  const args = ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"];
  return chromium.launch({ executablePath, args });
}

/** Makes the page of a run of this kind; CUPULE_SYNTHETIC names the built example, else cargo builds it. */
export function makeRun(kind) {
  const folder = join(runs, kind);
  const built = process.env.CUPULE_SYNTHETIC;
  const cargo = ["run", "--quiet", "--release", "-p", "cupule-record", "--example", "synthetic_run", "--"];
  if (built) execFileSync(built, [kind, folder]);
  else execFileSync("cargo", [...cargo, kind, folder], { cwd: repository, stdio: ["ignore", "ignore", "inherit"] });
  return folder;
}

/** The built program: CUPULE names it, else it is where cargo puts it. */
const target = process.env.CARGO_TARGET_DIR ?? join(repository, "target");
const program = process.env.CUPULE ?? join(target, "release/cupule");

/** Runs the program in a folder for its files; returns what it printed. */
export function cupule(...words) {
  return execFileSync(program, words, { cwd: runs, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

/** Runs a scene; returns its folder. A part of a scene may miss what the whole expects. */
export function simulate(scene, ...words) {
  const out = join(runs, basename(scene, ".toml"));
  const { status, stderr } = spawnSync(program, ["run", scene, "--quiet", "--out", out, ...words], { encoding: "utf8" });
  if (![0, 1, ...(scene.endsWith("diverging.toml") ? [3] : [])].includes(status)) throw new Error(`cupule run ${scene} ended with ${status}: ${stderr}`);
  return out;
}

/** A folder for files of the tests. */
export const folder = runs;

/** Writes a scene; returns its file. */
export function sceneFile(name, text) {
  const file = join(runs, `${name}.toml`);
  writeFileSync(file, text);
  return file;
}

/** A drive that goes to infinity after 0.1 s: no solver can follow. */
export const DIVERGING = `version = 1
duration = 0.5
[bodies.pad]
kind = "fem"
shape = { type = "box", size = [0.1, 0.1, 0.1] }
nodes = 8
material = { youngs_modulus = 1e5, poissons_ratio = 0.3, density = 1000 }
[attachments.hand]
body = "pad"
select = { face = "z-max" }
drive = { profile = "linear", keys = [{ time = 0.1, translation = [0, 0, 0] }, { time = 0.2, translation = [0, 0, 1e308] }] }
`;

/** Serves a scene live on a free port; `end` stops it. */
export async function serve(scene, ...words) {
  const server = spawn(program, ["live", scene, "--port", "0", "--print", ...words], { cwd: runs, stdio: ["ignore", "pipe", "inherit"] });
  const address = await new Promise((found, failed) => {
    server.stdout.once("data", (data) => found(String(data).split("\n")[0]));
    server.once("exit", (code) => failed(new Error(`cupule live ended with ${code}`)));
  });
  return { address, end: () => server.kill() };
}

/** Opens a page from disk with the network off. */
export function open(browser, file, options = {}) {
  return visit(browser, `file://${file}`, /^(file|data|blob):/, { offline: true, ...options });
}

/** Opens the page of a live simulation, which may ask its own server only. */
export function openLive(browser, address, options = {}) {
  const own = address.replace(/^http/, "(http|ws)").replaceAll(".", "\\.");
  return visit(browser, address, new RegExp(`^(${own}|data:|blob:)`), options);
}

/** `problems` gathers errors and warnings of the page, and what it asked for though it may not. */
async function visit(browser, address, allowed, options) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  const problems = [];
  page.on("console", (message) => {
    // Software rendering is slow to read back, and the driver says so; that is no fault of the page.
    if (["error", "warning"].includes(message.type()) && !message.text().includes("GPU stall")) problems.push(message.text());
  });
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("request", (request) => {
    if (!allowed.test(request.url())) problems.push(`asked for ${request.url()}`);
  });
  await page.goto(address);
  await page.waitForSelector("#page[data-ready]", { timeout: 60_000 });
  return { page, problems, close: () => context.close() };
}

const looksFile = join(here, "looks.json");
const differ = (a, b, tolerance = 24) => a.some((cell, i) => cell.some((c, k) => Math.abs(c - b[i][k]) > tolerance));

/** Compares looks with those that were kept; UPDATE_LOOKS=1 keeps these. */
export function compareLooks(looks) {
  const known = existsSync(looksFile) ? JSON.parse(readFileSync(looksFile, "utf8")) : {};
  if (process.env.UPDATE_LOOKS) {
    const sorted = Object.fromEntries(Object.entries({ ...known, ...looks }).sort(([a], [b]) => (a < b ? -1 : 1)));
    writeFileSync(looksFile, `${JSON.stringify(sorted)}\n`);
    return;
  }
  for (const [name, look] of Object.entries(looks)) {
    if (!known[name]) throw new Error(`no look ${name} to compare with: set UPDATE_LOOKS=1 once and look at tests/out`);
    if (differ(look, known[name])) throw new Error(`${name} looks different: see tests/out/${name}.png`);
  }
}

/** Whether two looks are not alike. */
export { differ };

/** Waits until the picture is drawn as well as can be. */
export async function settled(page) {
  await page.waitForTimeout(300);
  await page.locator(".viewport canvas[data-settled=true]").waitFor({ timeout: 20_000 });
  await page.waitForTimeout(300);
}

/** Moves the time slider as a person would. */
export async function slide(page, time) {
  await page.getByRole("slider", { name: "Time", exact: true }).evaluate((input, value) => {
    input.value = String(value);
    input.dispatchEvent(new Event("input"));
  }, time);
}

/** Mean colours over a coarse grid: what a picture looks like, whatever the fonts and the driver. */
export async function coarse(page, png, columns = 12, rows = 8) {
  return page.evaluate(
    async ({ base64, columns, rows }) => {
      const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
      const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
      const canvas = new OffscreenCanvas(image.width, image.height);
      const context = canvas.getContext("2d");
      context.drawImage(image, 0, 0);
      const { data } = context.getImageData(0, 0, image.width, image.height);
      const sums = Array.from({ length: columns * rows }, () => [0, 0, 0, 0]);
      for (let y = 0; y < image.height; y++) {
        for (let x = 0; x < image.width; x++) {
          const cell = sums[Math.floor((y * rows) / image.height) * columns + Math.floor((x * columns) / image.width)];
          for (let c = 0; c < 3; c++) cell[c] += data[4 * (y * image.width + x) + c];
          cell[3]++;
        }
      }
      return sums.map(([r, g, b, n]) => [r, g, b].map((sum) => Math.round(sum / n)));
    },
    { base64: png.toString("base64"), columns, rows },
  );
}

/** What can be pressed, moved or chosen but has no name for those who do not see it. */
export async function nameless(page) {
  return page.locator("button, input, select, [role=tab], [role=img], dialog").evaluateAll((elements) =>
    elements
      .filter((one) => !one.getAttribute("aria-label")?.trim() && !one.textContent.trim() && !one.closest("label")?.textContent.trim())
      .map((one) => one.outerHTML.slice(0, 120)),
  );
}
