/** Cases: uploads of many parts and of files that are hard to read, and archives. */
import { longPdf, tableDocx } from "../bench/files";
import type { Attacker } from "./attacker";
import type { Case } from "./case";
import { captions, fileForm, nestedZip, noisyPicture, notes, notesZip } from "./seeds";

/** Uploads the same form again and again, under a new name each time. */
export async function uploads(
  attacker: Attacker,
  loops: number,
  content: Uint8Array<ArrayBuffer>,
  ending: string,
): Promise<() => Promise<void>> {
  const folder_id = await attacker.newFolder();
  return () =>
    attacker.repeat(loops, (round) =>
      attacker.send(`/documents/file?folder_id=${folder_id}`, {
        body: fileForm(content, `file ${round}.${ending}`),
      }),
    );
}

/** Forms that are written by hand. */
async function rawForms(
  attacker: Attacker,
  loops: number,
  parts: string,
): Promise<() => Promise<void>> {
  const folder_id = await attacker.newFolder();
  const headers = { "content-type": "multipart/form-data; boundary=b" };
  return () =>
    attacker.repeat(loops, () =>
      attacker.send(`/imports/files?folder_id=${folder_id}`, {
        method: "POST",
        body: Buffer.from(parts),
        headers,
      }),
    );
}

const part = (name: string, more = ""): string =>
  `--b\r\ncontent-disposition: form-data; name="files"; filename="${name}"\r\n${more}\r\nx\r\n`;

/** A site map of pages on so many hosts that refuse connections. */
const manyHosts = (hosts: number): string =>
  `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${Array.from(
    { length: hosts },
    (_, at) =>
      `<url><loc>http://127.${1 + (at >> 14)}.${(at >> 7) & 127}.${at & 127}:9/</loc></url>`,
  ).join("")}</urlset>`;

export const upload_cases: readonly Case[] = [
  {
    name: "forms of 10,000 parts",
    reason: "uploads of 10,000 files each, 16 at a time",
    prepare: (attacker) =>
      rawForms(
        attacker,
        16,
        `${notes(10_000)
          .map((_, at) => part(`${at}.txt`))
          .join("")}--b--\r\n`,
      ),
  },
  {
    name: "forms with long heads",
    reason: "uploads whose parts have names and headers of a megabyte, 16 at a time",
    prepare: (attacker) => {
      const long = "a".repeat(1_000_000);
      return rawForms(attacker, 16, `${part(long)}${part("b", `x-more: ${long}\r\n`)}--b--\r\n`);
    },
  },
  {
    name: "many small uploads",
    reason: "uploads of one line, 200 at a time",
    without_vectors: true,
    prepare: (attacker) => uploads(attacker, 200, Buffer.from("One line."), "txt"),
  },
  {
    name: "long PDF files",
    reason: "PDF files of 3,000 pages, four at a time",
    prepare: async (attacker) => uploads(attacker, 4, new Uint8Array(longPdf(3_000)), "pdf"),
  },
  {
    name: "large Word files",
    reason: "Word files that are one table of 8 MB, four at a time",
    prepare: async (attacker) => uploads(attacker, 4, new Uint8Array(tableDocx(8_000_000)), "docx"),
  },
  {
    name: "scans",
    reason: "pictures of dots, of which each is read as text",
    prepare: (attacker) => uploads(attacker, 4, noisyPicture(2_480, 3_508), "png"),
  },
  {
    name: "nested archives",
    reason: "archives in archives that unpack to gigabytes, as Word files",
    prepare: (attacker) => uploads(attacker, 4, nestedZip(3, 50_000_000), "docx"),
  },
  {
    name: "import archives",
    reason: "archives of 5,000 texts are imported, four at a time",
    without_vectors: true,
    env: { DOSSIER_IMPORTS_ALLOW_NETWORKS: "127.0.0.0/8" },
    async prepare(attacker) {
      const folder_id = await attacker.newFolder();
      const archive = notesZip(5_000);
      const host = Bun.serve({
        port: 0,
        hostname: "127.0.0.1",
        fetch: () => new Response(archive),
      });
      return () =>
        attacker.repeat(4, async (round) => {
          const source = { type: "zip", url: `http://127.0.0.1:${host.port}/${round}.zip` };
          await attacker.send("/imports", { body: { folder_id, source } });
          await Bun.sleep(500);
        });
    },
  },
  {
    name: "imports of many hosts",
    reason: "an import of 49,000 pages on as many hosts is cancelled again and again",
    without_vectors: true,
    env: { DOSSIER_IMPORTS_ALLOW_NETWORKS: "127.0.0.0/8" },
    async prepare(attacker) {
      const folder_id = await attacker.newFolder();
      const host = Bun.serve({
        port: 0,
        hostname: "127.0.0.1",
        fetch: () => new Response(sitemap, { headers: { "content-type": "application/xml" } }),
      });
      const sitemap = manyHosts(49_000);
      const source = { type: "sitemap", url: `http://127.0.0.1:${host.port}/` };
      type Run = { readonly id: string; readonly total_item_count: number };
      return () =>
        attacker.repeat(1, async () => {
          const { id } = await attacker.call<Run>("POST", "/imports", { folder_id, source });
          const isListed = async () =>
            (await attacker.call<Run>("GET", `/imports/${id}`)).total_item_count === 49_000;
          while (!attacker.ended && !(await isListed())) await Bun.sleep(100);
          await attacker.send(`/imports/${id}/cancel`, { method: "POST" });
        });
    },
  },
  {
    name: "export folders",
    reason: "a folder of 5,000 documents is exported, four at a time",
    without_vectors: true,
    async prepare(attacker) {
      const folder_id = await attacker.newTexts(notes(5_000), 300_000);
      const paths = [`/folders/${folder_id}/export`, `/folders/${folder_id}/documents.zip`];
      return () => attacker.repeat(4, (round) => attacker.send(paths[round % 2]!));
    },
  },
  {
    name: "import folders",
    reason: "an exported folder of 2,000 documents is imported, four at a time",
    without_vectors: true,
    async prepare(attacker) {
      const folder_id = await attacker.newTexts(notes(2_000), 300_000);
      let archive = new Blob();
      await attacker.send(`/folders/${folder_id}/export`, {
        read: async (response) => {
          archive = await response.blob();
        },
      });
      return () =>
        attacker.repeat(4, (round) =>
          attacker.send(`/folders/import?name=Arrived%20${round}`, {
            body: fileForm(archive, "folder.zip"),
          }),
        );
    },
  },
  {
    name: "long captions",
    reason: "captions of 100,000 cues are uploaded, asked and downloaded",
    without_vectors: true,
    async prepare(attacker) {
      const folder_id = await attacker.newFolder();
      const transcribe = () =>
        fetch(`${attacker.order.url}/api/dev/v1/transcriptions?folder_id=${folder_id}`, {
          method: "POST",
          headers: { authorization: `Bearer ${attacker.order.key}` },
          body: fileForm(captions(100_000), `captions ${crypto.randomUUID()}.vtt`),
        });
      const { id } = (await (await transcribe()).json()) as { id: string };
      type Job = { readonly status: string };
      const isOver = async () =>
        (await attacker.call<Job>("GET", `/transcriptions/${id}`)).status === "completed";
      while (!(await isOver())) await Bun.sleep(200);
      await attacker.indexed(folder_id);
      const chat_id = await attacker.newChat(folder_id);
      const steps: (() => Promise<unknown>)[] = [
        async () => attacker.count((await transcribe()).status),
        () =>
          attacker.send(`/chats/${chat_id}/messages`, {
            body: { text: "When was the mooring of number 70000 lifted?" },
          }),
        () => attacker.send(`/transcriptions/${id}/result?format=json`),
        () => attacker.send(`/transcriptions/${id}/result?format=srt`),
      ];
      return () => attacker.repeat(4, (round) => steps[round % steps.length]!());
    },
  },
];
