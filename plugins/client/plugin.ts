/**
 * Commands that ask the running server what a page of the console would: they speak its API, so
 * they do it as it does.
 */
import { definePlugin, type Command, type CommandHandler } from "../../core/sdk";
import { Accounts } from "../accounts/contract";
import { ask, linesOf } from "./ask";
import { addFiles, requireFiles } from "./document-add";
import { userOf, withServer, type ClientParts } from "./server-client";

const user_option = {
  flags: "--user <email or id>",
  description: "in whose name (default: the only user)",
};

const commands = {
  documentAdd: {
    name: "document add",
    summary: "Add files to a folder. The server must be running.",
    args: ["files..."],
    options: [
      { flags: "--folder <name or id>", description: "where they go", required: true },
      user_option,
      { flags: "--overwrite", description: "replace documents of the same name" },
      { flags: "--wait", description: "until they are indexed" },
      { flags: "--json", description: "print one JSON array" },
    ],
  },
  ask: {
    name: "ask",
    summary: "Ask the documents of a folder. The server must be running.",
    args: ["question"],
    options: [
      { flags: "--folder <name or id>", description: "which documents", required: true },
      user_option,
      { flags: "--json", description: "print the answer as JSON" },
    ],
  },
} satisfies Record<string, Command>;

const commandHandlers = (
  parts: ClientParts,
): { readonly [N in keyof typeof commands]: CommandHandler } => ({
  documentAdd: async ({ args, options, print }) => {
    requireFiles(args);
    const user = await userOf(parts.accounts, options.user);
    const added = await withServer(parts, user, async (server) =>
      addFiles(server, args, {
        folder_id: (await server.folder(String(options.folder))).id,
        overwrite: Boolean(options.overwrite),
        wait: Boolean(options.wait),
        say: options.json ? () => undefined : print,
      }),
    );
    if (options.json) print(JSON.stringify(added, null, 2));
    const failed = added.filter(({ error }) => error !== null).length;
    if (failed > 0) throw new Error(`${failed} of ${added.length} files could not be added`);
  },
  ask: async ({ args, options, print }) => {
    const user = await userOf(parts.accounts, options.user);
    const result = await withServer(parts, user, async (server) =>
      ask(server, args[0]!, [(await server.folder(String(options.folder))).id]),
    );
    if (options.json) print(JSON.stringify(result, null, 2));
    else for (const line of linesOf(result)) print(line);
  },
});

export default definePlugin({
  name: "client",
  version: "1.0.0",
  needs: { accounts: Accounts },
  commands,
  setup: (ctx) => ({ commands: commandHandlers({ ...ctx, ...ctx.services }) }),
});
