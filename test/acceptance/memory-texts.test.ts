/** Acceptance, on the executable: memory use with texts of the maximum length. */
import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { startExecutable } from "../helpers/executable";
import { person } from "../helpers/person";
import { until } from "../helpers/server";

/**
 * `npm run test:long` uses the full size; other runs half of it, with a limit that still catches
 * a text held in memory as a whole.
 */
const is_long = process.env.DOSSIER_TEST_LONG === "all";
const rss_mib_max = is_long ? 400 : 330;
const file_bytes = is_long ? 60_000_000 : 30_000_000;
const text_bytes = 14_800_000;
const texts_count = is_long ? 8 : 4;
const long_ms = 120_000;

/** Contains non-Latin characters, so that a string takes two bytes per character. */
function longText(bytes: number): string {
  const lines: string[] = ["A text “in quotes”"];
  for (let line = 0, length = 0; length < bytes; line++) {
    const sentence = `Line ${line * 7919} tells of boat ${line % 997}, which was ${line % 89} days out.`;
    lines.push(sentence);
    length += sentence.length + 1;
  }
  return lines.join("\n").slice(0, bytes);
}

async function start() {
  const server = await startExecutable();
  const ada = await person(server, "ada");
  return {
    ada,
    folder_id: await ada.folder(),
    /** The peak memory since the last call, in MiB. */
    takePeak(): number {
      const status = readFileSync(`/proc/${server.pid()}/status`, "utf8");
      const kib = /^VmHWM:\s+(\d+) kB/m.exec(status);
      writeFileSync(`/proc/${server.pid()}/clear_refs`, "5");
      return Number(kib![1]) / 1024;
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

describe.skipIf(!existsSync("/proc/self/clear_refs"))("long texts", () => {
  test(
    `a file of ${file_bytes / 1e6} MB is stored, indexed and renamed`,
    async () => {
      await using started = await start();
      const { ada, folder_id, takePeak } = started;
      const content = longText(file_bytes);
      takePeak();
      const { id } = (await ada.upload(folder_id, "long.txt", content)).body;
      const status = async () =>
        (await ada.send("GET", `/documents/${id}?content=false`)).body.status;
      await until(async () => (await status()) === "synced", long_ms);
      expect(takePeak()).toBeLessThan(rss_mib_max);
      await ada.send("PATCH", `/documents/${id}`, { name: "Quagga" });
      await until(async () => (await ada.found("Quagga", [folder_id])).length > 0, long_ms);
      expect(takePeak()).toBeLessThan(rss_mib_max);
    },
    3 * long_ms,
  );
  test(
    `${texts_count} texts of ${text_bytes / 1e6} MB are sent at once`,
    async () => {
      await using started = await start();
      const { ada, folder_id, takePeak } = started;
      const body = JSON.stringify({ folder_id, content: longText(text_bytes) });
      takePeak();
      const answers = await Promise.all(
        Array.from({ length: texts_count }, () =>
          ada.send("POST", "/documents", body, { "content-type": "application/json" }),
        ),
      );
      // Some may time out while queued.
      for (const { status } of answers) expect([201, 503]).toContain(status);
      expect(answers.some(({ status }) => status === 201)).toBe(true);
      const counts = async () =>
        (await ada.send("GET", `/folders/${folder_id}`)).body.status_counts;
      await until(async () => (await counts()).syncing === 0, long_ms);
      expect(takePeak()).toBeLessThan(rss_mib_max);
      // Low memory use without indexing would prove nothing.
      expect((await counts()).synced).toBe(answers.filter(({ status }) => status === 201).length);
    },
    3 * long_ms,
  );
});
