/**
 * `npm run fuzz:api`: runs schemathesis against the built executable, over every operation of the
 * API. Needs schemathesis on the PATH, or its path in SCHEMATHESIS (`pip install schemathesis`,
 * 4.32 or later); further arguments are passed on: `npm run fuzz:api -- --max-examples 20`.
 * scripts/fuzz_hooks.py generates archives, and handles what no schema can express.
 *
 * Stored settings have no effect on the server, because the environment sets all of them. Every
 * host name resolves to one public address.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { buildIfStale } from "./build";
import { createKey, launch, mustRun } from "./lib/launch";
import { startNameServer } from "./lib/name-server";

/** Expected failures that the document can't express, and why. */
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
/** Nothing listens there. */
const nowhere = "http://127.0.0.1:9";
/** The address of example.com. */
using names = await startNameServer({ a: ["93.184.215.14"] });
const server = await launch({
  data,
  env: {
    ...(await defaults()),
    DOSSIER_RATE_LIMIT_REQUESTS: "100000000",
    DOSSIER_EMBEDDINGS_PROVIDER: "none",
    DOSSIER_EMBEDDINGS_BASE_URL: nowhere,
    DOSSIER_SERVER_LOG_LEVEL: "error",
    DOSSIER_WEBHOOKS_DNS_SERVERS: names.address,
    DOSSIER_WEBHOOKS_PER_ACCOUNT: "1000000",
    // Related settings are set, so that a change of one of them is valid.
    DOSSIER_ANSWERS_BASE_URL: nowhere,
    DOSSIER_ANSWERS_MODEL: "model",
    DOSSIER_ANSWERS_ANSWER_TOKENS: "1000",
    DOSSIER_ANSWERS_CONTEXT_TOKENS: "1000000",
    DOSSIER_TRANSCRIPTION_BASE_URL: nowhere,
    DOSSIER_TRANSCRIPTION_MODEL: "model",
    DOSSIER_TRANSCRIPTION_COMMAND: "true {input}",
    DOSSIER_RERANK_BASE_URL: nowhere,
    DOSSIER_OIDC_ISSUER: nowhere,
    DOSSIER_OIDC_CLIENT_ID: "dossier",
    DOSSIER_OIDC_ROLE_CLAIM: "groups",
  },
});
await exportFolder(join(directory, "folder.zip"));
const cli_arguments = process.argv.slice(2);
const run = Bun.spawn(
  [
    schemathesis,
    ...["--config-file", config],
    "run",
    `${server.url}/api/dev/v1/openapi.json`,
    ...["--url", server.url, "--header", `Authorization: Bearer ${key}`, "--workers", "1"],
    ...(cli_arguments.some((arg) => /^(-n|--max-examples)/.test(arg))
      ? []
      : ["--max-examples", `${examples}`]),
    ...cli_arguments,
  ],
  {
    cwd: directory,
    stdio: ["ignore", "inherit", "inherit"],
    env: {
      ...process.env,
      PYTHONPATH: import.meta.dir,
      SCHEMATHESIS_HOOKS: "fuzz_hooks",
      FOLDER_ARCHIVE: join(directory, "folder.zip"),
    },
  },
);
const code = await run.exited;
server.kill("SIGTERM");
await server.exited;
// The server's own log about 5xx, and about unexpected errors.
console.log(server.output().split("\n").slice(-20).join("\n"));
rmSync(directory, { recursive: true, force: true });
process.exit(code);

/** Storable settings with their defaults. */
async function defaults(): Promise<Record<string, string>> {
  const listed = await mustRun(data, ["config", "list", "--json"]);
  const settings = JSON.parse(listed) as { setting: string; changes: string; default: unknown }[];
  return Object.fromEntries(
    settings
      .filter(({ changes, default: by_default }) => changes !== "outside" && by_default !== null)
      .map(({ setting, default: by_default }) => [
        `DOSSIER_${setting.replace(".", "_").toUpperCase()}`,
        String(by_default),
      ]),
  );
}

/** A folder with a document, for operations that take archives. */
async function exportFolder(to: string): Promise<void> {
  const text = join(directory, "pump.txt");
  writeFileSync(text, "The filter of the pump is cleaned every ninety days.");
  await mustRun(data, ["folder", "create", "Pumps"]);
  await mustRun(data, ["document", "add", text, "--folder", "Pumps", "--wait"]);
  await mustRun(data, ["export", "--folder", "Pumps", "--to", to]);
}
