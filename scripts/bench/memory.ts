/** Rows: the peak memory of the server while texts of the maximum length are processed. */
import { has_proc, peakRssMib, resetPeak, type Row } from "./measure";
import { startDossier, temporaryDirectory, type Dossier } from "./server";
import { makeText } from "./text";

const rss_mib_max = 400;
const file_bytes = 60_000_000;
const text_bytes = 15_700_000;
const texts_count = 40;
const chinese_count = 4;
const chinese_searches = 20;

/** As a string, two bytes per character: not all of them are Latin. */
const longText = (bytes: number): string =>
  `“${makeText(1, bytes).slice(0, bytes - Buffer.byteLength("“”"))}”`;

/** Each character has three bytes, and most pairs of them occur once. */
function chineseText(bytes: number): string {
  const characters = new Uint16Array(bytes / 3);
  for (let at = 0, state = 1; at < characters.length; at++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    characters[at] = 0x4e00 + ((state >>> 8) % 20_000);
  }
  return Buffer.from(characters.buffer).toString("utf16le");
}

export async function memoryRows(): Promise<Row[]> {
  if (!has_proc) return [];
  const at = temporaryDirectory();
  const dossier = await startDossier(at.directory);
  try {
    const { id: folder_id } = await dossier.call<{ id: string }>("POST", "/folders", { name: "M" });
    const rows: Row[] = [];
    for (const [what, work] of stepsOf(dossier, folder_id)) {
      resetPeak(dossier.pid);
      await work();
      rows.push({
        name: `memory while ${what}`,
        unit: "MiB",
        target: { most: rss_mib_max },
        value: peakRssMib(dossier.pid),
        measured: "the most that the server held, child processes aside",
      });
    }
    return rows;
  } finally {
    await dossier.stop();
    at.remove();
  }
}

/** One after the other. */
function stepsOf(
  { url, key, call }: Dossier,
  folder_id: string,
): [what: string, work: () => Promise<unknown>][] {
  const authorization = `Bearer ${key}`;
  const file = new Blob([longText(file_bytes)], { type: "text/plain" });
  const settled = async (): Promise<void> => {
    for (;;) {
      const {
        status_counts: { syncing, sync_failed },
      } = await call<{ status_counts: { syncing: number; sync_failed: number } }>(
        "GET",
        `/folders/${folder_id}`,
      );
      if (sync_failed > 0) throw new Error(`${sync_failed} long texts could not be indexed`);
      if (syncing === 0) return;
      await Bun.sleep(100);
    }
  };
  const sendAtOnce = async (content: string, count: number): Promise<void> => {
    const headers = { authorization, "content-type": "application/json" };
    const body = Buffer.from(JSON.stringify({ folder_id, content }));
    const send = () => fetch(`${url}/api/dev/v1/documents`, { method: "POST", headers, body });
    // Requests that wait for more than half a minute are refused.
    for (const response of await Promise.all(Array.from({ length: count }, send)))
      await response.arrayBuffer();
    await settled();
  };
  let id = "";
  return [
    [
      `a file of ${file_bytes / 1e6} MB is added`,
      async () => {
        const form = new FormData();
        form.append("file", file, "long.txt");
        const to = `${url}/api/dev/v1/documents/file?folder_id=${folder_id}`;
        const response = await fetch(to, {
          method: "POST",
          headers: { authorization },
          body: form,
        });
        ({ id } = (await response.json()) as { id: string });
        await settled();
      },
    ],
    [
      "it is renamed",
      async () => {
        await call("PATCH", `/documents/${id}`, { name: "renamed quagga" });
        const search = { query: "renamed quagga", document_ids: [id], limit: 1 };
        for (let found = 0; found === 0; await Bun.sleep(200))
          found = (await call<{ data: unknown[] }>("POST", "/search", search)).data.length;
      },
    ],
    [
      `${texts_count} texts of ${text_bytes / 1e6} MB are sent at once`,
      () => sendAtOnce(longText(text_bytes), texts_count),
    ],
    [
      `${chinese_count} Chinese texts of ${text_bytes / 1e6} MB are sent at once, and searched`,
      async () => {
        const chinese = chineseText(text_bytes - 1_000);
        await sendAtOnce(chinese, chinese_count);
        for (let n = 0; n < chinese_searches; n++)
          await call("POST", "/search", { query: chinese.slice(n * 500, n * 500 + 200) });
      },
    ],
  ];
}
