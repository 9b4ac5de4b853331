// Builds the page to one self-contained file, crates/cupule-record/assets/report.html.
//
//   node build.mjs            builds and writes it
//   node build.mjs --verify   builds and fails if the committed file differs
//
// The build is deterministic: equal sources and equal versions (package-lock.json) give equal bytes. A stamp of the
// sources stands in the page, so that a plain Rust test notices when somebody changes them and forgets to build.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const target = join(here, "../crates/cupule-record/assets/report.html");

// FNV-1a, 64 bits, over the names and texts of all sources: `viewer_stamp.rs` computes the same.
function stamp() {
  const sources = readdirSync(join(here, "src"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(here.length + 1).replaceAll("\\", "/"));
  const files = [...sources, "build.mjs", "package.json", "package-lock.json"].sort();
  let hash = 0xcbf29ce484222325n;
  const eat = (bytes) => {
    for (const byte of bytes) {
      if (byte !== 13) hash = ((hash ^ BigInt(byte)) * 0x100000001b3n) & 0xffffffffffffffffn;
    }
  };
  for (const file of files) {
    eat(Buffer.from(file + "\n"));
    eat(readFileSync(join(here, file)));
  }
  return hash.toString(16).padStart(16, "0");
}

async function bundle(entry) {
  const result = await build({
    entryPoints: [join(here, entry)],
    absWorkingDir: here,
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: ["es2022"],
    charset: "ascii",
    legalComments: "inline",
    logLevel: "warning",
  });
  return result.outputFiles[0].text.trim();
}

const digest = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

async function page() {
  // "</" within a script or a style would end it.
  const script = (await bundle("src/report.ts")).replaceAll("</", "<\\/");
  const style = await bundle("src/style/page.css");
  // Only this script runs: not one that a name might smuggle in, and nothing is ever fetched.
  const policy = [
    "default-src 'none'",
    `script-src ${digest(script)}`,
    "style-src 'unsafe-inline'",
    "img-src data: blob:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  const parts = { STAMP: stamp(), POLICY: policy, STYLE: style, SCRIPT: script };
  const template = readFileSync(join(here, "src/template.html"), "utf8").replaceAll("\r", "");
  return template.replace(/%(STAMP|POLICY|STYLE|SCRIPT)%/g, (_, name) => parts[name]);
}

const built = await page();
if (process.argv.includes("--verify")) {
  if (readFileSync(target, "utf8") !== built) {
    console.error("crates/cupule-record/assets/report.html is not what the sources build: run `npm run build` in viewer/");
    process.exit(1);
  }
  console.log("the embedded page is what the sources build");
} else {
  writeFileSync(target, built);
  console.log(`crates/cupule-record/assets/report.html: ${(built.length / 1024).toFixed(0)} kB`);
}
