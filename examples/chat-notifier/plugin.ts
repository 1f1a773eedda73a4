/**
 * Chat notifier: posts to an incoming webhook of Slack, Mattermost, Rocket.Chat, Google Chat or a
 * Matrix bridge when an import has ended, a document could not be read, or an answer is ready. A
 * complete plugin in one file. To use it, add it with `dossier plugin add`, put the address of the
 * webhook into dossier.toml or DOSSIER_CHAT_NOTIFIER_URL, and restart Dossier:
 *
 *     [chat_notifier]
 *     url = "https://hooks.slack.com/services/T000/B000/XXXX"
 *
 * Notices are written in the transaction of the event, and posted by a job: a crash loses none, and
 * a chat that is down for half an hour receives them afterwards. Notices that come at about the
 * same time are combined into one message. Only public hosts are contacted, and those that
 * `imports.allow_networks` allows.
 */
import {
  checkHost,
  ConfigError,
  definePlugin,
  DnsLookup,
  Duration,
  errorCode,
  handle,
  InvalidUrl,
  job,
  List,
  parseTarget,
  PermanentFailure,
  postPinned,
  Secret,
  t,
  toNumber,
  version,
  type Context,
  type Db,
  type JobEffect,
  type JobHandler,
  type JobRun,
  type Migration,
  type PostAnswer,
  type Target,
} from "dossier";
import {
  Accounts,
  AnswerCompleted,
  DocumentFailed,
  Documents,
  FetchPolicy,
  ImportEnded,
  purgeOfUser,
} from "dossier/contracts";

const kinds = ["import_ended", "document_failed", "answer_completed"] as const;
type Kind = (typeof kinds)[number];

const config = t.Object({
  url: t.Optional(Secret({ description: "The address of the incoming webhook." })),
  events: List("string", {
    default: "import_ended,document_failed",
    changes: "now",
    description: `The kinds of events that are posted: ${kinds.join(", ")}.`,
  }),
  users: List("string", {
    changes: "now",
    description: "The email addresses of the users whose events are posted; all users by default.",
  }),
  collect: Duration({
    default: "5s",
    changes: "now",
    description: "How long events are collected into one message.",
  }),
});
const needs = { accounts: Accounts, allows: FetchPolicy, documents: Documents, lookup: DnsLookup };
type NotifierContext = Context<typeof config, typeof needs>;

// --- Notices to be posted ------------------------------------------------------------------------

interface Line {
  id: string;
  owner_id: string;
  at: number;
  text: string;
}
interface Tables {
  chat_notifier_lines: Line;
}
const migrations: readonly Migration[] = [
  {
    id: "0001_lines",
    up: async (tx) => {
      await tx.schema
        .createTable("chat_notifier_lines")
        .addColumn("id", "text", (column) => column.primaryKey())
        .addColumn("owner_id", "text", (column) => column.notNull())
        .addColumn("at", "bigint", (column) => column.notNull())
        .addColumn("text", "text", (column) => column.notNull())
        .execute();
      await tx.schema
        .createIndex("chat_notifier_lines_by_owner")
        .on("chat_notifier_lines")
        .column("owner_id")
        .execute();
    },
  },
];
/** Lines per message; further ones are only counted. */
const lines_max = 20;

const Post = job("chat-notifier.post", t.Object({}));
const enqueuePost = ({ enqueue }: NotifierContext, tx: Db, run_at_ms: number): Promise<void> =>
  enqueue(tx, Post, {}, { key: "chat-notifier.post", run_at_ms });

/** Queues a notice for an event, if it is enabled. */
async function tell(
  ctx: NotifierContext,
  kind: Kind,
  owner_id: string,
  textOf: (email: string) => string | Promise<string>,
): Promise<JobEffect | void> {
  const { url, events, users, collect } = ctx.config;
  if (url === undefined || !events.includes(kind)) return;
  const { email } = await ctx.services.accounts.findUser(owner_id);
  const wanted = users.map((user) => user.toLowerCase());
  if (wanted.length > 0 && !wanted.includes(email.toLowerCase())) return;
  const at = ctx.now_ms();
  const text = await textOf(email);
  return async (tx: Db<Tables>) => {
    // The id is generated here, so that lines are ordered by commit.
    const line: Line = { id: ctx.newId("line"), owner_id, at, text };
    await tx.insertInto("chat_notifier_lines").values(line).execute();
    await enqueuePost(ctx, tx, at + collect);
  };
}

/** The events, and the sentence for each. */
const newsOf = (ctx: NotifierContext): readonly JobHandler[] => {
  const link = (path: string): string => `${ctx.public_url()}/console/${path}`;
  return [
    handle(
      ImportEnded,
      ({ owner_id, import_id, succeeded, failed, error }) =>
        tell(ctx, "import_ended", owner_id, (email) => {
          const counts = `${succeeded} succeeded, ${failed} failed`;
          const end = error === null ? "" : `: ${quoted(error, message_length_max)}`;
          return `An import of ${email} has ended, ${counts}${end} ${link(`imports/${import_id}`)}`;
        }),
      limits,
    ),
    handle(
      DocumentFailed,
      ({ owner_id, document_id, error }) =>
        tell(ctx, "document_failed", owner_id, async () => {
          const names = await ctx.services.documents.findNames(ctx.db, [document_id]);
          const name = quoted(names.get(document_id)?.name ?? "A document", name_length_max);
          const reason = quoted(error.message, message_length_max);
          return `${name} can't be read: ${reason} ${link(`documents/${document_id}`)}`;
        }),
      limits,
    ),
    handle(
      AnswerCompleted,
      ({ owner_id, chat_id, outcome }) =>
        tell(ctx, "answer_completed", owner_id, (email) => {
          const result_text = outcome === "answered" ? "has its answer" : "found no answer";
          return `A question of ${email} ${result_text} ${link(`chats/${chat_id}`)}`;
        }),
      limits,
    ),
  ];
};
const limits = { attempts_max: 5, timeout_ms: 10_000 };
const name_length_max = 100;
const message_length_max = 300;

/**
 * A name chosen by a user, formatted as code so that it mentions nobody (`@channel`), links to
 * nothing and does not affect the rest; Slack's markup characters are escaped.
 */
const quoted = (name: string, length_max: number): string =>
  `\`${name
    .replace(/[`\p{Cc}\u2028\u2029]+/gu, " ")
    .trim()
    .slice(0, length_max)
    .toWellFormed()
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")}\``;

// --- Posting -------------------------------------------------------------------------------------

const answer_ms_max = 15_000;
const attempts_max = 12;
const again_ms_max = 30 * 60_000;
/** The limit of the response kept for the log. */
const answer_limits = { bytes_max: 200, ms_max: 1_000 };

const told_ms_max = 24 * 60 * 60_000;
type Said = Pick<Context, "shared">;

/** Why the last attempt failed, in any process; null if it did not. */
const failing = ({ shared }: Said): Promise<string | null> =>
  shared.state.change("chat_notifier.failing", "", (last_failure?: string) => ({
    result: last_failure ?? null,
  }));
const noteFailing = ({ shared }: Said, value: string | null): Promise<void> =>
  shared.state.change("chat_notifier.failing", "", () => ({
    value,
    keep_ms: told_ms_max,
    result: undefined,
  }));

/** Posts the oldest lines; the job's effect deletes exactly those that were posted. */
async function post(ctx: NotifierContext, { signal }: JobRun): Promise<JobEffect | void> {
  const { url } = ctx.config;
  const db: Db<Tables> = ctx.db;
  const lines = db.selectFrom("chat_notifier_lines");
  const first = await lines.selectAll().orderBy("id").limit(lines_max).execute();
  const last = await lines.select("id").orderBy("id", "desc").executeTakeFirst();
  if (url === undefined || last === undefined) return;
  const { total } = await lines
    .select((e) => e.fn.countAll().as("total"))
    .where("id", "<=", last.id)
    .executeTakeFirstOrThrow();
  const more = toNumber(total) - first.length;
  const texts = first.map(({ text }) => text);
  const text = [...texts, ...(more > 0 ? [`… and ${more} more`] : [])].join("\n");
  try {
    const again_ms = await send(ctx, parseTarget(url), JSON.stringify({ text }), signal);
    if (again_ms !== null) return (tx) => enqueuePost(ctx, tx, ctx.now_ms() + again_ms);
    await noteFailing(ctx, null);
  } catch (error) {
    signal.throwIfAborted();
    await noteFailing(ctx, error instanceof Error ? error.message : String(error));
    throw error;
  }
  return async (tx) => {
    await deleteLines(tx, last.id);
    // Notices written since then found this job queued, and did not queue another.
    if (await tx.selectFrom("chat_notifier_lines").select("id").executeTakeFirst())
      await enqueuePost(ctx, tx, ctx.now_ms() + ctx.config.collect);
  };
}
const deleteLines = (tx: Db<Tables>, last_id: string) =>
  tx.deleteFrom("chat_notifier_lines").where("id", "<=", last_id).execute();

/**
 * Null if it was accepted; otherwise the delay that the chat asks for, in milliseconds. @throws
 * Error with a message for the administrator.
 */
async function send(
  { services: { allows, lookup } }: NotifierContext,
  target: Target,
  body: string,
  signal: AbortSignal,
): Promise<number | null> {
  const host = target.url.host;
  const checked = await checkHost(target, lookup, allows);
  if (checked.kind === "refused")
    throw new PermanentFailure(
      `${host} has an address that is not public, so nothing was posted. Allow its network ` +
        "in imports.allow_networks, or correct chat_notifier.url.",
    );
  if (checked.kind === "absent")
    throw new Error(`The host ${host} does not exist. Correct chat_notifier.url.`);
  if (checked.kind === "silent")
    throw new Error(`The host ${host} could not be looked up: ${checked.reason}.`);
  const late = AbortSignal.timeout(answer_ms_max);
  try {
    const answer = await postPinned(target, checked.addresses, {
      headers: { "content-type": "application/json", "user-agent": `Dossier/${version}` },
      body,
      signal: AbortSignal.any([signal, late]),
      answer: answer_limits,
    });
    return againAfter(answer, host);
  } catch (error) {
    signal.throwIfAborted();
    if (late.aborted) throw new Error(`${host} did not respond within ${answer_ms_max / 1_000} s.`);
    const code = errorCode(error);
    throw code === ""
      ? error
      : new Error(`${host} can't be reached, or closed the connection (${code}).`);
  }
}

/**
 * Throws like `send`. Quotes one line of the chat's response, without anything that could be the
 * address.
 */
function againAfter({ status, headers, body }: PostAnswer, host: string): number | null {
  if (status >= 200 && status < 300) return null;
  const wait_s = Number(headers.get("retry-after") ?? NaN);
  if (status === 429 && wait_s >= 0) return Math.min(wait_s * 1_000, again_ms_max);
  const excerpt = /^[\w .,:-]{1,80}/.exec(new TextDecoder().decode(body))?.[0].trim();
  const answer = `${host} answered ${status}${excerpt ? ` (${excerpt})` : ""}`;
  if (status >= 500 || status === 408 || status === 429) throw new Error(`${answer}.`);
  throw new PermanentFailure(
    `${answer}: create a new incoming webhook there, and set chat_notifier.url to its address.`,
  );
}

// --- The plugin ----------------------------------------------------------------------------------

export default definePlugin({
  name: "chat-notifier",
  version: "1.0.0",
  config,
  checkConfig: ({ url, events }) => {
    const unknown = events.filter((event) => !kinds.some((kind) => kind === event));
    if (unknown.length > 0)
      throw new ConfigError([
        `chat_notifier.events can contain ${kinds.join(", ")}, but not ${unknown.join(", ")}.`,
      ]);
    try {
      if (url !== undefined) parseTarget(url);
    } catch (error) {
      if (!(error instanceof InvalidUrl)) throw error;
      throw new ConfigError([`chat_notifier.url is not an address to post to: ${error.message}`]);
    }
  },
  needs,
  tables: ["chat_notifier_lines"],
  migrations,
  setup: (ctx) => ({
    jobs: [
      ...newsOf(ctx),
      handle(Post, (_payload, run) => post(ctx, run), {
        attempts_max,
        timeout_ms: 60_000,
        io_bound: true,
        // Older notices are dropped.
        onExhausted: async (tx: Db<Tables>) => {
          await tx.deleteFrom("chat_notifier_lines").execute();
        },
      }),
      purgeOfUser(async (user_id) => {
        const db: Db<Tables> = ctx.db;
        await db.deleteFrom("chat_notifier_lines").where("owner_id", "=", user_id).execute();
      }),
    ],
    health: async () => {
      const reason = await failing(ctx);
      return reason === null ? "ok" : { failing: reason };
    },
    start: async () => {
      if (ctx.config.url === undefined)
        ctx.log.warn("nothing is posted: set chat_notifier.url to the address of a webhook");
    },
  }),
});
