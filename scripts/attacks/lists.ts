/** Cases: long lists, and trees of folders. */
import { inParallel } from "../bench/server";
import type { Case } from "./case";
import { notes } from "./seeds";

const documents = 10_000;
const subfolders = 20_000;

export const list_cases: readonly Case[] = [
  {
    name: "deep pages",
    reason: `pages at the end of a list of ${documents} documents, filtered and sorted by name`,
    without_vectors: true,
    async prepare(attacker) {
      const folder_id = await attacker.newTexts(notes(documents), 300_000);
      const queries = ["", "&status=sync_failed", "&sort=name&order=asc", "&name=heron"];
      return () =>
        attacker.repeat(32, (round) => {
          const page = Math.max(1, documents / 200 - (round % 10));
          const more = queries[round % queries.length]!;
          return attacker.send(
            `/documents?folder_id=${folder_id}&per_page=200&page=${page}${more}`,
          );
        });
    },
  },
  {
    name: "lists of a folder tree",
    reason: `lists of ${subfolders} folders, and of all their documents by other protocols`,
    without_vectors: true,
    async prepare(attacker) {
      await attacker.newTree(subfolders);
      const paths = ["/folders?per_page=200&page=100", "//v1/models", "//v1/vector_stores"];
      return () => attacker.repeat(16, (round) => attacker.send(paths[round % paths.length]!));
    },
  },
  {
    name: "questions over a folder tree",
    reason: `questions and searches over a folder with ${subfolders} subfolders`,
    without_vectors: true,
    async prepare(attacker) {
      const root_id = await attacker.newTree(subfolders);
      const chat_id = await attacker.newChat(root_id);
      return () =>
        attacker.repeat(8, async (round) => {
          const text = `Where does the heron of number ${round} stand?`;
          await attacker.send(`/chats/${chat_id}/messages`, { body: { text } });
          await attacker.send("/search", { body: { query: text, folder_ids: [root_id] } });
          await attacker.send(`/suggested-questions?folder_ids=${root_id}`);
        });
    },
  },
  {
    name: "renames in a folder tree",
    reason: `a folder with ${subfolders} subfolders is renamed, and documents are moved in it`,
    without_vectors: true,
    async prepare(attacker) {
      const root_id = await attacker.newTree(subfolders);
      const from_id = await attacker.newTexts(notes(200));
      const to_id = await attacker.newFolder("Other");
      const document_ids = await attacker.documentIds(from_id);
      return () =>
        attacker.repeat(4, async (round) => {
          const body = { name: `Tree ${round}` };
          await attacker.send(`/folders/${root_id}`, { method: "PUT", body });
          const [folder_id, to_folder_id] = round % 2 === 0 ? [from_id, to_id] : [to_id, from_id];
          await attacker.send("/documents/batch", {
            body: { action: "move", document_ids, folder_id, to_folder_id },
          });
        });
    },
  },
  {
    name: "chats over many folders",
    reason: "pages of 200 chats over 200 folders each, 32 at a time",
    without_vectors: true,
    async prepare(attacker) {
      const usedFolders: string[] = [];
      await inParallel(200, 8, async (at) => {
        usedFolders.push(await attacker.newFolder(`Folder ${at}`));
      });
      await inParallel(200, 8, async () => {
        await attacker.call("POST", "/chats", { usedFolders });
      });
      return () => attacker.repeat(32, () => attacker.send("/chats?per_page=200"));
    },
  },
  {
    name: "delete folder tree",
    reason: `one DELETE removes a folder with ${subfolders} subfolders`,
    without_vectors: true,
    async prepare(attacker) {
      const root_id = await attacker.newTree(subfolders);
      return () => attacker.send(`/folders/${root_id}`, { method: "DELETE" });
    },
  },
  {
    name: "delete chats",
    reason: "1,000 chats with questions are deleted for good, 32 at a time",
    without_vectors: true,
    async prepare(attacker) {
      const folder_id = await attacker.newTexts(notes(10));
      const ids: string[] = [];
      await inParallel(1_000, 8, async () => {
        const id = await attacker.newChat(folder_id);
        ids.push(id);
        const body = { text: `Where does the heron stand? ${"x".repeat(8_000)}` };
        await attacker.send(`/chats/${id}/messages`, { body });
      });
      return () =>
        inParallel(ids.length, 32, async (at) => {
          await attacker.send(`/chats/${ids[at]}?permanent=true`, { method: "DELETE" });
        });
    },
  },
];
