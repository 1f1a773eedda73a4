/**
 * A search backend next to the index: it is told about published and deleted passages, and names
 * candidates. Results must equal the index's own, whatever the backend does.
 */
import { beforeAll, describe, expect, test } from "bun:test";
import { cpSync } from "node:fs";
import { definePlugin, fill } from "../../core/sdk";
import {
  Embedders,
  SearchBackends,
  type BackendQuery,
  type BackendSegment,
  type SearchBackend,
} from "../../plugins/search-index/contract";
import { onSqlite } from "../helpers/databases";
import { temporaryDirectory } from "../helpers/data-directory";
import { startTestServer, type TestServer } from "../helpers/host";
import { person, type Person } from "../helpers/person";
import { until } from "../helpers/server";

/** An engine in memory that can be made to forget and fail. */
class Engine implements SearchBackend {
  readonly name = "Engine";
  stored_index: {
    contents: string;
    dimensions: number;
    segments: Map<number, BackendSegment>;
  } | null = null;
  /** Alters its answers. */
  mood: (answer: Found) => unknown = (answer) => answer;
  is_down = false;
  begun = 0;
  queries: BackendQuery[] = [];

  async state() {
    this.answers();
    return (
      this.stored_index && {
        contents: this.stored_index.contents,
        passages: this.passages().length,
      }
    );
  }
  async begin(what: { contents: string; dimensions: number }) {
    this.answers();
    this.begun++;
    this.stored_index = { ...what, segments: new Map() };
  }
  async put(contents: string, segments: readonly BackendSegment[]) {
    const held_contents = this.holding(contents);
    for (const segment of segments) held_contents.segments.set(segment.segment_id, segment);
  }
  async remove(contents: string, ids: readonly number[]) {
    const held_contents = this.holding(contents);
    for (const id of ids) held_contents.segments.delete(id);
  }
  async find(contents: string, query: BackendQuery) {
    this.holding(contents);
    this.queries.push(query);
    return this.mood(this.found(query)) as Found;
  }

  passages() {
    return [...(this.stored_index?.segments.values() ?? [])].flatMap((segment) =>
      segment.passages.map((passage) => ({ segment, passage })),
    );
  }
  private found({ owner_id, folder_ids, terms, vector, limit }: BackendQuery): Found {
    const scope = this.passages().filter(
      ({ segment }) =>
        segment.owner_id === owner_id && segment.folder_ids.some((id) => folder_ids.includes(id)),
    );
    const holds = (candidate: (typeof scope)[number], wanted: number) =>
      candidate.passage.terms.some(({ term }) => term === wanted);
    const nearness = ({ passage }: (typeof scope)[number]) =>
      Math.max(
        0,
        ...passage.vectors.map((own_vector) =>
          own_vector.reduce((sum, n, i) => sum + n * vector![i]!, 0),
        ),
      );
    const by_words = scope.filter((candidate) => terms.some(({ term }) => holds(candidate, term)));
    const by_vector = vector === null ? [] : scope.toSorted((a, b) => nearness(b) - nearness(a));
    return {
      segment_ids: [...by_words.slice(0, limit), ...by_vector.slice(0, limit)].map(
        ({ segment }) => segment.segment_id,
      ),
      passages: scope.length,
      frequencies: terms.map(
        ({ term }) => scope.filter((candidate) => holds(candidate, term)).length,
      ),
    };
  }
  private holding(contents: string) {
    this.answers();
    if (this.stored_index?.contents !== contents) throw new Error("it holds something else");
    return this.stored_index;
  }
  private answers(): void {
    if (this.is_down) throw new Error("nobody answers");
  }
}
interface Found {
  segment_ids: number[];
  passages: number;
  frequencies: number[];
}

const dimensions = 8;
/** All birds are near each other, and so is everything else. */
const embedder = {
  model: "birds",
  dimensions: null,
  texts_max: 100,
  embed: async (texts: readonly string[]) =>
    texts.map((text) => {
      const is_bird = /heron|egret|wader/i.test(text);
      return Float32Array.from({ length: dimensions }, (_, i) =>
        (is_bird ? i < 2 : i > 5) ? 1 : (Bun.hash.crc32(text) % 7) / 70,
      );
    }),
};

const served = (engine: Engine | null, with_vectors: boolean) => [
  definePlugin({
    name: "test-engine",
    version: "1.0.0",
    setup: () => ({
      fills: [
        ...(engine === null ? [] : [fill(SearchBackends, engine)]),
        ...(with_vectors ? [fill(Embedders, embedder)] : []),
      ],
    }),
  }),
];
const texts = ["heron", "egret", "otter", "beaver"].map(
  (name, at) => `The ${name} ${`${name} `.repeat(at)}stands in the reeds of pond ${at}.`,
);

interface Started {
  readonly server: TestServer;
  readonly engine: Engine;
  readonly ada: Person;
  readonly folder: string;
}
async function start(with_vectors = false, engine = new Engine()): Promise<Started> {
  const server = await startTestServer({ plugins: served(engine, with_vectors) });
  const ada = await person(server, "ada");
  const folder = await ada.folder("Animals");
  for (const text of texts) await ada.text(folder, text);
  await server.settle();
  return { server, engine, ada, folder };
}
/** A server on a copy of another one's data; the other one is stopped. */
async function anotherOn(server: TestServer, engine: Engine | null, { key }: Person) {
  const data = temporaryDirectory();
  cpSync(server.data, data, { recursive: true });
  await server.stop();
  const next = await startTestServer({ data, plugins: served(engine, false) });
  const send: Person["send"] = (method, path, body) =>
    next.send(null, method, path, body, { authorization: `Bearer ${key}` });
  return { server: next, ada: { send } };
}
const quotes = async (who: Pick<Person, "send">, query: string, folder_ids?: string[]) => {
  const { status, body } = await who.send("POST", "/search", { query, folder_ids, limit: 10 });
  expect(status).toBe(200);
  return body.data.map(({ quote, matched, score }: any) => [quote, matched, score.toFixed(6)]);
};
/** The results once the engine is asked, which may first have to catch up. */
async function viaEngine(engine: Engine, ...search: Parameters<typeof quotes>) {
  let found: unknown;
  await until(async () => {
    engine.queries.length = 0;
    found = await quotes(...search);
    return engine.queries.length === 1;
  });
  return found;
}
const health = async ({ server }: Started) =>
  (await server.send("ada", "GET", "/health")).body as Record<string, any>;
/** Passages in a folder; those of restorable documents are in none. */
const findable = ({ engine }: Started): number =>
  engine.passages().filter(({ segment }) => segment.folder_ids.length > 0).length;

describe.each([
  ["by words", false],
  ["by words and meaning", true],
])("search results %s", (_, with_vectors) => {
  let started: Started;
  beforeAll(async () => {
    started = await start(with_vectors);
  });

  const queries: [why: string, query: string][] = [
    ["a word of one passage", "otter"],
    ["a word of all passages", "reeds"],
    ["several words, some rare", "Where does the beaver stand in the pond?"],
    ["no known word, but a meaning", "wader"],
    ["no match", "xylophone"],
    ["a phrase", '"reeds of pond 2"'],
    ["only stop words", "the of in"],
  ];
  test.each(queries)("%s: same as without a backend", async (_why, query) => {
    const { engine, ada } = started;
    const found = await viaEngine(engine, ada, query);
    engine.mood = () => {
      throw new Error("not now");
    };
    const alone = await quotes(ada, query);
    engine.mood = (answer) => answer;
    expect(found).toEqual(alone);
    // A success in between keeps failures from adding up.
    await viaEngine(engine, ada, query);
  });

  test("queries name only the requested folders and words", async () => {
    const { engine, ada, folder } = started;
    await viaEngine(engine, ada, "heron heron pond", [folder]);
    const [query] = engine.queries as [BackendQuery];
    expect([query.owner_id, query.folder_ids, query.terms.map(({ weight }) => weight)]).toEqual([
      "usr_ada",
      [folder],
      [2, 1],
    ]);
    expect(query.vector?.length ?? 0).toBe(with_vectors ? dimensions : 0);
  });
});

describe("the backend is updated", () => {
  let started: Started;
  beforeAll(async () => {
    started = await start(true);
  });

  test("with passages, their words and vectors, and their folders", async () => {
    const { engine, folder } = started;
    // The first vectors make the server send everything again.
    await until(
      () =>
        engine.stored_index?.dimensions === dimensions &&
        engine.passages().length === texts.length &&
        engine.passages().every(({ passage }) => passage.vectors.length > 0),
    );
    expect(engine.passages()).toHaveLength(texts.length);
    for (const { segment, passage } of engine.passages()) {
      expect([segment.owner_id, segment.folder_ids]).toEqual(["usr_ada", [folder]]);
      expect(passage.terms.length).toBeGreaterThan(4);
      expect(passage.vectors.map(({ length }) => length)).toEqual([dimensions]);
      expect(Math.hypot(...passage.vectors[0]!)).toBeCloseTo(1, 1);
    }
    // Texts must never be sent.
    expect(JSON.stringify(engine.passages())).not.toMatch(/heron|reeds/);
  });

  const changes: [why: string, change: (started: Started) => Promise<void>, passages: number][] = [
    ["a new document", async ({ ada, folder }) => void (await ada.text(folder, "A newt.")), 5],
    [
      "a new version",
      async ({ ada }) => {
        const [id] = await ada.found("newt");
        await ada.send("PUT", `/documents/${id}`, { content: "A toad sits there." });
        await ada.settled(id!);
      },
      5,
    ],
    [
      "a document removed from its folder",
      async ({ ada, folder }) => {
        const [id] = await ada.found("toad");
        const path = `/documents/${id}?folder_id=${folder}`;
        expect((await ada.send("DELETE", path)).status).toBe(204);
      },
      4,
    ],
  ];
  test.each(changes)("after %s", async (_why, change, passages) => {
    await change(started);
    await started.server.settle();
    expect(findable(started)).toBe(passages);
    expect(await health(started)).toMatchObject({
      search_backend: { name: "Engine", state: "ready", waiting: 0 },
    });
  });
  test("when a document is linked to a second folder, and it is found there at once", async () => {
    const { ada, engine, server } = started;
    const other = await ada.folder("Fish");
    const [id] = await ada.found("otter");
    await ada.send("POST", `/documents/${id}/links`, { folder_id: other });
    await server.settle();
    expect(await quotes(ada, "otter", [other])).toHaveLength(1);
    expect(await viaEngine(engine, ada, "otter", [other])).toHaveLength(1);
  });
  test("when a folder is deleted", async () => {
    const { ada, engine, folder, server } = started;
    expect((await ada.send("DELETE", `/folders/${folder}`)).status).toBe(204);
    await server.settle();
    await until(() => engine.passages().length <= 1);
    // Documents that are also in another folder remain.
    expect((await quotes(ada, "heron")).map(([quote]: string[]) => quote)).toEqual([texts[2]]);
  });
});

describe("a backend that is down", () => {
  test("loses nothing: the index answers, health says why, and it catches up later", async () => {
    const started = await start();
    const { ada, engine, folder, server } = started;
    engine.is_down = true;
    await ada.text(folder, "A newt in the reeds.");
    const [heron] = await ada.found("heron");
    await ada.send("DELETE", `/documents/${heron}?folder_id=${folder}`);
    expect((await quotes(ada, "newt")).length).toBe(1);
    await until(async () => (await health(started)).search_backend.state === "failing");
    const state = await health(started);
    expect(state.search_backend.waiting).toBeGreaterThan(0);
    expect(state.plugins.find(({ name }: any) => name === "index").reason).toContain(
      "nobody answers",
    );
    engine.is_down = false;
    await until(async () => (await health(started)).search_backend.waiting === 0);
    await server.settle();
    expect(await viaEngine(engine, ada, "newt")).toHaveLength(1);
    expect(findable(started)).toBe(texts.length);
    await until(async () => (await health(started)).search_backend.state === "ready");
  });

  onSqlite("copies").test("is updated from the database by a server started later", async () => {
    const { ada, engine, folder, server } = await start();
    engine.is_down = true;
    await ada.text(folder, "A newt in the reeds.");
    const second_user = await anotherOn(server, engine, ada);
    engine.is_down = false;
    await until(() => engine.passages().length === texts.length + 1);
    expect([engine.begun, (await quotes(second_user.ada, "newt")).length]).toEqual([1, 1]);
  });

  const moods: [why: string, mood: Engine["mood"]][] = [
    ["never answers", () => new Promise(() => {})],
    ["fails", () => Promise.reject(new Error("no"))],
    ["returns invalid data", () => ({ hits: [] })],
    ["reports an impossible count", (found) => ({ ...found, frequencies: [1e6] })],
    ["lacks published passages", (found) => ({ ...found, segment_ids: [], passages: 1 })],
  ];
  test.each(moods)("or %s: the index answers", async (_why, mood) => {
    const started = await start();
    started.engine.mood = mood;
    expect((await quotes(started.ada, "otter")).length).toBe(1);
    await until(async () => (await health(started)).search_backend.state === "failing");
  });
});

describe("a backend that has failed", () => {
  const ends: [why: string, mood: Engine["mood"], state: "ready" | "failing"][] = [
    ["works again", (found) => found, "ready"],
    ["still fails", () => Promise.reject(new Error("no")), "failing"],
    ["returns invalid data", () => ({ hits: [] }), "failing"],
  ];
  test.each(ends)("and %s is tried again when its health is read", async (_why, mood, state) => {
    const started = await start();
    const { ada, engine, server } = started;
    engine.mood = () => Promise.reject(new Error("no"));
    await quotes(ada, "otter");
    await server.settle();
    engine.mood = mood;
    const { vector: _, ...failed } = engine.queries.at(-1)!;
    engine.queries.length = 0;
    await until(async () => (await health(started)) && engine.queries.length === 1);
    expect(engine.queries).toMatchObject([failed]);
    await until(async () => (await health(started)).search_backend.state === state);
    expect(engine.queries).toHaveLength(1);
  });

  test("by lacking passages stays failing until a search finds all", async () => {
    const started = await start();
    const { ada, engine } = started;
    engine.mood = (found) => ({ ...found, segment_ids: [], passages: 1 });
    await quotes(ada, "otter");
    engine.mood = (found) => found;
    engine.queries.length = 0;
    for (let n = 0; n < 5; n++) {
      expect((await health(started)).search_backend.state).toBe("failing");
      await Bun.sleep(5);
    }
    expect(engine.queries).toEqual([]);
    await viaEngine(engine, ada, "otter");
    await until(async () => (await health(started)).search_backend.state === "ready");
  });
});

describe("a backend", () => {
  onSqlite("copies").test(
    "added later gets existing passages and is used; without it, search goes on",
    async () => {
      const first = await startTestServer({ plugins: served(null, false) });
      const ada = await person(first, "ada");
      const folder = await ada.folder("Animals");
      for (const text of texts) await ada.text(folder, text);
      await first.settle();
      const found = await quotes(ada, "reeds");
      const without = (await first.send("ada", "GET", "/health")).body;
      const engine = new Engine();
      const second = await anotherOn(first, engine, ada);
      await second.server.settle();
      expect(without.search_backend).toBeUndefined();
      expect(engine.passages()).toHaveLength(texts.length);
      expect(await viaEngine(engine, second.ada, "reeds")).toEqual(found);
      const third = await anotherOn(second.server, null, ada);
      const fourth = await anotherOn(third.server, engine, ada);
      await fourth.server.settle();
      expect([engine.begun, engine.passages().length]).toEqual([2, texts.length]);
    },
  );

  test("that was emptied is filled again", async () => {
    const started = await start();
    const { ada, engine } = started;
    engine.stored_index = null;
    expect((await quotes(ada, "otter")).length).toBe(1);
    await until(() => engine.begun === 2 && findable(started) === texts.length);
  });

  test("that has lost a part is filled again", async () => {
    const started = await start();
    const { ada, engine, server } = started;
    const { segments } = engine.stored_index!;
    for (const id of [...segments.keys()].slice(1)) segments.delete(id);
    // Each search notices that it holds too little, and triggers a check.
    await until(async () => {
      expect(await quotes(ada, "otter")).toHaveLength(1);
      return engine.begun === 2;
    });
    await server.settle();
    await until(() => findable(started) === texts.length);
  });

  test("can't reveal other users' or deleted passages", async () => {
    const { ada, engine, folder, server } = await start();
    const bob = await person(server, "bob");
    const secrets = await bob.folder("Secrets");
    await bob.text(secrets, "The otter of Bob is secret.");
    const empty = await ada.folder("Empty");
    await server.settle();
    const all = engine.passages().map(({ segment }) => segment.segment_id);
    // Passages of every user, and some that never existed.
    engine.mood = (found) => ({ ...found, segment_ids: [...all, 5, 2 ** 40], passages: 100 });
    const names = async (who: Person, folder_ids?: string[]) =>
      (await quotes(who, "otter", folder_ids)).map(([quote]: string[]) => quote);
    expect(await names(ada)).toEqual([texts[2]]);
    expect(await names(bob)).toEqual(["The otter of Bob is secret."]);
    expect([await names(ada, [empty]), await names(ada, [folder])]).toEqual([[], [texts[2]]]);
    const [otter] = await ada.found("otter");
    await ada.send("DELETE", `/documents/${otter}?folder_id=${folder}`);
    await server.settle();
    expect(await names(ada)).toEqual([]);
  });

  test("is not asked when documents are given", async () => {
    const { ada, engine } = await start();
    const [otter] = await ada.found("otter");
    engine.queries.length = 0;
    const { body } = await ada.send("POST", "/search", { query: "otter", document_ids: [otter] });
    expect([body.data.length, engine.queries.length]).toEqual([1, 0]);
  });
});
