/**
 * Commands that do what a page of the console does. They call the API of the running server, so the
 * result is the same.
 */
import { counted } from "../../core/lib/counted";
import { printRows } from "../../core/lib/print-rows";
import { definePlugin, UsageError, type Command, type CommandHandler } from "../../core/sdk";
import { Accounts } from "../accounts/contract";
import { ask, linesOf, pendingNote } from "./ask";
import { chooseFiles } from "./chosen-files";
import { listDocuments, listed_max } from "./document-list";
import { exportFolder, importFolder, leftOut } from "./folder-archive";
import { addFiles } from "./document-add";
import { linesOf as linesOfPassages, search } from "./search";
import { userOf, withServer, type ClientContext } from "./server-client";

const user_option = {
  flags: "--user <email or id>",
  description: "the user to act as (default: the only user)",
};

const commands = {
  folderCreate: {
    name: "folder create",
    summary: "Create a folder and print its id. The server must be running.",
    args: ["name"],
    options: [
      { flags: "--below <name or id>", description: "the parent folder" },
      { flags: "--description <text>", description: "a description" },
      user_option,
    ],
  },
  documentAdd: {
    name: "document add",
    summary: "Add files to a folder. The server must be running.",
    args: ["files..."],
    options: [
      { flags: "--folder <name or id>", description: "the folder to add them to", required: true },
      user_option,
      {
        flags: "--recursive",
        description: "add the files of directories too; subdirectories become subfolders",
      },
      { flags: "--overwrite", description: "replace documents with the same name" },
      { flags: "--wait", description: "wait until they are indexed" },
      { flags: "--json", description: "print one JSON array" },
    ],
  },
  documentList: {
    name: "document list",
    summary:
      `List the documents of a folder, newest first, ${listed_max} at most. The server must be ` +
      "running.",
    options: [
      { flags: "--folder <name or id>", description: "the folder", required: true },
      {
        flags: "--status <status>",
        description: "only documents with this status",
        choices: ["syncing", "synced", "sync_failed"],
      },
      user_option,
      { flags: "--json", description: "print one JSON array" },
    ],
  },
  folderExport: {
    name: "export",
    summary: "Export a folder and everything in it to one file. The server must be running.",
    options: [
      { flags: "--folder <name or id>", description: "the folder to export", required: true },
      { flags: "--to <file>", description: "the file to write (default: the folder's name, .zip)" },
      user_option,
    ],
  },
  folderImport: {
    name: "import",
    changes: true,
    summary: "Import a folder from an exported file. The server must be running.",
    args: ["file"],
    options: [
      user_option,
      { flags: "--name <name>", description: "the name of the folder" },
      { flags: "--json", description: "print the import as JSON" },
    ],
  },
  ask: {
    name: "ask",
    summary: "Ask a question about the documents in a folder. The server must be running.",
    args: ["question"],
    options: [
      { flags: "--folder <name or id>", description: "the folder to ask", required: true },
      user_option,
      { flags: "--json", description: "print the answer as JSON" },
    ],
  },
  search: {
    name: "search",
    summary: "Search passages, best first. The server must be running.",
    args: ["query"],
    options: [
      { flags: "--folder <name or id>", description: "only this folder (default: all folders)" },
      { flags: "--limit <number>", description: "passages to print, up to 50", default: "10" },
      user_option,
      { flags: "--json", description: "print one JSON array" },
    ],
  },
} satisfies Record<string, Command>;

type Handlers<N extends keyof typeof commands> = { readonly [K in N]: CommandHandler };

const folderHandlers = (
  ctx: ClientContext,
): Handlers<"folderCreate" | "folderExport" | "folderImport"> => ({
  folderCreate: async ({ args, options, print }) => {
    const user = await userOf(ctx.accounts, options.user);
    const { id } = await withServer(ctx, user, async (server) => {
      const below = typeof options.below === "string" ? options.below : undefined;
      return server.createFolder({
        name: args[0],
        description: options.description,
        parentId: below === undefined ? undefined : (await server.folder(below)).id,
      });
    });
    print(id);
  },
  folderExport: async ({ options, print }) => {
    const user = await userOf(ctx.accounts, options.user);
    const to = typeof options.to === "string" ? options.to : undefined;
    const { path, bytes } = await withServer(ctx, user, async (server) =>
      exportFolder(server, await server.folder(String(options.folder)), to),
    );
    print(`${path} (${bytes} bytes)`);
  },
  folderImport: async ({ about, args, options, print }) => {
    const user = await userOf(ctx.accounts, options.user);
    const name = typeof options.name === "string" ? options.name : undefined;
    const run = await withServer(ctx, user, (server) =>
      importFolder(server, args[0]!, { name, say: options.json ? () => undefined : print }),
    );
    about(run.folder_id!);
    if (options.json) return print(JSON.stringify(run, null, 2));
    const missing = leftOut(run);
    if (missing !== null) print(missing);
    print(`${run.folder_id} (${counted(run.completed_document_count, "document")})`);
  },
});

const documentHandlers = (
  ctx: ClientContext,
): Handlers<"documentAdd" | "documentList" | "ask" | "search"> => ({
  documentAdd: async ({ args, options, print }) => {
    const { files, hidden } = chooseFiles(args, Boolean(options.recursive));
    const say = options.json ? () => undefined : print;
    const user = await userOf(ctx.accounts, options.user);
    if (hidden > 0) say(`Skipped ${counted(hidden, "hidden file")}.`);
    const added = await withServer(ctx, user, async (server) =>
      addFiles(server, files, {
        folder: await server.folder(String(options.folder)),
        overwrite: Boolean(options.overwrite),
        wait: Boolean(options.wait),
        print: say,
      }),
    );
    if (added.some(({ status }) => status === "syncing"))
      say(
        "Indexing goes on. `dossier document list` shows what is ready and why the rest failed; " +
          "with --wait this command waits for it.",
      );
    if (options.json) print(JSON.stringify(added, null, 2));
    const failed = added.filter(({ error }) => error !== null).length;
    if (failed > 0)
      throw new Error(`${failed} of ${counted(added.length, "file")} could not be added`);
  },
  documentList: async ({ options, print }) => {
    const user = await userOf(ctx.accounts, options.user);
    const status = typeof options.status === "string" ? options.status : undefined;
    const rows = await withServer(ctx, user, async (server) =>
      listDocuments(server, (await server.folder(String(options.folder))).id, status),
    );
    printRows(rows, { json: Boolean(options.json), empty: "There are none.", print });
  },
  ask: async ({ args, options, print }) => {
    const user = await userOf(ctx.accounts, options.user);
    const { result, note } = await withServer(ctx, user, async (server) => {
      const { id } = await server.folder(String(options.folder));
      const result = await ask(server, args[0]!, [id]);
      return {
        result,
        note: result.outcome === "no_answer" ? await pendingNote(server, id) : null,
      };
    });
    if (options.json) return print(JSON.stringify(result, null, 2));
    for (const line of linesOf(result)) print(line);
    if (note !== null) print(`\nNote: ${note}`);
  },
  search: async ({ args, options, print }) => {
    const limit = Number(options.limit);
    if (!Number.isInteger(limit) || limit < 1)
      throw new UsageError("--limit must be a whole number of at least 1");
    const user = await userOf(ctx.accounts, options.user);
    const passages = await withServer(ctx, user, async (server) => {
      const folder =
        typeof options.folder === "string" ? await server.folder(options.folder) : undefined;
      return search(server, args[0]!, { folder_ids: folder && [folder.id], limit });
    });
    if (options.json) return print(JSON.stringify(passages, null, 2));
    if (passages.length === 0) return print("Nothing was found.");
    for (const line of linesOfPassages(passages)) print(line);
  },
});

export default definePlugin({
  name: "client",
  version: "1.0.0",
  needs: { accounts: Accounts },
  commands,
  setup: (context) => {
    const ctx = { ...context, ...context.services };
    return { commands: { ...folderHandlers(ctx), ...documentHandlers(ctx) } };
  },
});
