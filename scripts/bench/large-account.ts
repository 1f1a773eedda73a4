/**
 * An account with a folder of very many documents, shared by the rows that need it and created
 * once.
 */
import { cpSync } from "node:fs";
import { addTexts, startDossier, temporaryDirectory, type TemporaryDirectory } from "./server";
import { makeText } from "./text";

/** The number of its documents. */
export const documents = Number(process.env.BENCH_LARGE_SCOPE ?? 50_000);
/** The length of each text, in characters. */
export const text_length = 3_600;
/** Texts are sent in batches, which the measuring process holds in memory. */
const texts_at_once = 5_000;

/** Its key, and its folder. */
export interface LargeAccount {
  readonly key: string;
  readonly folder_id: string;
}
interface Filled extends LargeAccount {
  readonly at: TemporaryDirectory;
}
let filled: Promise<Filled> | undefined;

/** Copies the data of the account to `directory`, where no server runs. */
export async function copyLargeAccount(directory: string): Promise<LargeAccount> {
  const { at, ...account } = await (filled ??= fill());
  cpSync(at.directory, directory, { recursive: true });
  return account;
}

/** After the last row. */
export async function removeLargeAccount(): Promise<void> {
  (await filled)?.at.remove();
}

async function fill(): Promise<Filled> {
  const at = temporaryDirectory();
  const dossier = await startDossier(at.directory);
  try {
    const { id } = await dossier.call<{ id: string }>("POST", "/folders", { name: "Everything" });
    for (let first = 0; first < documents; first += texts_at_once) {
      const size = Math.min(texts_at_once, documents - first);
      const texts = Array.from({ length: size }, (_, i) => makeText(first + i, text_length));
      await addTexts(dossier, id, texts, 900_000);
    }
    return { at, key: dossier.key, folder_id: id };
  } finally {
    await dossier.stop();
  }
}
