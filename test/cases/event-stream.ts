/** The stream of a user's changes: content, recipients, order, and resuming. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { expectProblem } from "../helpers/contract";
import { watchingBy, type Event, type Watcher } from "../helpers/events";
import { person, type Person } from "../helpers/person";
import { until, type ApiServer, type StartServer } from "../helpers/server";

export type Told = Event<string>;
type Stream = Watcher<string>;

/** An open stream: its first event has arrived, unless it is resumed. */
export async function listening(
  server: ApiServer,
  who: string,
  query = "",
  { after, key }: { readonly after?: string; readonly key?: string } = {},
): Promise<Stream> {
  const headers = {
    ...(after !== undefined && { "last-event-id": after }),
    ...(key !== undefined && { authorization: `Bearer ${key}` }),
  };
  const asker = key === undefined ? who : null;
  const response = await server.call(asker, "GET", `/events${query}`, undefined, headers);
  const stream = watchingBy(response, String);
  expect([stream.status, stream.headers.get("content-type")]).toEqual([
    200,
    "text/event-stream; charset=utf-8",
  ]);
  if (after === undefined) await stream.until(({ event }) => event === "ready");
  return stream;
}

/** The names of received events, without the first one. */
export const namesOf = ({ events }: Pick<Stream, "events">): string[] =>
  events.map(({ event }) => event).filter((event) => event !== "ready");

/** An event about this record. */
export const about =
  (event: string, id: string) =>
  (delivered: Told): boolean =>
    delivered.event === event && Object.values(delivered.data).flat().includes(id);

export function eventStreamCases(start: StartServer): void {
  let server: ApiServer;
  let ada: Person;
  let eve: Person;
  const open: Stream[] = [];
  const listen = async (
    ...listen_arguments: Parameters<typeof listening> extends [unknown, ...infer R] ? R : never
  ) => {
    const stream = await listening(server, ...listen_arguments);
    open.push(stream);
    return stream;
  };
  beforeAll(async () => {
    server = await start({ env: { DOSSIER_EVENTS_STREAMS_MAX: "110" } });
    [ada, eve] = [await person(server, "ada"), await person(server, "eve")];
  }, 180_000);
  afterAll(async () => {
    await Promise.all(open.map((stream) => stream.disconnect()));
    await server?.[Symbol.asyncDispose]();
  });
  /** Waits until both have received everything before it. */
  async function mark(stream: Stream, who = ada): Promise<string> {
    const id = await who.folder("mark");
    await stream.until(about("folder.created", id));
    return id;
  }

  test("reports folders, documents, chats and answers in order, and nothing of other users", async () => {
    const stream = await listen("ada");
    const folder_id = await ada.folder("Harbour");
    await eve.text(await eve.folder("Secret"), "The secret is 42.", "secret");
    const { id: document_id } = await ada.text(
      folder_id,
      "The otter sleeps in the reeds.",
      "otter",
    );
    await ada.send("PATCH", `/documents/${document_id}`, { name: "otters" });
    const { id: chat_id } = await ada.create("/chats", { usedFolders: [folder_id] });
    const question = { text: "Where does the otter sleep?" };
    const { body } = await ada.send("POST", `/chats/${chat_id}/messages`, question);
    const { requestId } = body;
    await stream.until(about("answer.completed", requestId));
    await ada.send("PUT", `/chats/${chat_id}`, { name: "Otters" });
    await ada.send("DELETE", `/chats/${chat_id}`);
    await ada.send("PUT", `/folders/${folder_id}`, { name: "Harbours" });
    await ada.send("DELETE", `/folders/${folder_id}`);
    await stream.until(about("document.deleted", document_id));
    const events = stream.events.filter(({ event }) => event !== "ready");
    const folder_ids = [folder_id];
    expect(events.map(({ data }) => data)).toEqual([
      { event: "folder.created", folder_id, name: "Harbour", parent_id: null },
      { event: "document.created", document_id, name: "otter", folder_id, kind: "text" },
      { event: "document.synced", document_id, status: "synced", version: 1, folder_ids },
      { event: "document.changed", document_id, changed: "name", folder_ids },
      { event: "chat.created", chat_id },
      { event: "answer.started", chat_id, requestId, status: "PENDING" },
      { event: "answer.completed", chat_id, requestId, status: "COMPLETED", outcome: "answered" },
      { event: "chat.changed", chat_id },
      { event: "chat.deleted", chat_id },
      { event: "folder.changed", folder_id, name: "Harbours" },
      { event: "folder.deleted", folder_ids },
      { event: "document.deleted", document_id, name: "otters" },
    ]);
    expect(events.map(({ event }) => event)).toEqual(events.map(({ data }) => data.event));
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
  });

  test("reports the progress and the end of imports and transcriptions", async () => {
    const folder_id = await ada.folder("runs");
    const stream = await listen("ada", `?folders=${folder_id}`);
    const form = new FormData();
    form.append("files", new File(["One."], "one.txt"));
    form.append("files", new File(["Two."], "two.txt"));
    await ada.send("POST", `/imports/files?folder_id=${folder_id}`, form);
    const finished = await stream.until(({ event }) => event === "import.finished");
    expect(finished.data).toEqual({
      event: "import.finished",
      import_run_id: expect.any(String),
      status: "completed",
      completed_item_count: 2,
      succeeded_item_count: 2,
      failed_item_count: 0,
    });
    const changed = stream.events.filter(({ event }) => event === "import.changed");
    for (const { data } of changed) expect(data).toMatchObject({ folder_id, status: "running" });
    const captions = new FormData();
    const vtt = "WEBVTT\n\n00:00.000 --> 00:02.000\nThe ferry leaves at nine.\n";
    captions.append("file", new File([vtt], "ferry.vtt"));
    const { body } = await ada.send("POST", `/transcriptions?folder_id=${folder_id}`, captions);
    const completed = await stream.until(about("transcription.completed", body.id));
    expect(completed.data).toEqual({
      event: "transcription.completed",
      processing_run_id: body.id,
      result_history_id: null,
      status: "completed",
    });
    const recording = new FormData();
    const wave = new Uint8Array(2_000);
    wave.set(new TextEncoder().encode("RIFF\u00c8\u0007\u0000\u0000WAVEfmt "));
    recording.append("file", new File([wave], "silence.wav"));
    const failed = await ada.send("POST", `/transcriptions?folder_id=${folder_id}`, recording);
    if (failed.status < 300) {
      const { data } = await stream.until(about("transcription.failed", failed.body.id));
      expect(data).toMatchObject({ status: "failed", error: { code: expect.any(String) } });
    }
  });

  const filters: [why: string, query: (of: Record<string, string>) => string, wanted: string[]][] =
    [
      [
        "of two kinds",
        () => "?types=folder.created,document.created",
        ["folder.created", "document.created", "document.created", "folder.created"],
      ],
      [
        "of a folder",
        ({ one }) => `?folders=${one}`,
        ["folder.created", "document.created", "document.synced"],
      ],
      [
        "of a folder and of one kind",
        ({ one }) => `?folders=${one}&types=document.synced`,
        ["document.synced"],
      ],
      [
        "of two folders",
        ({ one, two }) => `?folders=${one},${two}&types=document.created`,
        ["document.created", "document.created"],
      ],
    ];
  test.each(filters)(
    "reports only events %s on request, also of new subfolders",
    async (_why, query, wanted) => {
      const of = { one: await ada.folder("one"), two: await ada.folder("two") };
      const all = await listen("ada");
      const stream = await listen("ada", query(of));
      const sub = await ada.folder("below", of.one);
      await ada.text(sub, "A.");
      await ada.text(of.two, "B.");
      const last = await mark(all);
      await until(() => namesOf(stream).length >= wanted.length);
      expect(namesOf(stream)).toEqual(wanted);
      expect(JSON.stringify(stream.events).includes(last)).toBe(wanted.at(-1) === "folder.created");
    },
  );

  const refused: [why: string, query: string, status: number, says: string][] = [
    ["an unknown event", "?types=document.synched", 400, "types"],
    [
      "too many event types",
      `?types=${Array.from({ length: 51 }, () => "folder.created").join(",")}`,
      400,
      "types",
    ],
    ["an unknown folder", "?folders=fld_nothing", 404, "fld_nothing"],
    ["no kind", "?types=", 400, "types"],
    ["no folder", "?folders=", 400, "folders"],
    ["a field twice", "?types=folder.created&types=folder.changed", 400, "types"],
  ];
  test.each(refused)("refuses %s", async (_why, query, status, says) => {
    expectProblem(await ada.send("GET", `/events${query}`), status, says);
  });
  test("refuses other users' folders, and keys that may not read", async () => {
    const theirs = await eve.folder();
    expectProblem(
      await ada.send("GET", `/events?folders=${theirs}`),
      403,
      "belongs to another user",
    );
    const key = await server.newKey("ada", ["write"]);
    const headers = { authorization: `Bearer ${key}` };
    const answer = await server.send(null, "GET", "/events", undefined, headers);
    expectProblem(answer, 403, "lacks the scope");
    expectProblem(await server.send(null, "GET", "/events"), 401, "API key");
  });

  test("resumes after Last-Event-ID, in the header or the query, with the missed events", async () => {
    const stream = await listen("ada");
    const first = await ada.folder("first");
    const { id } = await stream.until(about("folder.created", first));
    await stream.disconnect();
    const missed = [await ada.folder("second"), await ada.folder("third")];
    const resumed = await listen("ada", "", { after: id });
    await resumed.until(about("folder.created", missed[1]!));
    expect(resumed.events.map(({ data }) => data.folder_id)).toEqual(missed);
    const response = await server.call("ada", "GET", `/events?last_event_id=${id}`);
    const watcher = watchingBy(response, String);
    open.push(watcher);
    await watcher.until(about("folder.created", missed[1]!));
    expect(watcher.events).toEqual([...resumed.events]);
    // Live events have the same ids as resumed ones.
    const live = await ada.folder("fourth");
    const last = await resumed.until(about("folder.created", live));
    expect((await watcher.until(about("folder.created", live))).id).toBe(last.id);
  });

  test("a resumed stream reports only the last of repeated changes", async () => {
    const stream = await listen("ada");
    const folder_id = await ada.folder("many");
    const { id } = await stream.until(about("folder.created", folder_id));
    const form = new FormData();
    for (let n = 0; n < 20; n++) form.append("files", new File([`Text ${n}.`], `${n}.txt`));
    await ada.send("POST", `/imports/files?folder_id=${folder_id}`, form);
    await stream.until(({ event }) => event === "import.finished");
    const resumed = await listen("ada", "?types=import.changed,import.finished", { after: id });
    await resumed.until(({ event }) => event === "import.finished");
    expect(namesOf(resumed)).toEqual(["import.finished"]);
  });

  const lost: [why: string, id: (known: string) => string][] = [
    ["of another server run", () => "0000-1"],
    ["of the future", (known) => known.replace(/-\d+$/, "-999999")],
    ["that is invalid", () => "what?"],
    ["of another user's stream", () => "ffffffff-3"],
  ];
  test.each(lost)("tells clients to reload everything after an id %s", async (_why, idOf) => {
    const known = await listen("ada");
    const stream = await listen("ada", "", { after: idOf(known.events[0]!.id) });
    const { data, id } = await stream.until(({ event }) => event === "reset");
    expect(data).toEqual({ event: "reset" });
    const folder = await ada.folder("after");
    await stream.until(about("folder.created", folder));
    const resumed = await listen("ada", "", { after: id });
    expect((await resumed.until(about("folder.created", folder))).event).toBe("folder.created");
  });

  test("ends when its key is deactivated, and other streams continue", async () => {
    const key = await server.newKey("ada");
    const [kept_stream, ending] = [await listen("ada"), await listen("ada", "", { key })];
    await endKey(server, key);
    expect(await ending.ended).toBe(true);
    expect(ending.events.at(-1)).toMatchObject({ event: "closed", data: { event: "closed" } });
    const id = await mark(kept_stream);
    expect(JSON.stringify(ending.events)).not.toContain(id);
    const headers = { authorization: `Bearer ${key}` };
    expectProblem(await server.send(null, "GET", "/events", undefined, headers), 401, "not valid");
  });

  test("100 streams of one user receive the same; beyond them a stream must close first", async () => {
    const who = await person(server, "ben");
    const streams = await Promise.all(Array.from({ length: 110 }, () => listen("ben")));
    expectProblem(await who.send("GET", "/events"), 429, "110 streams");
    await (await listen("eve")).disconnect();
    const id = await mark(streams[0]!, who);
    const heard = await Promise.all(
      streams.map((stream) => stream.until(about("folder.created", id))),
    );
    expect(new Set(heard.map((event) => event.id)).size).toBe(1);
    await Promise.all(streams.slice(0, 50).map((stream) => stream.disconnect()));
    await until(async () => {
      const response = await server.call("ben", "GET", "/events");
      await response.body?.cancel();
      return response.status === 200;
    });
    const more = await ada.folder();
    expect(more).toStartWith("fld_");
  });

  test("HEAD answers like GET, and starts no stream", async () => {
    const answer = await server.call("ada", "HEAD", "/events");
    expect([answer.status, answer.headers.get("content-type"), await answer.text()]).toEqual([
      200,
      "text/event-stream; charset=utf-8",
      "",
    ]);
  });
}

/** Deactivates a key like its owner in the console, or the operator with a command. */
export type EndKey = (server: ApiServer, key: string) => Promise<void>;
let endKey: EndKey;
export const endKeysBy = (how: EndKey): void => {
  endKey = how;
};
