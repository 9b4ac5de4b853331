// Builds the pages, each to one self-contained file: the report page and the live page.
//
//   node build.mjs            builds and writes them
//   node build.mjs --verify   builds and fails if a committed file differs
//
// The build is deterministic: equal sources and equal versions (package-lock.json) give equal bytes. A stamp of the
// sources stands in the page, so that a plain Rust test notices when somebody changes them and forgets to build.
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const pages = [
  { entry: "src/report.ts", template: "src/template.html", target: "crates/cupule-record/assets/report.html", sources: [] },
  // The live page talks to the server that it came from, and to nobody else.
  { entry: "src/live.ts", template: "src/live.html", target: "crates/cupule-live/assets/live.html", sources: ["connect-src 'self'"] },
];

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

const template = (name) => readFileSync(join(here, name), "utf8").replaceAll("\r", "");

async function built({ entry, template: name, sources }) {
  // "</" within a script or a style would end it.
  const script = (await bundle(entry)).replaceAll("</", "<\\/");
  const style = await bundle("src/style/page.css");
  // Only this script runs: not one that a name might smuggle in, and nothing else is ever fetched.
  const policy = [
    "default-src 'none'",
    `script-src ${digest(script)}`,
    "style-src 'unsafe-inline'",
    "img-src data: blob:",
    "base-uri 'none'",
    "form-action 'none'",
    ...sources,
  ].join("; ");
  const parts = { LICENCES: template("src/licences.html"), STAMP: stamp(), POLICY: policy, STYLE: style, SCRIPT: script };
  const filled = template(name).replace("%LICENCES%", () => parts.LICENCES.trim());
  return filled.replace(/%(STAMP|POLICY|STYLE|SCRIPT)%/g, (_, part) => parts[part]);
}

let wrong = false;
for (const page of pages) {
  const text = await built(page);
  const file = join(here, "..", page.target);
  if (process.argv.includes("--verify")) {
    const same = existsSync(file) && readFileSync(file, "utf8") === text;
    wrong ||= !same;
    if (same) console.log(`${page.target} is what the sources build`);
    else console.error(`${page.target} is not what the sources build: run \`npm run build\` in viewer/`);
  } else {
    writeFileSync(file, text);
    console.log(`${page.target}: ${(text.length / 1024).toFixed(0)} kB`);
  }
}
if (wrong) process.exit(1);
