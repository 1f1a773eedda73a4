/** The commands about users and keys: options in, one call to the service, lines out. */
import { printRows, type PrintedRow } from "../../core/lib/print-rows";
import { rfc3339, rfc3339OrNull, type Command, type CommandHandler } from "../../core/sdk";
import { with_plugins } from "./access-commands";
import type { Key, Role, Scope, User } from "./contract";
import type { FirstAdmin } from "./first-admin";
import { parseTime } from "./key";
import type { AccountService } from "./service";

const email_option = { flags: "--email <email>", description: "the user's email", required: true };
const password_option = {
  flags: "--password-stdin",
  description: "read the password from standard input",
  required: true,
};
const user_option = { flags: "--user <email or id>", description: "whose keys", required: true };
const json_option = { flags: "--json", description: "print one JSON array" };

export const commands = {
  userCreate: {
    ...with_plugins,
    name: "user create",
    changes: true,
    summary: "Create a user.",
    starts_data: true,
    options: [
      email_option,
      {
        flags: "--role <role>",
        description: "the user's role",
        choices: ["admin", "member"],
        default: "member",
      },
      password_option,
    ],
  },
  userList: { name: "user list", summary: "List users, newest first.", options: [json_option] },
  userPasswd: {
    name: "user passwd",
    changes: true,
    summary: "Change a user's password.",
    options: [email_option, password_option],
  },
  keyCreate: {
    name: "key create",
    changes: true,
    summary: "Create an API key and print it. It is shown only this once.",
    options: [
      user_option,
      { flags: "--name <name>", description: "what the key is for", required: true },
      {
        flags: "--scopes <scopes>",
        description: "what the key may do: read, write or both",
        default: "read,write",
      },
      {
        flags: "--expires <date>",
        description: "when it expires, such as 2027-01-01 (default: never)",
      },
    ],
  },
  keyList: {
    name: "key list",
    summary: "List a user's keys, newest first.",
    options: [user_option, json_option],
  },
  keyDeactivate: {
    name: "key deactivate",
    changes: true,
    summary: "Deactivate a key permanently.",
    args: ["id"],
  },
  setup: {
    name: "setup",
    changes: true,
    summary: "Print a one-time link that creates the first administrator of a new server.",
    starts_data: true,
    // Earlier versions require it.
    options: [{ flags: "--link", description: "the same as without it" }],
  },
} satisfies Record<string, Command>;

export const commandHandlers = (
  accounts: AccountService,
  first_admin: FirstAdmin,
): { readonly [N in keyof typeof commands]: CommandHandler } => ({
  userCreate: async ({ options, print, stdin, about }) => {
    const user = await accounts.createUser({
      email: text(options.email),
      password: await stdin(),
      role: text(options.role) as Role,
    });
    about(user.id);
    print(`Created ${user.email} (${user.id}), ${user.role}.`);
  },
  userList: async ({ options, print }) =>
    printRows((await accounts.listUsers()).map(userRow), {
      json: Boolean(options.json),
      empty: "There are no users.",
      print,
    }),
  userPasswd: async ({ options, print, stdin, about }) => {
    const user = await accounts.findUser(text(options.email));
    about(user.id);
    await accounts.changePassword(user.id, await stdin());
    print(`Changed the password of ${user.email}.`);
  },
  keyCreate: async ({ options, print, about }) => {
    const { key, token } = await accounts.createKey(
      (await accounts.findUser(text(options.user))).id,
      {
        name: text(options.name),
        scopes: text(options.scopes)
          .split(",")
          .map((scope) => scope.trim()) as Scope[],
        expires_at: options.expires === undefined ? null : parseTime(text(options.expires)),
      },
    );
    about(key.id);
    print(token);
  },
  keyList: async ({ options, print }) => {
    const user = await accounts.findUser(text(options.user));
    printRows((await accounts.listKeys(user.id)).map(keyRow), {
      json: Boolean(options.json),
      empty: `${user.email} has no keys.`,
      print,
    });
  },
  keyDeactivate: async ({ args, print, about }) => {
    const key = await accounts.deactivateKey(args[0]!);
    about(key.id);
    print(`Deactivated ${key.id} (${key.name}). It is rejected from the next request on.`);
  },
  setup: async ({ print }) => print(await first_admin.newLink()),
});

const text = (option: string | boolean | undefined): string =>
  typeof option === "string" ? option : "";

const userRow = ({ id, email, role, active, created_at }: User): PrintedRow => ({
  id,
  email,
  role,
  active,
  created_at: rfc3339(created_at),
});
const keyRow = ({
  id,
  name,
  prefix,
  scopes,
  active,
  created_at,
  expires_at,
  last_used_at,
}: Key): PrintedRow => ({
  id,
  name,
  prefix,
  scopes,
  active,
  created_at: rfc3339(created_at),
  expires_at: rfc3339OrNull(expires_at),
  last_used_at: rfc3339OrNull(last_used_at),
});
