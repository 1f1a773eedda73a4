/** Cases: downloads and uploads of large files in parts, and folders that are moved. */
import type { Attacker } from "./attacker";
import type { Case } from "./case";
import { fileForm, notes } from "./seeds";
import { askUnread } from "./unread";

const file_bytes = 400 * 2 ** 20;

/** The path of a large file that has no text. */
async function largeFile(attacker: Attacker): Promise<string> {
  const folder_id = await attacker.newFolder();
  const body = fileForm(new Uint8Array(file_bytes), "large.bin");
  await attacker.send(`/documents/file?folder_id=${folder_id}`, { body });
  await attacker.indexed(folder_id);
  return `/documents/${(await attacker.documentIds(folder_id))[0]!}/file`;
}

const rangeOf = (start: number, bytes: number) => ({
  range: `bytes=${start}-${start + bytes - 1}`,
});

export const transfer_cases: readonly Case[] = [
  {
    name: "long ranges",
    reason: "200 ranges of 100 MB of a file of 400 MB at a time",
    without_vectors: true,
    async prepare(attacker) {
      const path = await largeFile(attacker);
      return () =>
        attacker.repeat(200, (round) =>
          attacker.send(path, {
            headers: rangeOf((round * 7_919) % (file_bytes / 2), 100 * 2 ** 20),
            abort_after_ms: 2_000,
          }),
        );
    },
  },
  {
    name: "short ranges",
    reason: "ranges of ten bytes of a file of 400 MB, 200 at a time",
    without_vectors: true,
    async prepare(attacker) {
      const path = await largeFile(attacker);
      return () =>
        attacker.repeat(200, (round) =>
          attacker.send(path, { headers: rangeOf((round * 7_919_000) % file_bytes, 10) }),
        );
    },
  },
  {
    name: "slow ranges",
    reason: "500 ranges of 100 MB that nobody reads",
    without_vectors: true,
    async prepare(attacker) {
      const request = attacker.head("GET", await largeFile(attacker), rangeOf(9, 100 * 2 ** 20));
      return () => askUnread(attacker, 500, request);
    },
  },
  {
    name: "abandoned uploads",
    reason: "uploads of 20 MB that end in the middle, 200 at a time",
    without_vectors: true,
    async prepare(attacker) {
      const folder_id = await attacker.newFolder();
      const head = attacker.head("POST", `/documents/file?folder_id=${folder_id}`, {
        "content-type": "multipart/form-data; boundary=b",
        "content-length": String(20 * 2 ** 20),
      });
      const start =
        '--b\r\ncontent-disposition: form-data; name="file"; filename="a.txt"\r\n\r\n' +
        "x".repeat(100_000);
      return () =>
        attacker.repeat(200, async () => {
          const socket = await attacker.connect();
          socket.write(head + start);
          await Bun.sleep(100);
          socket.terminate();
        });
    },
  },
  {
    name: "moved documents",
    reason: "200 documents are moved to and fro, and their folders renamed, beside searches",
    without_vectors: true,
    async prepare(attacker) {
      const here = await attacker.newTexts(notes(200), 300_000);
      const there = await attacker.newFolder("There");
      const document_ids = await attacker.documentIds(here);
      const moved = (folder_id: string, to_folder_id: string) => ({
        body: { action: "move", document_ids, folder_id, to_folder_id },
      });
      return () =>
        Promise.all([
          attacker.repeat(1, async (round) => {
            await attacker.send("/documents/batch", moved(here, there));
            await attacker.send("/documents/batch", moved(there, here));
            const body = { name: `Moved ${round}` };
            await attacker.send(`/folders/${here}`, { method: "PUT", body });
          }),
          attacker.repeat(4, (round) =>
            attacker.send("/search", {
              body: { query: `heron of number ${round}`, folder_ids: [here, there] },
            }),
          ),
        ]);
    },
  },
];
