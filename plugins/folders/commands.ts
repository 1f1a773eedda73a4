/** The command that lists folders. */
import { printRows } from "../../core/lib/print-rows";
import { rfc3339, type Command, type CommandHandler, type Context } from "../../core/sdk";
import type { Accounts } from "../accounts/contract";
import { allFolders } from "./store";

const listed_max = 10_000;

export const commands = {
  folderList: {
    name: "folder list",
    summary: "List folders, newest first.",
    options: [
      { flags: "--user <email or id>", description: "only this user's" },
      { flags: "--json", description: "print one JSON array" },
    ],
  },
} satisfies Record<string, Command>;

export const commandHandlers = ({
  db,
  accounts,
}: Pick<Context, "db"> & { readonly accounts: Accounts }): {
  readonly [N in keyof typeof commands]: CommandHandler;
} => ({
  folderList: async ({ options, print }) => {
    const users = new Map((await accounts.listUsers()).map(({ id, email }) => [id, email]));
    const user =
      typeof options.user === "string" ? await accounts.findUser(options.user) : undefined;
    const folders = await allFolders(db, user?.id, listed_max);
    const names = new Map(folders.map(({ id, name }) => [id, name]));
    printRows(
      folders.map((folder) => ({
        id: folder.id,
        user: users.get(folder.owner_id) ?? folder.owner_id,
        name: folder.name,
        below: folder.parent_id === null ? null : (names.get(folder.parent_id) ?? folder.parent_id),
        syncing: folder.syncing_count,
        synced: folder.synced_count,
        sync_failed: folder.failed_count,
        created_at: rfc3339(folder.created_at),
      })),
      { json: Boolean(options.json), empty: "There are no folders.", print },
    );
  },
});
