/** `dossier export` and `dossier import`: writes a folder to one file, and reads it back. */
import { counted } from "../../core/lib/counted";
import { existsSync, statSync } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { basename, resolve } from "node:path";
import type { NamedFolder, ServerClient } from "./server-client";

interface FolderImport {
  readonly id: string;
  readonly status: "pending" | "running" | "completed" | "failed";
  readonly folder_id: string | null;
  readonly document_count: number;
  readonly completed_document_count: number;
  readonly counts: Readonly<Record<"chats" | "messages" | "prompts", number>> | null;
  readonly left_out: Readonly<Record<string, number>> | null;
  readonly error: { readonly message: string } | null;
}

const look_every_ms = 250;

/**
 * Writes the archive of a folder to a file, which gets its final name once it is complete; returns
 * its path and size in bytes. @throws Error when the file exists already, or the server refuses
 */
export async function exportFolder(
  server: ServerClient,
  { id, name }: NamedFolder,
  to: string | undefined,
): Promise<{ readonly path: string; readonly bytes: number }> {
  const path = resolve(to ?? `${name.replaceAll(/[/\\\0]/g, "_")}.zip`);
  if (existsSync(path))
    throw new Error(`the file ${path} already exists. Choose another one with --to`);
  const partial = `${path}.partial`;
  const response = await server.open("GET", `/folders/${id}/export`);
  const file = await open(partial, "w", 0o600);
  let bytes = 0;
  try {
    for await (const chunk of response.body!) {
      await file.writeFile(chunk);
      bytes += chunk.byteLength;
    }
    await file.sync();
    await file.close();
    await rename(partial, path);
    return { path, bytes };
  } catch (error) {
    await file.close().catch(() => {});
    await rm(partial, { force: true });
    throw error;
  }
}

/**
 * Uploads an archive and waits until its folder has been imported. @throws Error with a readable
 * message
 */
export async function importFolder(
  server: ServerClient,
  file: string,
  { name, say }: { readonly name: string | undefined; readonly say: (line: string) => void },
): Promise<FolderImport> {
  if (!existsSync(file) || !statSync(file).isFile()) throw new Error(`there is no file ${file}`);
  const form = new FormData();
  // A lazy reference: the file is read while it is sent.
  form.set("file", Bun.file(file), basename(file));
  const query = name === undefined ? "" : `?${new URLSearchParams({ name }).toString()}`;
  let run = await server.call<FolderImport>("POST", `/folders/import${query}`, { form });
  for (let last = ""; run.status === "pending" || run.status === "running";) {
    const line = `${run.completed_document_count} of ${counted(run.document_count, "document")}`;
    if (line !== last && run.document_count > 0) {
      say(line);
      last = line;
    }
    await Bun.sleep(look_every_ms);
    run = await server.call("GET", `/folder-imports/${run.id}`);
  }
  if (run.status === "failed") throw new Error(run.error?.message ?? "the import failed");
  return run;
}

/** A sentence on what the archive did not contain; null when it was complete. */
export function leftOut(run: FolderImport): string | null {
  const left_out = Object.entries(run.left_out ?? {}).filter(([, count]) => count > 0);
  return left_out.length === 0
    ? null
    : "Not included in the archive: " +
        `${left_out.map(([kind, count]) => `${count} ${kind}`).join(", ")}.`;
}
