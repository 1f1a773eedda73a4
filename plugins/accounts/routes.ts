/**
 * The routes for signing in: sessions, the first administrator, invitations, and one's own account.
 * Only part of the console.
 */
import {
  OneOf,
  PageOf,
  PageQuery,
  reply,
  rfc3339,
  route,
  t,
  Timestamp,
  toPage,
  version,
  type Call,
  type HandlersOf,
  named,
} from "../../core/sdk";
import type { User } from "./contract";
import type { FirstAdmin } from "./first-admin";
import type { Invitations } from "./invitations";
import { checkPassword } from "./passwords";
import type { AccountService } from "./service";
import { sessionCookie } from "./session-cookie";
import type { Session, SessionService, SignedIn } from "./sessions";

const tag = "Account";
const surface = "console";
/** More than any email, password and token can take. */
const body_bytes_max = 16_384;

export const Role = named("Role", OneOf(["admin", "member"]));
const Token = named("LinkToken", t.Object({ token: t.String() }));
const Who = named("SignedInUser", t.Object({ id: t.String(), email: t.String(), role: Role }));
const Signed = named("SignedIn", t.Object({ user: Who }));
const SessionRecord = named(
  "Session",
  t.Object({
    id: t.String(),
    created_at: Timestamp(),
    last_seen_at: Timestamp(),
    address: t.String(),
    user_agent: t.String(),
    current: t.Boolean({ description: "The session of this request." }),
  }),
);

const who_example = {
  id: "usr_01KAJ2Z9Q4W7N8X5R3T6V1Y0BC",
  email: "ada@example.com",
  role: "admin",
};
const session_example = {
  id: "ses_01KAJ2Z9Q4W7N8X5R3T6V1Y0BC",
  created_at: "2026-11-21T09:00:00.000Z",
  last_seen_at: "2026-11-21T09:30:00.000Z",
  address: "192.0.2.7",
  user_agent: "Mozilla/5.0",
  current: true,
};
const cookie = { "set-cookie": "The session." };
const signed = (description: string) => ({
  description,
  schema: Signed,
  example: { user: who_example },
  headers: cookie,
});
const bad_link = { bad_link: "The link is not valid." };
const already_set_up = { already_set_up: "There is an administrator already." };
const password_off = { password_off: "Nobody may sign in with a password." };
const locked_out = { locked_out: "There were too many failed tries." };
const none = (description: string) => ({ description });

export const routes = {
  session: route.get("/session", {
    summary: "Who is signed in",
    tag,
    operation: "getSession",
    surface,
    public: true,
    description: "Never 401: `user` is null when nobody is.",
    answers: {
      200: {
        description: "Who, and what runs here.",
        schema: t.Object({
          user: t.Union([Who, t.Null()]),
          setup_needed: t.Boolean({ description: "There is no administrator yet." }),
          version: t.String(),
        }),
        example: { user: who_example, setup_needed: false, version: "0.1.0" },
      },
    },
  }),
  signIn: route.post("/session", {
    summary: "Sign in",
    tag,
    operation: "signIn",
    surface,
    public: true,
    body_bytes_max,
    body: t.Object({ email: t.String(), password: t.String() }),
    example: { email: "ada@example.com", password: "correct horse battery staple" },
    answers: { 200: signed("Signed in.") },
    errors: {
      401: { invalid_credentials: "The email or the password is wrong." },
      403: password_off,
      429: locked_out,
    },
  }),
  signOut: route.delete("/session", {
    summary: "Sign out",
    tag,
    operation: "signOut",
    surface,
    public: true,
    answers: {
      200: {
        description: "Signed out here; the browser goes on at `location` to sign out there too.",
        schema: named("Redirection", t.Object({ location: t.String() })),
        example: { location: "https://sso.example.com/logout" },
        headers: cookie,
      },
      204: { ...none("Signed out, also when nobody was signed in."), headers: cookie },
    },
  }),
  setup: route.post("/setup", {
    summary: "Create the first administrator",
    tag,
    operation: "setUp",
    surface,
    public: true,
    body_bytes_max,
    body: t.Object({
      token: t.String({ description: "From the set-up link." }),
      email: t.String(),
      password: t.String(),
    }),
    example: { token: "dst_…", email: "ada@example.com", password: "correct horse battery staple" },
    answers: { 201: signed("Created, and signed in.") },
    errors: {
      403: bad_link,
      409: { ...already_set_up, email_taken: "There is a user with this email already." },
    },
  }),
  checkSetup: route.post("/setup/check", {
    summary: "Check a set-up link",
    tag,
    operation: "checkSetup",
    scope: "read",
    surface,
    public: true,
    body_bytes_max,
    body: Token,
    example: { token: "dst_…" },
    answers: { 204: none("It is valid.") },
    errors: {
      403: bad_link,
      409: already_set_up,
    },
  }),
  accept: route.post("/invite", {
    summary: "Use an invitation or a link to a new password",
    tag,
    operation: "acceptInvitation",
    surface,
    public: true,
    body_bytes_max,
    description:
      "Sets the password, ends every other session of the user and signs in. The link works once.",
    body: t.Object({ token: t.String(), password: t.String() }),
    example: { token: "dsi_…", password: "correct horse battery staple" },
    answers: { 200: signed("Signed in.") },
    errors: {
      403: { ...bad_link, ...password_off },
    },
  }),
  checkInvitation: route.post("/invite/check", {
    summary: "Check an invitation or a link to a new password",
    tag,
    operation: "checkInvitation",
    scope: "read",
    surface,
    public: true,
    body_bytes_max,
    body: Token,
    example: { token: "dsi_…" },
    answers: {
      200: {
        description: "Whose it is.",
        schema: t.Object({
          email: t.String(),
          kind: OneOf(["invitation", "reset"]),
        }),
        example: { email: "ada@example.com", kind: "invitation" },
      },
    },
    errors: { 403: bad_link },
  }),
  account: route.get("/account", {
    summary: "Look at one's account",
    tag,
    operation: "getAccount",
    surface,
    answers: {
      200: {
        description: "The account.",
        schema: t.Composite([
          Who,
          t.Object({
            has_password: t.Boolean({ description: "False of who signs in by other means alone." }),
          }),
        ]),
        example: { ...who_example, has_password: true },
      },
    },
  }),
  sessions: route.get("/account/sessions", {
    summary: "List one's sessions",
    tag,
    operation: "listSessions",
    surface,
    description: "Where the caller is signed in, newest first.",
    query: PageQuery,
    answers: {
      200: {
        description: "One page of sessions.",
        schema: PageOf(SessionRecord),
        example: toPage([session_example], 1, {}),
      },
    },
  }),
  endSession: route.delete("/account/sessions/:sessionId", {
    summary: "End a session",
    tag,
    operation: "endSession",
    surface,
    answers: { 204: none("It has ended.") },
  }),
  endOthers: route.delete("/account/sessions", {
    summary: "End every other session",
    tag,
    operation: "endOtherSessions",
    surface,
    answers: { 204: none("Only the session of this request goes on.") },
  }),
  password: route.put("/account/password", {
    summary: "Change one's password",
    tag,
    operation: "changePassword",
    surface,
    body_bytes_max,
    description: "Ends every other session.",
    body: t.Object({ current_password: t.String(), new_password: t.String() }),
    example: {
      current_password: "correct horse battery staple",
      new_password: "another horse battery staple",
    },
    answers: { 204: none("Changed.") },
    errors: {
      400: { wrong_password: "The current password is wrong." },
      429: locked_out,
    },
  }),
};

/** What the routes for signing in need. */
export interface AccountServices {
  readonly accounts: AccountService;
  readonly first_admin: FirstAdmin;
  readonly invitations: Invitations;
  readonly sessions: SessionService;
}

export const accountHandlers = ({
  accounts,
  first_admin,
  invitations,
  sessions,
}: AccountServices): HandlersOf<typeof routes> => ({
  session: async ({ caller }) => ({
    user: caller.owner_id === "" ? null : publicUser(await accounts.findUser(caller.owner_id)),
    setup_needed: !(await first_admin.isSetUp()),
    version,
  }),
  signIn: async (call) => signedIn(200, await sessions.signIn(call.body, call), call),
  signOut: async (call) => {
    const location = await sessions.signOut(call);
    const headers = { "set-cookie": sessionCookie(call.client, null) };
    return location === null ? reply(204, undefined, headers) : reply(200, { location }, headers);
  },
  setup: async (call) =>
    signedIn(
      201,
      await sessions.open(await first_admin.complete(call.body.token, call.body), call),
      call,
    ),
  checkSetup: async ({ body }) => {
    await first_admin.check(body.token);
    return reply(204);
  },
  accept: async (call) => {
    sessions.requirePasswordsAllowed();
    const user = await invitations.accept(call.body.token, call.body.password);
    return signedIn(200, await sessions.open(user, call), call);
  },
  checkInvitation: ({ body }) => invitations.check(body.token),
  account: async ({ caller }) => {
    const user = await accounts.findUser(caller.owner_id);
    return { ...publicUser(user), has_password: user.has_password };
  },
  sessions: async ({ caller, query }) => {
    const { data, pagination } = await sessions.list(caller.owner_id, caller.key_id, query);
    return { data: data.map(sessionRecord), pagination };
  },
  endSession: async ({ caller, params }) => {
    await sessions.end(caller.owner_id, params.sessionId);
    return reply(204);
  },
  endOthers: async ({ caller }) => {
    await sessions.endOthers(caller.owner_id, caller.key_id);
    return reply(204);
  },
  password: async ({ caller, body, client }) => {
    checkPassword(body.new_password, "/new_password");
    await sessions.requirePassword(caller.owner_id, body.current_password, client);
    await accounts.changePassword(caller.owner_id, body.new_password, caller.key_id);
    return reply(204);
  },
});

const publicUser = ({ id, email, role }: User) => ({ id, email, role });
const signedIn = (
  status: 200 | 201,
  { user, token }: SignedIn,
  { client, about }: Pick<Call, "client" | "about">,
) => {
  about(user.id);
  return reply(status, { user: publicUser(user) }, { "set-cookie": sessionCookie(client, token) });
};
const sessionRecord = ({
  id,
  created_at,
  last_seen_at,
  address,
  user_agent,
  current,
}: Session) => ({
  id,
  created_at: rfc3339(created_at),
  last_seen_at: rfc3339(last_seen_at),
  address,
  user_agent,
  current,
});
