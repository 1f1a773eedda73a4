/**
 * A plugin file for the executable that extracts files and answers questions as the test scripts
 * it, and holds them until the test releases them.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The plugin's file, and what it waits for. */
export interface StagedPlugin extends Disposable {
  /** Settings with which the executable loads it. */
  readonly env: Readonly<Record<string, string>>;
  /** Releases everything that waits for this key. */
  open(key: string): void;
}

/**
 * Files begin with one of these lines; the rest is their text:
 *
 * - `#!hold KEY` waits for `open(KEY)`
 * - `#!stumble KEY` fails the first time, as in a crash
 * - `#!fail CODE` has no text
 *
 * Questions:
 *
 * - `hold KEY …` waits for `open(KEY)`
 * - `fail …` fails with the words that follow
 * - `cite WORD` cites the passage for the word, a quote that is in no document, and a marker without
 *   a citation
 * - `stream KEY …` streams the first half of the words that follow, waits for `open(KEY)`, and
 *   streams the rest
 * - `recite KEY WORD` streams the passage for the word, waits for `open(KEY)`, and then cites it
 * - `flood N` answers with N characters
 * - any other is answered with "Staged."
 *
 * `GET /stage/fault` throws an error with the text of its query field `message`.
 */
export function writeStagedPlugin(): StagedPlugin {
  const directory = mkdtempSync(join(tmpdir(), "dossier-stage-"));
  writeFileSync(join(directory, "stage.ts"), source(directory));
  return {
    env: { DOSSIER_PLUGINS_DIRECTORY: directory },
    open: (key) => writeFileSync(join(directory, `${key}.open`), ""),
    [Symbol.dispose]: () => rmSync(directory, { recursive: true, force: true }),
  };
}

const source = (directory: string): string => `
import { definePlugin, fill, PermanentFailure, route, t } from "dossier";
import { Answerers, ExtractionFailure, Extractors } from "dossier/contracts";

async function opened(key, signal) {
  while (!await Bun.file(${JSON.stringify(directory)} + "/" + key + ".open").exists()) {
    signal.throwIfAborted();
    await Bun.sleep(5);
  }
}

/** Whether it is the first time, in whichever process. */
async function stumbles(key) {
  const mark = Bun.file(${JSON.stringify(directory)} + "/" + key + ".stumbled");
  if (await mark.exists()) return false;
  await mark.write("");
  return true;
}

const extractor = {
  rank: 1_000_000, recognises: (head) => head[0] === 0x23 && head[1] === 0x21,
  async extract({ path }, { signal, onProgress }) {
    const [line, ...rest] = (await Bun.file(path).text()).split("\\n");
    const [verb, argument] = line.slice(2).split(" ");
    onProgress(0.5);
    if (verb === "hold") await opened(argument, signal);
    if (verb === "stumble" && await stumbles(argument)) throw new Error("a passing fault");
    if (verb === "fail") throw new ExtractionFailure(argument, "It says " + argument + ".");
    return { text: rest.join("\\n"), media_type: "text/plain", pages: [], page_count: null, warnings: [] };
  },
};

const said = (answer, citations = []) => ({
  answer, outcome: "answered", grounded: citations.length > 0, citations, model: "staged",
  prompts: [], usage: null, timings: { retrieve_ms: 0, generate_ms: 0 }, warnings: [],
});
const answerer = {
  name: "stage", rank: 1_000_000,
  async answer({ text, find, emit, signal }) {
    const [verb, argument, ...rest] = text.split(" ");
    const show = async (words) => { for (const word of words) { emit({ kind: "delta", text: word + " " }); await Bun.sleep(70); } };
    if (verb === "stream") {
      const half = Math.ceil(rest.length / 2);
      await show(rest.slice(0, half));
      await opened(argument, signal);
      await show(rest.slice(half));
      return said(rest.join(" ") + " .");
    }
    if (verb === "flood") return said("All work and no play. ".repeat(Math.ceil(Number(argument) / 22)));
    if (verb === "recite") {
      const [passage] = (await find(rest[0], { limit: 1 })).passages;
      if (!passage) return said("Nothing of it is left.");
      await show(passage.quote.split(" "));
      await opened(argument, signal);
      return said(passage.quote + " [1]", [{ ...passage, id: 1 }]);
    }
    if (verb === "hold") await opened(argument, signal);
    if (verb === "fail") throw new PermanentFailure([argument, ...rest].join(" "));
    if (verb !== "cite") return said("Staged.");
    const [passage] = (await find(argument, { limit: 1 })).passages;
    return said("It is so [1], not so [2], and nowhere [9].", [{ ...passage, id: 1 }, { ...passage, id: 2, quote: "never written" }]);
  },
};

export default definePlugin({
  name: "stage", version: "1.0.0",
  routes: { fault: route.get("/stage/fault", {
    summary: "Fails", tag: "Stage", operation: "stageFault", query: t.Object({ message: t.String() }), answers: { 200: { description: "Never." } },
  }) },
  setup: () => ({
    fills: [fill(Extractors, extractor), fill(Answerers, answerer)],
    routes: { fault: ({ query }) => { throw new Error(query.message); } },
  }),
});
`;
