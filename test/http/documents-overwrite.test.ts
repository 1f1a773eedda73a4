/** New versions and failures in this process: the shared cases, and faulty readers. */
import { beforeAll, describe, expect, test } from "bun:test";
import { overwriteCases } from "../cases/overwrite";
import { expectSound, scriptedExtractor, startSoundServer } from "../helpers/documents";
import { startTestServer, type TestServer } from "../helpers/host";
import { person, type Person } from "../helpers/person";
import { until } from "../helpers/server";

describe("overwriting", () => overwriteCases(startSoundServer));

let server: TestServer;
let ada: Person;
const scripted = scriptedExtractor();
beforeAll(async () => {
  server = await startTestServer({ plugins: [scripted.plugin] });
  ada = await person(server, "ada");
});
const status = async (id: string): Promise<string> => (await ada.get(id)).status;

describe("a file", () => {
  test("whose reader fails without a reason is tried three times while syncing", async () => {
    const folder = await ada.folder();
    const before = scripted.runs();
    const { id } = (await ada.upload(folder, "a.bin", "#!throw\n")).body;
    for (const attempt of [1, 2]) {
      await until(async () => (await ada.get(id)).indexing.attempts === attempt);
      expect(await status(id)).toBe("syncing");
      await until(
        async () =>
          (
            await server.store.db
              .updateTable("core_jobs")
              .set({ run_at: Date.now() })
              .where("subject", "=", id)
              .where("state", "=", "ready")
              .returning("id")
              .execute()
          ).length > 0,
      );
    }
    await server.settle();
    expect(await ada.get(id)).toMatchObject({
      status: "sync_failed",
      error: { code: "extract_failed" },
      indexing: { attempts: 3 },
    });
    expect(scripted.runs() - before).toBe(3);
    await expectSound(server);
  });
  test("read with warnings has them in its record", async () => {
    const { id } = (await ada.upload(await ada.folder(), "a.bin", "#!warn\nWords.")).body;
    await server.settle();
    expect((await ada.get(id)).warnings).toEqual([
      { code: "odd", message: "Something is odd.", page: 1 },
    ]);
  });
});
