/**
 * Random calls about documents and folders, several at a time; afterwards everything must be
 * consistent. The seed is in the name of the test.
 */
import { expect, test } from "bun:test";
import { definePlugin, fill } from "../../core/sdk";
import { Embedders, type Embedder } from "../../plugins/search-index/contract";
import { expectSound, scriptedExtractor } from "../helpers/documents";
import { form } from "../helpers/forms";
import { startTestServer } from "../helpers/host";
import { person } from "../helpers/person";

/** `npm run test:long` makes twice as many. */
const calls = process.env.DOSSIER_TEST_LONG === "all" ? 300 : 150;
const together = 6;
const expected = new Set([200, 201, 202, 204, 404, 409]);

/** Returns the same numbers for the same seed (mulberry32). */
function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

const embedding = (name: string) =>
  definePlugin({
    name: "scripted-embedder",
    version: "1.0.0",
    setup: () => ({
      fills:
        embedders[name] === undefined
          ? []
          : [
              fill(Embedders, {
                model: "scripted",
                dimensions: null,
                texts_max: 8,
                embed: embedders[name],
              }),
            ],
    }),
  });
/** They don't affect what is found. With one that never answers, every document stays waiting. */
const embedders: Record<string, Embedder["embed"]> = {
  "an embedder": async (texts) => texts.map(() => null),
  "a silent embedder": (_texts, { signal }) =>
    new Promise((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason));
    }),
};

for (const [seed, embedder] of [
  [1, "an embedder"],
  [2, "a silent embedder"],
  [(Date.now() & 0xffff) + 3, "no embedder"],
  [(Date.now() & 0xffff) + 4, "a silent embedder"],
] as const) {
  test(`seed ${seed} with ${embedder}`, async () => {
    const scripted = scriptedExtractor();
    const server = await startTestServer({ plugins: [scripted.plugin, embedding(embedder)] });
    const ada = await person(server, "ada");
    const random = randomOf(seed);
    const pick = <T>(from: readonly T[]): T => from[random(from.length)]!;
    const folders = await Promise.all(Array.from({ length: 6 }, () => ada.folder()));
    const documents: string[] = ["doc_none"];
    const names = ["a.txt", "b.txt", "c\u00e9.txt", "ce\u0301.txt"];
    let words = 0;
    /** Each has a unique word, or no text. */
    const contents = () =>
      pick([
        `The word${words++} is plain.`,
        `Plain is the word${words++}.`,
        "",
        `#!fail corrupt\nThe word${words++}.`,
        `#!read\nFirst page.\fThe word${words++}.`,
        `#!warn\nThe word${words++}.`,
      ]);
    const remember = (answer: { readonly status: number; readonly body: any }) => {
      if (answer.status === 201) documents.push(answer.body.id);
      return answer;
    };
    const upload = (query: string) =>
      server.send(
        "ada",
        "POST",
        `/documents/file?folder_id=${pick(folders)}${query}`,
        form(pick(names), contents()),
      );
    const actions: (() => Promise<{
      readonly status: number;
      readonly body: any;
      readonly text: string;
    }>)[] = [
      async () => {
        const answer = await ada.send("POST", "/documents", {
          folder_id: pick(folders),
          name: pick(names),
          content: contents(),
        });
        remember(answer);
        return answer;
      },
      async () => {
        const answer = await upload("");
        remember(answer);
        return answer;
      },
      async () => {
        const answer = await upload("&overwrite=true");
        remember(answer);
        return answer;
      },
      async () => {
        const answer = await upload("&overwrite=true");
        remember(answer);
        return answer;
      },
      () => ada.send("DELETE", `/documents/${pick(documents)}?folder_id=${pick(folders)}`),
      () => ada.send("POST", `/documents/${pick(documents)}/restore?folder_id=${pick(folders)}`),
      () => ada.send("POST", `/documents/${pick(documents)}/links`, { folder_id: pick(folders) }),
      () => ada.send("PATCH", `/documents/${pick(documents)}`, { name: pick(names) }),
      () => ada.send("POST", `/documents/${pick(documents)}/reindex`),
      () => ada.send("GET", `/documents/${pick(documents)}`),
      () => ada.send("GET", `/documents/${pick(documents)}/file`),
      () =>
        ada.send(
          "GET",
          `/documents?folder_id=${pick(folders)}&status=${pick(["syncing", "synced", "sync_failed"])}`,
        ),
      async () => {
        if (random(4) > 0) return ada.send("GET", "/folders");
        const at = random(folders.length);
        const answer = await ada.send("DELETE", `/folders/${folders[at]}`);
        folders[at] = await ada.folder();
        return answer;
      },
    ];
    let left = calls;
    await Promise.all(
      Array.from({ length: together }, async () => {
        while (left-- > 0) {
          const answer = await pick(actions)();
          if (!expected.has(answer.status)) throw new Error(`${answer.status}: ${answer.text}`);
        }
      }),
    );
    await server.settle(embedder === "a silent embedder" ? "index.embed" : "");
    await expectSound(server);
    // Each text must be found in the folders that hold its document, and nowhere else.
    const answering: any[] = await server.store.db
      .selectFrom("documents")
      .select("id")
      .where("current_version", ">", 0)
      .execute();
    for (const { id } of answering) {
      const { content, folder_ids } = await ada.get(id);
      const [word] = /word\d+/.exec(content)!;
      for (const folder of folders.filter((folder_id) => folder_ids.includes(folder_id)))
        expect([id, folder, await ada.found(word, [folder])]).toEqual([id, folder, [id]]);
      const others = folders.filter((folder_id) => !folder_ids.includes(folder_id));
      if (others.length > 0)
        expect([id, others, await ada.found(word, others)]).toEqual([id, others, []]);
    }
    const gone = Array.from({ length: words }, (_, i) => `word${i}`);
    const kept_versions = new Set(
      await Promise.all(
        answering.map(async ({ id }) => /word\d+/.exec((await ada.get(id)).content)![0]),
      ),
    );
    for (const word of gone)
      if (!kept_versions.has(word)) expect([word, await ada.found(word)]).toEqual([word, []]);
    await server.stop();
  }, 60_000);
}
