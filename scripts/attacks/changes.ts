/** Cases: changes that reach much else: links, answers that cite, and names. */
import { inParallel } from "../bench/server";
import { makeQuery, makeText } from "../bench/text";
import type { Attacker } from "./attacker";
import type { Case } from "./case";
import { fileForm, notes } from "./seeds";

/** As many as there may be. */
const folders = 1_000;
const linked = 8;

/** Documents that are each in so many folders. Returns their ids and one of the folders. */
async function manyLinks(attacker: Attacker, documents: number, folders: number) {
  const folder_id = await attacker.newTexts(notes(documents), 300_000);
  const document_ids = await attacker.documentIds(folder_id);
  await inParallel(folders - 1, 8, async (at) => {
    const to_folder_id = await attacker.newFolder(`Folder ${at}`);
    await attacker.call("POST", "/documents/batch", {
      action: "link",
      document_ids,
      folder_id,
      to_folder_id,
    });
  });
  return { folder_id, document_ids };
}

/** A long text, uploaded as a file of this name. */
const upload = (attacker: Attacker, folder_id: string, text: string) =>
  attacker.send(`/documents/file?folder_id=${folder_id}&overwrite=true`, {
    body: fileForm(text, "long.txt"),
  });

/** A folder of ten texts with so many headings that one of them takes megabytes. */
async function manyHeadings(attacker: Attacker): Promise<string> {
  const folder_id = await attacker.newFolder();
  const text = Array.from(
    { length: 50_000 },
    (_, at) => `# The heron of number ${at} 🐦\n\nA text.\n\n`,
  );
  for (let at = 0; at < 10; at++) {
    const body = fileForm(`${text.join("")}${at}`, `long ${at}.md`);
    await attacker.send(`/documents/file?folder_id=${folder_id}`, { body });
  }
  await attacker.indexed(folder_id);
  return folder_id;
}

export const change_cases: readonly Case[] = [
  {
    name: "documents in many folders",
    reason: `${linked} documents in ${folders} folders each are taken out, put back and retitled`,
    without_vectors: true,
    async prepare(attacker) {
      const { folder_id, document_ids } = await manyLinks(attacker, linked, folders);
      const batch = (action: string) =>
        attacker.send("/documents/batch", { body: { action, document_ids, folder_id } });
      return () =>
        Promise.all([
          attacker.repeat(2, async (round) => {
            await batch(round % 2 === 0 ? "unlink" : "restore");
            await batch("reindex");
          }),
          attacker.repeat(16, (round) =>
            attacker.send(`/documents/${document_ids[round % linked]!}`, {
              method: "PATCH",
              body: { name: `Name ${round}` },
            }),
          ),
        ]);
    },
  },
  {
    name: "lists of linked documents",
    reason: "pages of 200 documents that are in 120 folders each, eight at a time",
    without_vectors: true,
    async prepare(attacker) {
      const { folder_id } = await manyLinks(attacker, 200, 120);
      return () =>
        attacker.repeat(8, () => attacker.send(`/documents?folder_id=${folder_id}&per_page=200`));
    },
  },
  {
    name: "many headings",
    reason: "questions to start with from ten texts of 50,000 headings, beside searches",
    without_vectors: true,
    async prepare(attacker) {
      const folder_id = await manyHeadings(attacker);
      const path = `/suggested-questions?folder_ids=${folder_id}`;
      return () =>
        Promise.all([
          attacker.repeat(8, () => attacker.send(path)),
          attacker.repeat(4, (round) =>
            attacker.send("/search", { body: { query: `the heron of number ${round}` } }),
          ),
        ]);
    },
  },
  {
    name: "outlines of many headings",
    reason: "outlines of texts of 50,000 headings, eight at a time",
    without_vectors: true,
    async prepare(attacker) {
      const ids = await attacker.documentIds(await manyHeadings(attacker));
      const session = await attacker.signIn();
      return () =>
        attacker.repeat(8, (round) => {
          const path = `//console/api/v1/documents/${ids[round % ids.length]!}/outline`;
          return attacker.send(path, session);
        });
    },
  },
  {
    name: "answers of an older version",
    reason: "200 answers that cite a text of 12 MB are listed after another version has come",
    without_vectors: true,
    async prepare(attacker) {
      const folder_id = await attacker.newFolder();
      const text = makeText(1, 12_000_000);
      await upload(attacker, folder_id, text);
      await attacker.indexed(folder_id);
      const chat_id = await attacker.newChat(folder_id);
      await inParallel(200, 8, async (at) => {
        const requestId = crypto.randomUUID();
        const path = `/chats/${chat_id}/messages`;
        const question = makeQuery(text.slice(at * 50_000, at * 50_000 + 300), at);
        await attacker.send(path, { body: { text: question, requestId } });
        await attacker.send(`${path}/${requestId}`, { headers: { prefer: "wait=60" } });
      });
      await upload(attacker, folder_id, makeText(2, 12_000_000));
      await attacker.indexed(folder_id);
      return () =>
        attacker.repeat(8, () => attacker.send(`/chats/${chat_id}/messages?per_page=200`));
    },
  },
];
