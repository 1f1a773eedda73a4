/** The routes of API keys and, for administrators, of users. Only part of the console. */
import {
  OneOf,
  badRequest,
  Nullable,
  PageOf,
  PageQuery,
  reply,
  rfc3339,
  rfc3339OrNull,
  route,
  t,
  Timestamp,
  toPage,
  type HandlersOf,
  named,
} from "../../core/sdk";
import type { Key, User } from "./contract";
import { Role } from "./routes";
import type { Invitations } from "./invitations";
import { parseTime } from "./key";
import type { AccountService } from "./service";

const surface = "console";
const Scope = named("KeyScope", OneOf(["read", "write"]));

const KeyRecord = named(
  "Key",
  t.Object({
    id: t.String(),
    name: t.String(),
    prefix: t.String({ description: "How the key starts." }),
    scopes: t.Array(Scope),
    active: t.Boolean(),
    created_at: Timestamp(),
    expires_at: Nullable(Timestamp()),
    last_used_at: Nullable(Timestamp()),
  }),
);
const NewKeyRecord = named(
  "KeyWithToken",
  t.Composite([
    KeyRecord,
    t.Object({ token: t.String({ description: "The key itself, shown only here." }) }),
  ]),
);
const UserRecord = named(
  "User",
  t.Object({
    id: t.String(),
    email: t.String(),
    role: Role,
    active: t.Boolean(),
    invited: t.Boolean({ description: "The invitation was not used yet." }),
    created_at: Timestamp(),
    last_seen_at: Nullable(Timestamp(), "In the console, or by an API key."),
    invite_expires_at: Nullable(
      Timestamp(),
      "Of somebody who is invited: when the link ends, or has ended.",
    ),
  }),
);

const key_example = {
  id: "key_01KAJ2Z9Q4W7N8X5R3T6V1Y0BC",
  name: "laptop",
  prefix: "dsk_4fK2mQ9xT1aB",
  scopes: ["read", "write"],
  active: true,
  created_at: "2026-11-21T09:00:00.000Z",
  expires_at: null,
  last_used_at: null,
};
const user_example = {
  id: "usr_01KAJ2Z9Q4W7N8X5R3T6V1Y0BC",
  email: "bob@example.com",
  role: "member",
  active: true,
  invited: true,
  created_at: "2026-11-21T09:00:00.000Z",
  last_seen_at: null,
  invite_expires_at: "2026-11-28T09:30:00.000Z",
};
const last_admin = { last_admin: "This is the last active administrator." };
const invite_example = "https://dossier.example.com/console/invite#t=dsi_…";

export const adminRoutes = {
  keys: route.get("/keys", {
    summary: "List one's API keys",
    tag: "Keys",
    operation: "listKeys",
    surface,
    description: "Newest first, deactivated ones included.",
    query: PageQuery,
    answers: {
      200: {
        description: "One page of keys.",
        schema: PageOf(KeyRecord),
        example: toPage([key_example], 1, {}),
      },
    },
  }),
  createKey: route.post("/keys", {
    summary: "Create an API key",
    tag: "Keys",
    operation: "createKey",
    surface,
    description: "`token` is the key itself: it is shown only in this answer.",
    body: t.Object({
      name: t.String(),
      expires_at: t.Optional(
        t.Union([t.String({ description: "RFC 3339; null: never." }), t.Null()]),
      ),
      scopes: t.Optional(t.Array(Scope, { description: "Default: both.", maxItems: 2 })),
    }),
    example: { name: "laptop", expires_at: null, scopes: ["read", "write"] },
    answers: {
      201: {
        description: "The key.",
        schema: NewKeyRecord,
        example: { ...key_example, token: "dsk_…" },
      },
    },
  }),
  deactivateKey: route.post("/keys/:keyId/deactivate", {
    summary: "Deactivate an API key",
    tag: "Keys",
    operation: "deactivateKey",
    surface,
    description: "For good, from the next request on.",
    answers: {
      200: {
        description: "The key.",
        schema: KeyRecord,
        example: { ...key_example, active: false },
      },
    },
  }),
  users: route.get("/users", {
    summary: "List users",
    tag: "Users",
    operation: "listUsers",
    surface,
    admin: true,
    description: "Newest first.",
    query: PageQuery,
    answers: {
      200: {
        description: "One page of users.",
        schema: PageOf(UserRecord),
        example: toPage([user_example], 1, {}),
      },
    },
  }),
  invite: route.post("/users", {
    summary: "Invite a user",
    tag: "Users",
    operation: "inviteUser",
    surface,
    admin: true,
    description:
      "Answers with a link that works once, for seven days: hand it over yourself, Dossier sends " +
      "no mail.",
    body: t.Object({ email: t.String(), role: Role }),
    example: { email: "bob@example.com", role: "member" },
    answers: {
      201: {
        description: "The user, and the invitation.",
        schema: t.Object({ user: UserRecord, invite_url: t.String() }),
        example: { user: user_example, invite_url: invite_example },
      },
    },
    errors: { 409: { email_taken: "There is a user with this email already." } },
  }),
  changeUser: route.patch("/users/:userId", {
    summary: "Change a user",
    tag: "Users",
    operation: "changeUser",
    surface,
    admin: true,
    description:
      "Takes effect at the user's next request. A user who is deactivated is signed out " +
      "everywhere, and none of their keys works.",
    body: t.Object({ role: t.Optional(Role), active: t.Optional(t.Boolean()) }),
    example: { active: false },
    answers: {
      200: {
        description: "The user.",
        schema: UserRecord,
        example: { ...user_example, active: false },
      },
    },
    errors: { 409: last_admin },
  }),
  deleteUser: route.delete("/users/:userId", {
    summary: "Delete a user",
    tag: "Users",
    params: { userId: user_example.id },
    operation: "deleteUser",
    admin: true,
    description:
      "For good, with everything that is theirs: folders, documents, chats, prompts, webhooks, " +
      "imports, transcriptions, keys. They are signed out and gone from every list at once; the " +
      "rest leaves the disk in the background. The audit log keeps what they did.",
    answers: { 204: { description: "The user is deleted." } },
    errors: { 409: last_admin },
  }),
  resetUser: route.post("/users/:userId/reset", {
    summary: "Make a link to a new password",
    tag: "Users",
    operation: "resetUser",
    surface,
    admin: true,
    description:
      "It works once, for 24 hours (seven days for a user who was only invited), and takes the " +
      "place of an earlier one. The old password works until it is used.",
    answers: {
      200: {
        description: "The link.",
        schema: t.Object({ reset_url: t.String() }),
        example: { reset_url: invite_example },
      },
    },
    errors: { 409: { deactivated: "The user is deactivated." } },
  }),
};

/** What the routes of users and keys need. */
export interface AdminServices {
  readonly accounts: AccountService;
  readonly invitations: Invitations;
  /** By user: when they were last seen, and when their link expires. */
  readonly about: (user_ids: readonly string[]) => Promise<AboutUsers>;
}
/** By user id, epoch ms. Users who were never seen, or have no link, are missing. */
export interface AboutUsers {
  readonly last_seen_ms: ReadonlyMap<string, number>;
  readonly link_expires_ms: ReadonlyMap<string, number>;
}

export const adminHandlers = ({
  accounts,
  invitations,
  about: aboutUsers,
}: AdminServices): HandlersOf<typeof adminRoutes> => {
  const userRecord = (
    { id, email, role, active, invited, created_at }: User,
    { last_seen_ms, link_expires_ms }: AboutUsers,
  ) => ({
    id,
    email,
    role,
    active,
    invited,
    created_at: rfc3339(created_at),
    last_seen_at: rfc3339OrNull(last_seen_ms.get(id) ?? null),
    invite_expires_at: rfc3339OrNull(invited ? (link_expires_ms.get(id) ?? null) : null),
  });
  return {
    keys: async ({ caller, query }) => {
      const { rows, total } = await accounts.pageOfKeys(caller.owner_id, query);
      return toPage(rows.map(keyRecord), total, query);
    },
    createKey: async ({ caller, about, body: { name, scopes, expires_at } }) => {
      const { key, token } = await accounts.createKey(caller.owner_id, {
        name,
        ...(scopes ? { scopes } : {}),
        expires_at: expires_at ? expiryOf(expires_at) : null,
      });
      about(key.id);
      return reply(201, { ...keyRecord(key), token }, { "cache-control": "no-store" });
    },
    deactivateKey: async ({ caller, params }) =>
      keyRecord(await accounts.deactivateKey(params.keyId, caller.owner_id)),
    users: async ({ query }) => {
      const { rows, total } = await accounts.pageOfUsers(query);
      const about_users = await aboutUsers(rows.map(({ id }) => id));
      return toPage(
        rows.map((user) => userRecord(user, about_users)),
        total,
        query,
      );
    },
    invite: async ({ body, about }) => {
      const { user, url } = await invitations.invite(body);
      about(user.id);
      return reply(201, {
        user: userRecord(user, await aboutUsers([user.id])),
        invite_url: url,
      });
    },
    changeUser: async ({ params, body }) =>
      userRecord(await accounts.changeUser(params.userId, body), await aboutUsers([params.userId])),
    deleteUser: async ({ params }) => {
      await accounts.deleteUser(params.userId);
      return reply(204);
    },
    resetUser: async ({ params }) => ({ reset_url: await invitations.renew(params.userId) }),
  };
};

function expiryOf(written: string): number {
  try {
    return parseTime(written);
  } catch (error) {
    throw badRequest((error as Error).message, "/expires_at");
  }
}

const keyRecord = ({
  id,
  name,
  prefix,
  scopes,
  active,
  created_at,
  expires_at,
  last_used_at,
}: Key) => ({
  id,
  name,
  prefix,
  scopes,
  active,
  created_at: rfc3339(created_at),
  expires_at: rfc3339OrNull(expires_at),
  last_used_at: rfc3339OrNull(last_used_at),
});
