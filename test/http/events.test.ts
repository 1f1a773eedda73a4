/**
 * Durable events of documents, folders, answers and users: each change emits its event in its own
 * transaction, only for handlers that want it, and stores no row for the others.
 */
import { beforeAll, describe, expect, test } from "bun:test";
import {
  definePlugin,
  fillWith,
  handle,
  PermanentFailure,
  type EventRef,
  type JobHandler,
} from "../../core/sdk";
import { Answerers, type Answerer } from "../../plugins/chats/contract";
import * as events from "../../plugins/events/contract";
import { scriptedExtractor } from "../helpers/documents";
import { startTestServer, type TestServer } from "../helpers/host";
import { person, type Person } from "../helpers/person";

/** The events received, oldest first. */
const heard: { readonly event: string; readonly payload: any }[] = [];
const refs = Object.values<object>(events).filter(
  (value): value is EventRef => "kind" in value && value.kind === "event",
);
/** While this is set, no question gets an answer. */
let is_broken = false;
const broken: Answerer = {
  name: "broken",
  rank: 1_000,
  answer: () => Promise.reject(new PermanentFailure("The model is gone.")),
};
const listener = definePlugin({
  name: "listener",
  version: "1.0.0",
  setup: () => ({
    fills: [fillWith(Answerers, () => (is_broken ? broken : null))],
    jobs: refs.map((ref): JobHandler =>
      handle(
        ref,
        async (payload: any) => () => {
          heard.push({ event: ref.id, payload });
          return Promise.resolve();
        },
        {
          attempts_max: 3,
          timeout_ms: 10_000,
          wants: ({ owner_id }: any) => owner_id !== "usr_quiet",
        },
      ),
    ),
  }),
});

let server: TestServer;
let ada: Person;
beforeAll(async () => {
  server = await startTestServer({ plugins: [listener, scriptedExtractor().plugin] });
  ada = await person(server, "ada");
});

/** The events and payloads that some work emits, by event name and then in order. */
async function during(work: () => Promise<unknown>): Promise<[string, any][]> {
  await server.settle();
  heard.length = 0;
  await work();
  await server.settle();
  return heard
    .map(({ event, payload }): [string, any] => [event, payload])
    .toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
}
const owner_id = "usr_ada";

describe("documents", () => {
  let folder_id: string;
  const of = (document_id: string, more: object = {}) => ({ owner_id, document_id, ...more });
  beforeAll(async () => {
    folder_id = await ada.folder();
  });

  test("that are added: created, then synced or failed", async () => {
    let text!: any;
    let bad!: any;
    const received = await during(async () => {
      text = await ada.text(folder_id, "An otter.", "a");
      bad = (await ada.upload(folder_id, "bad.x", "#!fail corrupt\n")).body;
      await ada.settled(bad.id);
    });
    expect(received).toEqual([
      ["document.created", of(text.id, { name: "a", folder_id, kind: "text" })],
      ["document.created", of(bad.id, { name: "bad.x", folder_id, kind: "upload" })],
      [
        "document.failed",
        of(bad.id, {
          version: 1,
          folder_ids: [folder_id],
          error: { code: "corrupt", message: expect.any(String) },
        }),
      ],
      ["document.synced", of(text.id, { version: 1, folder_ids: [folder_id] })],
    ]);
  });

  test("that change: in name, folder and content", async () => {
    const { body: document } = await ada.upload(folder_id, "a.txt", "An otter.");
    const [id, other] = [document.id, await ada.folder()];
    const changed = (what: string, folder_ids: readonly string[], more: object = {}) => [
      "document.changed",
      of(id, { changed: what, folder_ids, ...more }),
    ];
    const moved = (folder_ids: readonly string[]) =>
      changed("folders", folder_ids, { folder_id: other });
    const cases: readonly (readonly [what: string, () => Promise<unknown>, readonly unknown[]])[] =
      [
        [
          "a new name",
          () => ada.send("PATCH", `/documents/${id}`, { name: "b.txt" }),
          [changed("name", [folder_id])],
        ],
        ["the same name", () => ada.send("PATCH", `/documents/${id}`, { name: "b.txt" }), []],
        [
          "another folder",
          () => ada.send("POST", `/documents/${id}/links`, { folder_id: other }),
          [moved([folder_id, other])],
        ],
        [
          "the same folder",
          () => ada.send("POST", `/documents/${id}/links`, { folder_id: other }),
          [],
        ],
        [
          "out of it",
          () => ada.send("DELETE", `/documents/${id}?folder_id=${other}`),
          [moved([folder_id])],
        ],
        [
          "back again",
          () => ada.send("POST", `/documents/${id}/restore?folder_id=${other}`),
          [moved([folder_id, other])],
        ],
        [
          "a new version",
          () => ada.upload(folder_id, "b.txt", "Two.", "&overwrite=true"),
          [
            changed("content", [folder_id, other]),
            ["document.synced", of(id, { version: 2, folder_ids: [folder_id, other] })],
          ],
        ],
      ];
    for (const [what, work, expected] of cases)
      expect([what, await during(work)]).toEqual([what, expected as any]);
  });

  test("that are deleted with their folder: one event each, none if kept elsewhere", async () => {
    const [gone, kept_folder] = [await ada.folder(), await ada.folder()];
    const names = Array.from({ length: 40 }, (_, n) => `n${n}`);
    for (const name of names) await ada.newText(gone, `The ${name}.`, name);
    const shared = await ada.text(gone, "Shared.", "shared");
    await ada.send("POST", `/documents/${shared.id}/links`, { folder_id: kept_folder });
    const received = await during(() => ada.send("DELETE", `/folders/${gone}`));
    expect(received.map(([event]) => event)).toEqual(names.map(() => "document.deleted"));
    expect(received.map(([, { name }]) => name).toSorted()).toEqual(names.toSorted());
    expect((await ada.get(shared.id)).folder_ids).toEqual([kept_folder]);
  });

  test("of an owner that a handler doesn't want create no job", async () => {
    const quiet = await person(server, "quiet");
    const jobs = async () =>
      (
        await server.store.db
          .selectFrom("core_jobs")
          .select("name")
          .where("plugin", "=", "listener")
          .where("payload", "like", "%usr_quiet%")
          .execute()
      ).length;
    const received = await during(async () => quiet.text(await quiet.folder(), "Quiet."));
    expect([received, await jobs()]).toEqual([[], 0]);
  });
});

test("an imported folder archive: its folders and documents, once it is there", async () => {
  const from = await ada.folder("Archive");
  const sub = await ada.folder("Sub", from);
  const { body: bad } = await ada.upload(sub, "bad.x", "#!fail corrupt\n");
  await ada.settled(bad.id);
  for (let n = 0; n < 60; n++) await ada.newText(from, `The ${n}.`, `n${n}`);
  await server.settle();
  const archive = await (await server.call("ada", "GET", `/folders/${from}/export`)).bytes();
  const received = await during(() =>
    ada.send("POST", "/folders/import", archive, { "content-type": "application/zip" }),
  );
  const counts = Object.groupBy(received, ([event]) => event);
  expect(Object.entries(counts).map(([event, all]) => [event, all!.length])).toEqual([
    ["document.created", 61],
    ["document.failed", 1],
    ["document.synced", 60],
    ["folder.created", 2],
  ]);
  const [, failed] = counts["document.failed"]![0]!;
  expect([failed.error.code, (await ada.get(failed.document_id)).name]).toEqual([
    "corrupt",
    "bad.x",
  ]);
});

test("folders: created and changed", async () => {
  let root!: string;
  let sub!: string;
  const received = await during(async () => {
    root = await ada.folder("Root");
    sub = await ada.folder("Sub", root);
    await ada.send("PUT", `/folders/${root}`, { name: "New" });
    await ada.send("PUT", `/folders/${root}`, {});
  });
  expect(received).toEqual([
    ["folder.changed", { owner_id, folder_id: root, name: "New" }],
    ["folder.created", { owner_id, folder_id: root, name: "Root", parent_id: null }],
    ["folder.created", { owner_id, folder_id: sub, name: "Sub", parent_id: root }],
  ]);
});

test("answers: completed or failed", async () => {
  const folder_id = await ada.folder();
  await ada.text(folder_id, "The otter sleeps in the reeds.");
  let chat_id!: string;
  const begun = await during(async () => {
    chat_id = (await ada.create("/chats", { usedFolders: [folder_id] })).id;
    await ada.send("PUT", `/chats/${chat_id}`, { name: "Otters" });
  });
  expect(begun).toEqual([
    ["chat.changed", { owner_id, chat_id }],
    ["chat.created", { owner_id, chat_id }],
  ]);
  let request_id!: string;
  const asking = () =>
    during(async () => {
      const text = "Where does the otter sleep?";
      const { body } = await ada.send("POST", `/chats/${chat_id}/messages`, { text });
      request_id = body.requestId;
    });
  const answered = await asking();
  const of = { owner_id, chat_id, request_id };
  expect(answered).toEqual([
    ["answer.completed", { ...of, outcome: "answered" }],
    ["answer.started", of],
  ]);
  is_broken = true;
  const failed = await asking();
  is_broken = false;
  const error = { code: "answer_failed", message: "The model is gone." };
  expect(failed).toEqual([
    ["answer.failed", { ...of, request_id, error }],
    ["answer.started", { ...of, request_id }],
  ]);
});

test("users: created and changed, the latter only for real changes", async () => {
  let user_id!: string;
  const { accounts } = server;
  const received = await during(async () => {
    const user = await accounts.createUser({
      email: "ben@example.com",
      password: "correct horse battery",
      role: "member",
    });
    user_id = user.id;
    await accounts.setUserActive(user_id, true);
    await accounts.setUserActive(user_id, false);
  });
  expect(received).toEqual([
    ["user.changed", { user_id, role: "member", active: false }],
    ["user.created", { user_id, email: "ben@example.com", role: "member" }],
  ]);
});
