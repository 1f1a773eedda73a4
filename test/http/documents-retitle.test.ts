/**
 * Renaming while something else indexes the same document: whichever comes first, the index must
 * end up with the stored text under the current name.
 */
import { beforeAll, describe, expect, test } from "bun:test";
import { definePlugin, fill } from "../../core/sdk";
import { Extractors } from "../../plugins/extraction/contract";
import { SearchIndex } from "../../plugins/search-index/contract";
import { expectSound } from "../helpers/documents";
import { startTestServer, type TestServer } from "../helpers/host";
import { person, type Person } from "../helpers/person";
import { until } from "../helpers/server";
import { withWatchedIndex, type OnPrepare } from "../helpers/watched-index";

let server: TestServer;
let ada: Person;
let index: SearchIndex;
const preparing: { on: OnPrepare | null } = { on: null };
/** What every file says when it is next read. */
let log = "";
const plugin = definePlugin({
  name: "parrot",
  version: "1.0.0",
  needs: { index: SearchIndex },
  setup: (ctx) => {
    ({ index } = ctx.services);
    return {
      fills: [
        fill(Extractors, {
          rank: 1_000,
          recognises: (head) => head[0] === 0x23 && head[1] === 0x21,
          extract: async () => ({
            text: log,
            media_type: "text/x-said",
            warnings: [],
            pages: [],
            page_count: null,
          }),
        }),
      ],
    };
  },
});
beforeAll(async () => {
  server = await withWatchedIndex(() => startTestServer({ plugins: [plugin] }), preparing);
  ada = await person(server, "ada");
});

/** Holds prepared index versions until they are let go, by title and text. */
class Gates {
  private readonly gates = new Map<string, PromiseWithResolvers<void>>();
  constructor() {
    preparing.on = async (input, prepare) => {
      const prepared = await prepare();
      const key = `${input.title}: ${input.text}`;
      const gate = Promise.withResolvers<void>();
      this.gates.set(key, gate);
      await gate.promise;
      return prepared;
    };
  }
  /** Waits until it is prepared. */
  ready = (key: string) => until(() => this.gates.has(key), 20_000);
  async letGo(key: string): Promise<void> {
    await this.ready(key);
    this.gates.get(key)!.resolve();
    this.gates.delete(key);
  }
  /** Lets everything through from now on. */
  open(): void {
    preparing.on = null;
    for (const { resolve } of this.gates.values()) resolve();
  }
}

type Step = (at: { id: string; folder: string; gates: Gates }) => Promise<unknown>;
const rename =
  (name: string): Step =>
  ({ id }) =>
    ada.send("PATCH", `/documents/${id}`, { name });
const reindex =
  (text: string): Step =>
  ({ id }) => {
    log = text;
    return ada.send("POST", `/documents/${id}/reindex`);
  };
const overwrite =
  (text: string): Step =>
  async ({ id, folder }) => {
    log = text;
    const { name } = await ada.get(id);
    return ada.upload(folder, name, `#!${text}`, "&overwrite=true");
  };
const ready =
  (key: string): Step =>
  ({ gates }) =>
    gates.ready(key);
const letGo =
  (key: string): Step =>
  async ({ gates }) => {
    await gates.ready(key);
    const before = await ended();
    await gates.letGo(key);
    await until(async () => (await ended()) > before, 20_000);
  };
/** The number of finished jobs of documents. */
const ended = async (): Promise<number> =>
  (
    await server.store.db
      .selectFrom("core_jobs")
      .select("id")
      .where("state", "=", "done")
      .where("plugin", "=", "documents")
      .execute()
  ).length;

describe("a new name", () => {
  const cases: [why: string, steps: Step[], text: string, name: string][] = [
    [
      "that is prepared of the text before the file was read again, and published after it",
      [
        rename("new"),
        ready("new: old words"),
        reindex("fresh words"),
        letGo("new: fresh words"),
        letGo("new: old words"),
      ],
      "fresh words",
      "new",
    ],
    [
      "that is published while the file is read again",
      [
        rename("new"),
        ready("new: old words"),
        reindex("fresh words"),
        ready("new: fresh words"),
        letGo("new: old words"),
        letGo("new: fresh words"),
      ],
      "fresh words",
      "new",
    ],
    [
      "that is given while the file is read again under the old one",
      [
        reindex("fresh words"),
        ready("first: fresh words"),
        rename("new"),
        ready("new: old words"),
        letGo("first: fresh words"),
        letGo("new: old words"),
        letGo("new: fresh words"),
      ],
      "fresh words",
      "new",
    ],
    [
      "that is prepared of the version before",
      [
        rename("new"),
        ready("new: old words"),
        overwrite("later words"),
        letGo("new: later words"),
        letGo("new: old words"),
      ],
      "later words",
      "new",
    ],
    [
      "that was changed again meanwhile",
      [
        rename("new"),
        ready("new: old words"),
        rename("newer"),
        letGo("new: old words"),
        letGo("newer: old words"),
      ],
      "old words",
      "newer",
    ],
    [
      "that was taken back meanwhile",
      [rename("new"), ready("new: old words"), rename("first"), letGo("new: old words")],
      "old words",
      "first",
    ],
  ];
  for (const [why, steps, text, name] of cases)
    test(why, async () => {
      const folder = await ada.folder();
      log = "old words";
      const { id } = (await ada.upload(folder, "first", `#!${why}`)).body;
      await server.settle();
      const gates = new Gates();
      try {
        for (const step of steps) await step({ id, folder, gates });
      } finally {
        gates.open();
      }
      await server.settle();
      expect(await ada.get(id)).toMatchObject({ status: "synced", content: text, name });
      const { body } = await ada.send("POST", "/search", { query: "words", folder_ids: [folder] });
      expect(body.data.map((passage: { quote: string }) => passage.quote)).toEqual([text]);
      expect(await index.findPublished(server.store.db, id)).toMatchObject({ title: name });
      expect(await server.store.db.selectFrom("index_staged").selectAll().execute()).toEqual([]);
      await expectSound(server);
    });
});
