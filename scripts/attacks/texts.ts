/** Cases: long texts, and the deletion of many documents. */
import { makeText } from "../bench/text";
import type { Case } from "./case";
import { fileForm, notes, textFile } from "./seeds";

const mib = 2 ** 20;
const minutes_20 = 1_200_000;
const deleteFolder = (documents: number): Case => ({
  name: `delete folder of ${documents}`,
  reason: `one DELETE removes ${documents} documents`,
  without_vectors: true,
  only_named: documents > 10_000,
  async prepare(attacker) {
    const folder_id = await attacker.newTexts(notes(documents), minutes_20);
    return async () => {
      await attacker.send(`/folders/${folder_id}`, { method: "DELETE" });
      await attacker.purged();
    };
  },
});

export const text_cases: readonly Case[] = [
  {
    name: "index 12 MB texts",
    reason: "six texts of 12 MB are being indexed, and get their vectors",
    async prepare(attacker) {
      const content = makeText(1, 12 * mib);
      const folder_id = await attacker.newFolder();
      return async () => {
        for (let at = 0; at < 6; at++)
          await attacker.send("/documents", { body: { folder_id, name: `Long ${at}`, content } });
      };
    },
  },
  {
    name: "index 60 MB",
    reason: "one text of 60 MB is uploaded and indexed",
    async prepare(attacker) {
      const folder_id = await attacker.newFolder();
      const form = fileForm(textFile(60 * mib, 1), "long.txt");
      return () => attacker.send(`/documents/file?folder_id=${folder_id}`, { body: form });
    },
  },
  {
    name: "post 15 MB texts",
    reason: "texts of 15 MB as JSON, four at a time",
    without_vectors: true,
    async prepare(attacker) {
      const content = makeText(2, 15 * mib);
      const folder_id = await attacker.newFolder();
      return () =>
        attacker.repeat(4, (at) =>
          attacker.send("/documents", { body: { folder_id, name: `Long ${at}`, content } }),
        );
    },
  },
  deleteFolder(10_000),
  deleteFolder(50_000),
  {
    name: "delete 20 MB texts",
    reason: "six texts of 20 MB are deleted at once",
    without_vectors: true,
    async prepare(attacker) {
      const folder_id = await attacker.newFolder();
      for (let at = 0; at < 6; at++)
        await attacker.send(`/documents/file?folder_id=${folder_id}`, {
          body: fileForm(textFile(20 * mib, at), `long ${at}.txt`),
        });
      await attacker.indexed(folder_id);
      const ids = await attacker.documentIds(folder_id);
      return async () => {
        const path = (id: string) => `/documents/${id}?folder_id=${folder_id}`;
        await Promise.all(ids.map((id) => attacker.send(path(id), { method: "DELETE" })));
        await attacker.send(`/folders/${folder_id}`, { method: "DELETE" });
        await attacker.purged();
      };
    },
  },
  {
    name: "retitle 12 MB",
    reason: "a text of 12 MB is renamed again and again",
    without_vectors: true,
    async prepare(attacker) {
      const folder_id = await attacker.newTexts([makeText(3, 12 * mib)]);
      const [id] = await attacker.documentIds(folder_id);
      return () =>
        attacker.repeat(2, async (round) => {
          const body = { name: `Title ${round}` };
          await attacker.send(`/documents/${id}`, { method: "PATCH", body });
        });
    },
  },
  {
    name: "get 60 MB",
    reason: "a text of 60 MB is read, four at once",
    without_vectors: true,
    async prepare(attacker) {
      const folder_id = await attacker.newFolder();
      const body = fileForm(textFile(60 * mib, 1), "long.txt");
      await attacker.send(`/documents/file?folder_id=${folder_id}`, { body });
      await attacker.indexed(folder_id);
      const [id] = await attacker.documentIds(folder_id);
      return () => attacker.repeat(4, () => attacker.send(`/documents/${id}`));
    },
  },
];
