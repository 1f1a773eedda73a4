/** Files from the user's device as one import, and scheduled imports. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { sql } from "../../core/sdk";
import { Tick } from "../../plugins/imports/jobs";
import { filesOf } from "../helpers/data-directory";
import { onSqlite } from "../helpers/databases";
import { expectSound, scriptedExtractor } from "../helpers/documents";
import { startTestServer, type TestServer } from "../helpers/host";
import { person, type Person } from "../helpers/person";
import { until } from "../helpers/server";
import { webhookListener } from "../helpers/receiver";
import { ended, page, startWebsite, type Website } from "../helpers/website";

let server: TestServer;
let site: Website;
let ada: Person;
const scripted = scriptedExtractor();
const { plugin: listener, events } = webhookListener();
beforeAll(async () => {
  site = await startWebsite();
  server = await startTestServer({
    plugins: [scripted.plugin, listener],
    env: {
      DOSSIER_IMPORTS_ALLOW_NETWORKS: "127.0.0.0/8",
      DOSSIER_DOCUMENTS_UPLOAD_BYTES_MAX: "1MiB",
    },
  });
  ada = await person(server, "ada");
});
afterAll(() => site[Symbol.asyncDispose]());

const formOf = (...files: (readonly [name: string, text: string, part?: string])[]): FormData => {
  const form = new FormData();
  for (const [name, text, part = "files"] of files) form.append(part, new Blob([text]), name);
  return form;
};
const sending = (folder: string, form: FormData, query = "") =>
  server.send("ada", "POST", `/imports/files?folder_id=${folder}${query}`, form);

describe("files from the device", () => {
  test("become documents of one run, without a webhook", async () => {
    const folder = await ada.folder();
    const answer = await sending(
      folder,
      formOf(["a.txt", "The otter."], ["b.txt", "#!fail encrypted\n"], ["note.txt", "The heron."]),
    );
    expect([answer.status, answer.headers.get("location")]).toEqual([
      202,
      `/api/dev/v1/imports/${answer.body.id}`,
    ]);
    const { run, items } = await ended(ada, answer.body.id);
    expect(run).toMatchObject({
      status: "completed_with_errors",
      source: { type: "files" },
      total_item_count: 3,
      succeeded_item_count: 2,
      failed_item_count: 1,
      skipped_item_count: 0,
    });
    expect(items.map(({ uri, status, error }) => [uri, status, error?.code])).toEqual([
      ["a.txt", "succeeded", undefined],
      ["b.txt", "failed", "encrypted"],
      ["note.txt", "succeeded", undefined],
    ]);
    expect(await ada.get(items[0].document_id)).toMatchObject({
      name: "a.txt",
      content: "The otter.",
      source: { kind: "upload", uri: null, run_id: run.id },
    });
    await server.settle();
    expect(events).toEqual([]);
    expect((await ada.send("POST", `/imports/${run.id}/retry`)).status).toBe(409);
    await expectSound(server);
  });

  test("follow the same-name rule, also among themselves", async () => {
    const folder = await ada.folder();
    await ada.upload(folder, "a.txt", "Before.");
    const clashing = await ended(
      ada,
      (await sending(folder, formOf(["a.txt", "One."], ["b.txt", "Two."], ["b.txt", "Three."])))
        .body.id,
    );
    expect([
      clashing.run.status,
      clashing.items.map(({ uri, status, error }) => [uri, status, error?.code]),
    ]).toEqual([
      "completed_with_errors",
      [
        ["a.txt", "failed", "name_taken"],
        ["b.txt", "succeeded", undefined],
        ["b.txt (2)", "failed", "name_taken"],
      ],
    ]);
    const over = await ended(
      ada,
      (
        await sending(
          folder,
          formOf(["a.txt", "One."], ["b.txt", "Two."], ["b.txt", "Three."]),
          "&overwrite=true",
        )
      ).body.id,
    );
    expect([
      over.run.status,
      over.run.succeeded_item_count,
      (await ada.names(folder)).toSorted(),
    ]).toEqual(["completed", 3, ["a.txt", "b.txt"]]);
    expect(await ada.found("three", [folder])).toEqual([over.items[1].document_id]);
    await server.settle();
    await expectSound(server);
  });

  test("get distinct items when a name equals a generated one", async () => {
    const { run, items } = await ended(
      ada,
      (
        await sending(
          await ada.folder(),
          formOf(["b.txt", "One."], ["b.txt", "Two."], ["b.txt (2)", "Three."]),
        )
      ).body.id,
    );
    expect([run.status, items.map(({ uri, status }) => [uri, status])]).toEqual([
      "completed_with_errors",
      [
        ["b.txt", "succeeded"],
        ["b.txt (2)", "failed"],
        ["b.txt (2) (2)", "succeeded"],
      ],
    ]);
  });

  onSqlite("connection").test("end as failed when the server can't store them", async () => {
    const folder = await ada.folder();
    await sql`create temp trigger broken before insert on documents when new.name = 'b.txt'
      begin select raise(abort, 'out of order'); end`.execute(server.store.db);
    const form = formOf(["a.txt", "One."], ["b.txt", "Two."], ["c.txt", "Three."]);
    const { status } = await sending(folder, form);
    await sql`drop trigger broken`.execute(server.store.db);
    expect(status).toBe(500);
    const [begun] = (await ada.send("GET", "/imports")).body.data;
    const { run, items } = await ended(ada, begun.id);
    expect(run).toMatchObject({ status: "completed_with_errors", failed_item_count: 2 });
    expect(items.map((item) => item.error?.code)).toEqual([
      undefined,
      "internal_error",
      "internal_error",
    ]);
    await server.settle();
    await expectSound(server);
  });

  const refused: [reason: string, form: () => FormData | string, status: number, words: RegExp][] =
    [
      ["no files", () => formOf(["a.txt", "x", "file"]), 400, /no part `files`/],
      [
        "a part without a file name",
        () => {
          const form = new FormData();
          form.append("files", "text");
          return form;
        },
        400,
        /needs a file name/,
      ],
      [
        "too many files",
        () => formOf(...Array.from({ length: 101 }, (_, i) => [`${i}.txt`, "x"] as const)),
        400,
        /more than 100 parts/,
      ],
      [
        "a file that is too large",
        () => formOf(["a.txt", "x"], ["large.txt", "x".repeat(2 ** 20 + 1)]),
        413,
        /limit of 1048576 bytes/,
      ],
      ["not a form", () => "text", 415, /multipart/],
    ];
  test.each(refused)("refused, with nothing kept: %s", async (_reason, form, status, words) => {
    const folder = await ada.folder();
    const answer = await sending(folder, form() as FormData);
    expect([answer.status, answer.text]).toEqual([status, expect.stringMatching(words)]);
    expect((await ada.send("GET", `/documents?folder_id=${folder}`)).body.pagination.total).toBe(0);
    await until(() => filesOf(server.data).every((name) => !name.startsWith("tmp/")));
  });
  test("refused: another user's folder or none", async () => {
    const folder = await ada.folder();
    expect(
      (
        await server.send(
          "eve",
          "POST",
          `/imports/files?folder_id=${folder}`,
          formOf(["a.txt", "x"]),
        )
      ).status,
    ).toBe(403);
    expect([
      (await sending("fld_none", formOf(["a.txt", "x"]))).status,
      (await server.send("ada", "POST", "/imports/files", formOf(["a.txt", "x"]))).status,
    ]).toEqual([404, 400]);
  });
});

describe("schedules", () => {
  const source = () => ({ type: "urls", urls: [`${site.url}/page`] });
  /** Makes its time come now. */
  const due = async (schedule_id: string) => {
    await server.store.db
      .updateTable("core_jobs")
      .set({ run_at: 0 })
      .where("subject", "=", schedule_id)
      .where("state", "=", "ready")
      .execute();
    await server.host.queue.enqueue(server.store.db, Tick, { schedule_id: "sch_none", at: 0 });
  };
  const schedule = (folder_id: string, every: string) =>
    ada.send("POST", "/import-schedules", { folder_id, source: source(), every });

  test("start runs when they are due, and end with their folder", async () => {
    site.set("/page", page("Page", "The otter."));
    const folder = await ada.folder();
    const created = await schedule(folder, "0 6 * * *");
    expect([created.status, created.headers.get("location")]).toEqual([
      201,
      `/api/dev/v1/import-schedules/${created.body.id}`,
    ]);
    expect(created.body).toEqual({
      id: expect.stringMatching(/^sch_/),
      folder_id: folder,
      source: source(),
      every: "0 6 * * *",
      next_run_at: expect.any(String),
      created_at: expect.any(String),
    });
    const runs = async () =>
      (await ada.send("GET", "/imports?per_page=200")).body.data.filter(
        ({ schedule_id }: any) => schedule_id === created.body.id,
      );
    await due(created.body.id);
    await until(async () => (await runs()).length === 1);
    await server.settle();
    await due(created.body.id);
    await until(async () => (await runs()).length === 2);
    const [first] = (await runs()).slice(-1);
    expect((await ended(ada, first.id)).run).toMatchObject({
      status: "completed",
      succeeded_item_count: 1,
    });
    expect((await ada.send("GET", "/import-schedules")).body.data[0].next_run_at).toBe(
      created.body.next_run_at,
    );
    await ada.send("DELETE", `/folders/${folder}`);
    expect((await ada.send("GET", "/import-schedules")).body.data).toEqual([]);
    await due(created.body.id);
    await server.settle();
    expect((await runs()).length).toBe(2);
  });

  test("skip a time when their last run is still in progress", async () => {
    site.set("/page", (_request, response) => void response.writeHead(200).write("x"));
    const created = await schedule(await ada.folder(), "0 6 * * *");
    const runs = async () =>
      (await ada.send("GET", "/imports?per_page=200")).body.data.filter(
        ({ schedule_id }: any) => schedule_id === created.body.id,
      );
    await due(created.body.id);
    await until(async () => (await runs()).length === 1);
    await due(created.body.id);
    const ticked = () =>
      server.store.db
        .selectFrom("core_jobs")
        .select("id")
        .where("subject", "=", created.body.id)
        .where("state", "=", "done")
        .execute();
    await until(async () => (await ticked()).length === 2);
    expect((await runs()).length).toBe(1);
    expect((await ada.send("DELETE", `/import-schedules/${created.body.id}`)).status).toBe(204);
    expect((await ada.send("DELETE", `/import-schedules/${created.body.id}`)).status).toBe(404);
    expect((await ada.send("POST", `/imports/${(await runs())[0].id}/cancel`)).status).toBe(202);
  });

  test("start nothing for a deactivated user", async () => {
    site.set("/page", page("Page", "The otter."));
    const runs = async (who: string) =>
      (
        await server.store.db
          .selectFrom("imports_runs")
          .select("id")
          .where("owner_id", "=", `usr_${who}`)
          .execute()
      ).length;
    for (const [who, begun] of [
      ["zoe", 1],
      ["gone", 0],
    ] as const) {
      const { body } = await server.send(who, "POST", "/import-schedules", {
        folder_id: await (await person(server, who)).folder(),
        source: source(),
        every: "0 0 1 1 *",
      });
      if (who === "gone") await server.accounts.setUserActive("usr_gone", false);
      await server.host.queue.enqueue(server.store.db, Tick, { schedule_id: body.id, at: 0 });
      await server.settle();
      expect([who, await runs(who)]).toEqual([who, begun]);
    }
  });

  test("next_run_at is the next time in UTC, and lists hold the caller's own only", async () => {
    const { body } = await schedule(await ada.folder(), "0 6 * * *");
    expect(body.next_run_at).toMatch(/T06:00:00\.000Z$/);
    expect(Date.parse(body.next_run_at) - Date.now()).toBeLessThanOrEqual(24 * 3_600_000);
    expect((await server.send("eve", "GET", "/import-schedules")).body.data).toEqual([]);
    expect((await server.send("eve", "DELETE", `/import-schedules/${body.id}`)).status).toBe(403);
  });

  const refused: [
    reason: string,
    body: (folder_id: string) => object,
    status: number,
    pointer: string | undefined,
  ][] = [
    [
      "an invalid expression",
      (folder_id) => ({ folder_id, source: source(), every: "daily" }),
      400,
      "/every",
    ],
    [
      "a sixth field, which would count seconds",
      (folder_id) => ({ folder_id, source: source(), every: "* * * * * *" }),
      400,
      "/every",
    ],
    [
      "a field out of range",
      (folder_id) => ({ folder_id, source: source(), every: "61 * * * *" }),
      400,
      "/every",
    ],
    [
      "a date that never comes",
      (folder_id) => ({ folder_id, source: source(), every: "0 0 30 2 *" }),
      400,
      "/every",
    ],
    [
      "an empty expression",
      (folder_id) => ({ folder_id, source: source(), every: "" }),
      400,
      "/every",
    ],
    [
      "an unknown source",
      (folder_id) => ({ folder_id, source: { type: "pigeon" }, every: "0 6 * * *" }),
      400,
      "/source/type",
    ],
    [
      "an unknown folder",
      () => ({ folder_id: "fld_none", source: source(), every: "0 6 * * *" }),
      404,
      undefined,
    ],
  ];
  test.each(refused)("refused: %s", async (_reason, body, status, pointer) => {
    const answer = await ada.send("POST", "/import-schedules", body(await ada.folder()));
    expect([answer.status, answer.body.errors?.[0]?.pointer]).toEqual([status, pointer]);
  });
});
