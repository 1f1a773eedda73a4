/**
 * `npm run fuzz:api`: schemathesis against the built executable, every operation of the API. Needs
 * schemathesis on the PATH, or its path in SCHEMATHESIS (`pip install schemathesis`, 4.32 or
 * later); what it is given beyond that is passed on: `npm run fuzz:api -- --max-examples 20`. What
 * archives are, scripts/fuzz_archives.py tells it.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { buildIfStale } from "./build";
import { createKey, launch, mustRun } from "./lib/launch";

/** What is expected where the document can't say it, and why. */
const config = resolve(import.meta.dir, "fuzz-api.toml");
const examples = 200;

const schemathesis = process.env.SCHEMATHESIS ?? Bun.which("schemathesis");
if (!schemathesis) {
  console.error(
    "schemathesis is not on the PATH: pip install schemathesis, or name it in SCHEMATHESIS.",
  );
  process.exit(2);
}
await buildIfStale();
const directory = mkdtempSync(join(tmpdir(), "dossier-fuzz-"));
const data = join(directory, "data");
mkdirSync(data);
const key = await createKey(data, "ada@example.com", { role: "admin" });
const server = await launch({
  data,
  env: {
    DOSSIER_RATE_LIMIT_REQUESTS: "100000000",
    DOSSIER_EMBEDDINGS_PROVIDER: "none",
    DOSSIER_SERVER_LOG_LEVEL: "error",
  },
});
await exportFolder(join(directory, "folder.zip"));
const given = process.argv.slice(2);
const run = Bun.spawn(
  [
    schemathesis,
    ...["--config-file", config],
    "run",
    `${server.url}/api/dev/v1/openapi.json`,
    ...["--url", server.url, "--header", `Authorization: Bearer ${key}`, "--workers", "1"],
    ...(given.some((one) => /^(-n|--max-examples)/.test(one))
      ? []
      : ["--max-examples", `${examples}`]),
    ...given,
  ],
  {
    cwd: directory,
    stdio: ["ignore", "inherit", "inherit"],
    env: {
      ...process.env,
      PYTHONPATH: import.meta.dir,
      SCHEMATHESIS_HOOKS: "fuzz_archives",
      FOLDER_ARCHIVE: join(directory, "folder.zip"),
    },
  },
);
const code = await run.exited;
server.kill("SIGTERM");
await server.exited;
// What the server itself has to say of 5xx, and of what it did not expect.
console.log(server.output().split("\n").slice(-20).join("\n"));
rmSync(directory, { recursive: true, force: true });
process.exit(code);

/** A folder with a document in it, for what takes such archives. */
async function exportFolder(to: string): Promise<void> {
  const text = join(directory, "pump.txt");
  writeFileSync(text, "The filter of the pump is cleaned every ninety days.");
  await mustRun(data, ["folder", "create", "Pumps"]);
  await mustRun(data, ["document", "add", text, "--folder", "Pumps", "--wait"]);
  await mustRun(data, ["export", "--folder", "Pumps", "--to", to]);
}
