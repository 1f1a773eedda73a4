/**
 * What becomes of a plugin's data while it is not loaded: its files stay, and what was deleted or
 * has ended meanwhile is deleted, or ends, when it is back.
 */
import { expect } from "bun:test";
import { definePlugin, fill } from "../../core/sdk";
import { FileUses } from "../../plugins/documents/contract";
import { filesOf, filesWith } from "../helpers/data-directory";
import { onSqlite } from "../helpers/databases";
import { startTestServer, type TestServer, type TestServerOptions } from "../helpers/host";
import { person } from "../helpers/person";
import { captions, createEngine, formOf, recordingOf } from "../helpers/recordings";
import { until } from "../helpers/server";
import { file, startWebsite } from "../helpers/website";

const engine = createEngine();
const transcribing = {
  DOSSIER_TRANSCRIPTION_PROVIDER: "command",
  DOSSIER_TRANSCRIPTION_COMMAND: engine.command,
};
const without = (names: string) => ({ ...transcribing, DOSSIER_PLUGINS_DISABLED: names });

/** Longer than the search for unused files, which begins with the server. */
const sweep_ms = 500;

let copies = 0;
/** Stops the server, and starts another on a copy of its directory; it may have other plugins. */
async function startedAgain(server: TestServer, options: TestServerOptions): Promise<TestServer> {
  await server.host.stop(1_000);
  const data = `${server.data}-copy${++copies}`;
  await Bun.$`cp -r ${server.data} ${data}`.quiet();
  return startTestServer({ ...options, data });
}
/** As ada, who is in the database already. */
const asAda = (server: TestServer, key: string, method: string, path: string) =>
  server.send(null, method, path, undefined, { authorization: `Bearer ${key}` });

onSqlite("copies").test("originals of a plugin that is not loaded are kept", async () => {
  const album = definePlugin({
    name: "album",
    version: "1.0.0",
    tables: ["album_pictures"],
    migrations: [
      {
        id: "0001_pictures",
        up: async (tx) => {
          await tx.schema.createTable("album_pictures").addColumn("sha256", "text").execute();
        },
      },
    ],
    setup: () => ({
      fills: [
        fill(FileUses, {
          isUsed: async (db, sha256) =>
            (await db
              .selectFrom("album_pictures")
              .select("sha256")
              .where("sha256", "=", sha256)
              .executeTakeFirst()) !== undefined,
        }),
      ],
    }),
  });
  const first = await startTestServer({ plugins: [album] });
  const keep = async (text: string): Promise<string> => {
    const received = await first.files.receive(new Blob([text]).stream(), { bytes_max: 100 });
    await received.keep();
    await received.release();
    return received.sha256;
  };
  const picture = await keep("a picture");
  await first.store.db.insertInto("album_pictures").values({ sha256: picture }).execute();
  await keep("left behind by a crash");
  const second = await startedAgain(first, {});
  await Bun.sleep(sweep_ms);
  expect(filesOf(second.data)).toHaveLength(2);
  // It is back, or all of its data was deleted: `dossier plugin remove album --purge`.
  const third = await startedAgain(second, { plugins: [album] });
  await until(() => filesOf(third.data).length === 1);
  expect(filesOf(third.data)).toEqual([picture]);
  await third.store.db.deleteFrom("core_migrations").where("plugin", "=", "album").execute();
  const fourth = await startedAgain(third, {});
  await until(() => filesOf(fourth.data).length === 0);
});

onSqlite("copies").test("a recording waits for its plugin", async () => {
  const first = await startTestServer({ env: transcribing });
  const ada = await person(first, "ada");
  const folder = await ada.folder();
  await first.host.operations.pauseIntake(true);
  const path = `/transcriptions?folder_id=${folder}`;
  const { body: run } = await ada.send("POST", path, formOf("talk.wav", recordingOf("vtt")));
  const second = await startedAgain(first, { env: without("transcriptions") });
  await Bun.sleep(sweep_ms);
  expect(filesOf(second.data)).toHaveLength(1);
  const third = await startedAgain(second, { env: transcribing });
  await third.host.operations.pauseIntake(false);
  await third.settle();
  const ended = await asAda(third, ada.key, "GET", `/transcriptions/${run.id}`);
  expect(ended.body).toMatchObject({ status: "completed", name: "talk.wav" });
});

onSqlite("copies").test(
  "transcripts of what was deleted without their plugin are deleted when it is back",
  async () => {
    const first = await startTestServer({ env: transcribing });
    const ada = await person(first, "ada");
    const [folder, kept] = [await ada.folder("one"), await ada.folder("two")];
    const add = async (to: string, word: string): Promise<string> => {
      const form = formOf(`${word}.vtt`, captions.replace("heron", word));
      return (await ada.send("POST", `/transcriptions?folder_id=${to}`, form)).body.id;
    };
    const ids = [await add(folder, "quaggaword"), await add(kept, "dodoword")];
    await first.settle();
    const second = await startedAgain(first, { env: without("transcriptions") });
    expect((await asAda(second, ada.key, "DELETE", `/folders/${folder}`)).status).toBe(204);
    await second.settle();
    const third = await startedAgain(second, { env: transcribing });
    await until(() => filesWith(third.data, "quaggaword").length === 0);
    const answers = [];
    for (const id of ids)
      answers.push((await asAda(third, ada.key, "GET", `/transcriptions/${id}/result`)).status);
    expect(answers).toEqual([404, 200]);
  },
);

onSqlite("copies").test(
  "an import ends whose documents were indexed or deleted without its plugin",
  async () => {
    await using site = await startWebsite();
    const env = { ...transcribing, DOSSIER_IMPORTS_ALLOW_NETWORKS: "127.0.0.0/8" };
    const first = await startTestServer({ env });
    const ada = await person(first, "ada");
    const folder = await ada.folder();
    const urls = ["The otter.", "The heron.", "The quagga."].map(
      (text) => site.url + site.put(file(text, "text/plain")),
    );
    const { body: run } = await ada.send("POST", "/imports", {
      folder_id: folder,
      source: { type: "urls", urls },
    });
    await first.settle();
    // As if the server had ended before they were indexed.
    await first.store.db
      .updateTable("imports_items")
      .set({ status: "pending" })
      .where("run_id", "=", run.id)
      .execute();
    await first.store.db
      .updateTable("imports_runs")
      .set({ status: "running", finished_at: null, succeeded: 0 })
      .where("id", "=", run.id)
      .execute();
    const [gone] = (await ada.send("GET", `/imports/${run.id}/items`)).body.data;
    await first.store.db
      .updateTable("imports_items")
      .set({ document_id: "doc_gone" })
      .where("document_id", "=", gone.document_id)
      .execute();
    const second = await startedAgain(first, { env });
    const ended = await asAda(second, ada.key, "GET", `/imports/${run.id}`);
    expect(ended.body).toMatchObject({
      status: "completed_with_errors",
      succeeded_item_count: 2,
      failed_item_count: 1,
    });
  },
);
