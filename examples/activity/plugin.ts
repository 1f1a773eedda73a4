/**
 * Activity: remembers every document whose indexing has ended, lists them at GET
 * /api/dev/v1/activity and shows them on a page of the console. A complete plugin in one file, to
 * read and to start from. To use it, copy it to `<data directory>/plugins/activity.ts` and restart
 * Dossier.
 */
import {
  definePlugin,
  Duration,
  every,
  fill,
  handle,
  job,
  PageOf,
  PageQuery,
  pageWindow,
  rfc3339,
  route,
  t,
  toNumber,
  toPage,
  type Context,
  type Db,
  type JobEffect,
  type Migration,
  type PageRequest,
  type PayloadOf,
  type Static,
} from "dossier";
import { ConsolePages, Documents, DocumentSettled, DocumentUses } from "dossier/contracts";

// --- Its own table -------------------------------------------------------------------------------
// A plugin owns the tables that carry its name. Times are epoch milliseconds, ids are text: SQL
// that any database understands.

interface Entry {
  id: string;
  owner_id: string;
  document_id: string;
  version: number;
  status: "synced" | "sync_failed";
  at: number;
}
interface Tables {
  activity: Entry;
}

/**
 * Runs once, in order, each in a transaction of its own. A released step is never edited: the next
 * change is the next step.
 */
const migrations: readonly Migration[] = [
  {
    id: "0001_activity",
    up: async (tx) => {
      await tx.schema
        .createTable("activity")
        .addColumn("id", "text", (column) => column.primaryKey())
        .addColumn("owner_id", "text", (column) => column.notNull())
        .addColumn("document_id", "text", (column) => column.notNull())
        .addColumn("version", "integer", (column) => column.notNull())
        .addColumn("status", "text", (column) => column.notNull())
        .addColumn("at", "bigint", (column) => column.notNull())
        .execute();
      await tx.schema
        .createIndex("activity_by_owner")
        .on("activity")
        .columns(["owner_id", "at", "id"])
        .execute();
      await tx.schema
        .createIndex("activity_by_document")
        .on("activity")
        .column("document_id")
        .execute();
      await tx.schema.createIndex("activity_by_time").on("activity").column("at").execute();
    },
  },
];

// --- Its route -----------------------------------------------------------------------------------
// A route is a value. Dossier checks requests by it, answers 400 and 401 for the plugin, and puts
// it into the OpenAPI document.

const EntryRecord = t.Object({
  document_id: t.String(),
  document_name: t.String(),
  version: t.Integer(),
  status: t.Union([t.Literal("synced"), t.Literal("sync_failed")]),
  at: t.String({ format: "date-time", description: "When indexing ended." }),
});

const routes = {
  list: route.get("/activity", {
    summary: "List recent activity",
    tag: "Activity",
    operation: "listActivity",
    description: "Documents of the caller whose indexing has ended, latest first.",
    query: PageQuery,
    answers: {
      200: {
        description: "One page of activity.",
        schema: PageOf(EntryRecord),
        example: {
          data: [
            {
              document_id: "doc_01J9ZK3V6W8Q2T4Y5N7B1C0DEF",
              document_name: "Handbook.pdf",
              version: 1,
              status: "synced",
              at: "2026-03-01T09:30:00.000Z",
            },
          ],
          pagination: {
            count: 1,
            total: 1,
            per_page: 50,
            total_pages: 1,
            next_page: null,
            previous_page: null,
          },
        },
      },
    },
  }),
};

// --- Its page ------------------------------------------------------------------------------------
// The source of an ES module, which the console loads when somebody opens the page; the title is
// shown above it already. `host.api` calls the API on behalf of the signed-in user. Insert text as
// text: the console's policy blocks HTML made from strings, and scripts and styles from anywhere
// else.

const page = `
const words = { synced: "Ready", sync_failed: "Failed" };

export default {
  async mount(root, host) {
    const add = (parent, name, text) => {
      const element = parent.appendChild(document.createElement(name));
      if (text !== undefined) element.textContent = text;
      return element;
    };
    const answer = await host.api("/activity?per_page=50");
    if (!answer.ok) {
      add(root, "p", "The activity could not be loaded. Open this page again.");
      return;
    }
    const { data } = await answer.json();
    if (data.length === 0) {
      add(root, "p", "Nothing has been indexed yet. Upload a document, and it shows up here.");
      return;
    }
    const table = add(root, "table");
    const head = add(add(table, "thead"), "tr");
    for (const title of ["Document", "Status", "When"]) add(head, "th", title).scope = "col";
    const body = add(table, "tbody");
    for (const entry of data) {
      const row = add(body, "tr");
      const link = add(add(row, "td"), "a", entry.document_name);
      link.href = "/console/documents/" + entry.document_id;
      link.addEventListener("click", (event) => {
        event.preventDefault();
        host.navigate("/documents/" + entry.document_id);
      });
      add(row, "td", words[entry.status]);
      add(row, "td", new Date(entry.at).toLocaleString());
    }
  },
};
`;

// --- Its dependencies ----------------------------------------------------------------------------
// Everything that a plugin may use comes from the host: no globals, and time from a clock that
// tests can set.

const config = t.Object({
  keep: Duration({ default: "30d", description: "How long activity is remembered." }),
});
/** Another plugin's service: only its types are imported, not its code. */
const needs = { documents: Documents };

type ActivityContext = Context<typeof config, typeof needs>;

// --- The handler of its route --------------------------------------------------------------------

async function listActivity(
  { db, services }: ActivityContext,
  owner_id: string,
  page: PageRequest,
): Promise<{ entries: Static<typeof EntryRecord>[]; total: number }> {
  const { limit, offset } = pageWindow(page);
  const table: Db<Tables> = db;
  const of_owner = table.selectFrom("activity").where("owner_id", "=", owner_id);
  const { total } = await of_owner
    .select((e) => e.fn.countAll().as("total"))
    .executeTakeFirstOrThrow();
  const rows = await of_owner
    .selectAll()
    .orderBy("at", "desc")
    .orderBy("id", "desc")
    .limit(limit)
    .offset(offset)
    .execute();
  const names = await services.documents.findNames(
    db,
    rows.map((row) => row.document_id),
  );
  const entries = rows.map(({ document_id, version, status, at }) => ({
    document_id,
    document_name: names.get(document_id)?.name ?? "",
    version,
    status,
    at: rfc3339(at),
  }));
  return { entries, total: toNumber(total) };
}

// --- Its jobs ------------------------------------------------------------------------------------
// Work that happens later. It survives a crash, is retried when it throws, and never runs twice at
// the same time. What a job returns is written in the transaction that ends it: exactly once.

const PruneActivity = job("activity.prune", t.Object({}));

/** Subscribes to an event of another plugin. */
async function rememberDocument(
  { newId, now_ms }: ActivityContext,
  { owner_id, document_id, version, status }: PayloadOf<typeof DocumentSettled>,
): Promise<JobEffect> {
  const entry: Entry = { id: newId("act"), owner_id, document_id, version, status, at: now_ms() };
  return async (tx: Db<Tables>) => {
    await tx.insertInto("activity").values(entry).execute();
  };
}

async function pruneActivity({ config, now_ms }: ActivityContext): Promise<JobEffect> {
  const kept_from = now_ms() - config.keep;
  return async (tx: Db<Tables>) => {
    await tx.deleteFrom("activity").where("at", "<", kept_from).execute();
  };
}

/** Deletes the data of documents that are deleted for good, in the deleting transaction. */
async function forgetDocuments(tx: Db<Tables>, document_ids: readonly string[]): Promise<void> {
  if (document_ids.length > 0)
    await tx.deleteFrom("activity").where("document_id", "in", document_ids).execute();
}

// --- The plugin ----------------------------------------------------------------------------------
// A plugin is a value, too: its dependencies, its parts, and what it does once it is set up.

export default definePlugin({
  name: "activity",
  version: "1.0.0",
  /** `[activity] keep = "90d"` in dossier.toml, or DOSSIER_ACTIVITY_KEEP=90d in the environment. */
  config,
  needs,
  tables: ["activity"],
  migrations,
  routes,

  setup: (ctx) => ({
    routes: {
      list: async ({ caller, query }) => {
        const { entries, total } = await listActivity(ctx, caller.owner_id, query);
        return toPage(entries, total, query);
      },
    },
    jobs: [
      handle(DocumentSettled, (payload) => rememberDocument(ctx, payload), {
        attempts_max: 5,
        timeout_ms: 10_000,
      }),
      handle(PruneActivity, () => pruneActivity(ctx), { attempts_max: 3, timeout_ms: 60_000 }),
    ],
    schedules: [every("17 3 * * *", PruneActivity, {})],
    /**
     * For servers that never run at night. The key limits it to one such job, however often the
     * server is restarted.
     */
    start: () => ctx.enqueue(ctx.db, PruneActivity, {}, { key: "activity.prune" }),
    /** Slots of other plugins. */
    fills: [
      fill(DocumentUses, { remove: forgetDocuments }),
      fill(ConsolePages, { path: "activity", title: "Activity", group: "work", module: page }),
    ],
  }),
});
