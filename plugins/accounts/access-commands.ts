/** The commands that control access: activating users, roles, sessions. */
import { printRows } from "../../core/lib/print-rows";
import {
  notFound,
  rfc3339,
  UsageError,
  type Command,
  type CommandHandler,
  type CommandInput,
} from "../../core/sdk";
import { sessionsChanged, type AccountContext } from "./context";
import type { Role, User } from "./contract";
import type { AccountService } from "./service";
import { foldedEmail } from "./user";
import { deleteSessionById, deleteSessions, newestSessions } from "./session-store";
import { liveSince } from "./sessions";

const email_option = { flags: "--email <email>", description: "the user's email", required: true };
const user_option = { flags: "--user <email or id>", description: "only this user's" };
/** Dropped-in plugins may handle events about users. */
export const with_plugins = { loads_plugins: true } as const;
const json_option = { flags: "--json", description: "print one JSON array" };
const listed_max = 1_000;

export const accessCommands = {
  userDeactivate: {
    ...with_plugins,
    name: "user deactivate",
    summary: "Sign a user out everywhere and reject their keys, until they are activated again.",
    changes: true,
    options: [email_option],
  },
  userActivate: {
    ...with_plugins,
    name: "user activate",
    summary: "Activate a deactivated user.",
    changes: true,
    options: [email_option],
  },
  userRole: {
    ...with_plugins,
    name: "user role",
    summary: "Change a user's role.",
    changes: true,
    options: [
      email_option,
      {
        flags: "--role <role>",
        description: "the user's role",
        required: true,
        choices: ["admin", "member"],
      },
    ],
  },
  userDelete: {
    ...with_plugins,
    name: "user delete",
    summary:
      "Delete a user permanently, with their folders, documents, chats, keys and " +
      "everything else.",
    changes: true,
    options: [email_option, { flags: "--yes", description: "don't ask for confirmation" }],
  },
  sessionList: {
    name: "session list",
    summary: "List who is signed in to the console, newest first.",
    options: [user_option, json_option],
  },
  sessionEnd: {
    name: "session end",
    summary: "End one session by its id, or all sessions of a user.",
    changes: true,
    args: ["id?"],
    options: [{ flags: "--user <email or id>", description: "all sessions of this user" }],
  },
} satisfies Record<string, Command>;

/** What the commands need besides `Context`. */
export interface AccessCommandContext extends Pick<
  AccountContext,
  "db" | "inDeletion" | "notify" | "now_ms"
> {
  readonly accounts: Pick<AccountService, "changeUser" | "deleteUser" | "findUser">;
}

export const accessCommandHandlers = (
  ctx: AccessCommandContext,
): { readonly [N in keyof typeof accessCommands]: CommandHandler } => {
  const { accounts, db } = ctx;
  const change =
    (change_to: Parameters<AccountService["changeUser"]>[1], report: (user: User) => string) =>
    async ({ options, print, about }: Parameters<CommandHandler>[0]): Promise<void> => {
      const { id } = await accounts.findUser(text(options.email));
      about(id);
      print(report(await accounts.changeUser(id, change_to)));
    };
  return {
    userDeactivate: change(
      { active: false },
      ({ email }) => `Deactivated ${email}. Their keys are rejected from the next request on.`,
    ),
    userActivate: change({ active: true }, ({ email }) => `Activated ${email}.`),
    userRole: async (input) => {
      const role = text(input.options.role) as Role;
      await change({ role }, ({ email }) => `Changed the role of ${email} to ${role}.`)(input);
    },
    userDelete: (input) => deleteUser(accounts, input),
    sessionList: async ({ options, print }) => {
      const user = options.user ? await accounts.findUser(text(options.user)) : undefined;
      printRows(
        (await newestSessions(db, user?.id, liveSince(ctx.now_ms()), listed_max)).map(
          (session) => ({
            id: session.id,
            user: session.email,
            address: session.address,
            created_at: rfc3339(session.created_at),
            last_seen_at: rfc3339(session.last_seen_at),
          }),
        ),
        { json: Boolean(options.json), empty: "Nobody is signed in.", print },
      );
    },
    sessionEnd: async ({ args: [session_id], options, print, about }) => {
      if ((session_id === undefined) === (options.user === undefined))
        throw new UsageError("specify a session by its id, or a user with --user");
      if (options.user) {
        const { id, email } = await accounts.findUser(text(options.user));
        about(id);
        await ctx.inDeletion((tx) => deleteSessions(tx, id));
        ctx.notify(sessionsChanged(id));
        return print(`Ended all sessions of ${email}.`);
      }
      const id = session_id!;
      about(id);
      const user_id = await ctx.inDeletion((tx) => deleteSessionById(tx, id));
      if (user_id === undefined) throw notFound("session");
      ctx.notify(sessionsChanged(user_id, id));
      print(`Ended ${id}.`);
    },
  };
};

async function deleteUser(
  accounts: Pick<AccountService, "deleteUser" | "findUser">,
  { options, ask, print, about }: CommandInput,
): Promise<void> {
  const { id, email } = await accounts.findUser(text(options.email));
  about(id);
  if (!options.yes) {
    const typed = await ask(
      `This permanently deletes ${email} with all their folders, documents, chats and ` +
        "keys. Type the email to confirm: ",
    );
    if (foldedEmail(typed) !== foldedEmail(email))
      throw new Error("the email does not match. Nothing was deleted");
  }
  await accounts.deleteUser(id);
  print(
    `Deleted ${email}. Their data is removed from the disk in the background, while the ` +
      "server is running.",
  );
}

const text = (option: string | boolean | undefined): string =>
  typeof option === "string" ? option : "";
