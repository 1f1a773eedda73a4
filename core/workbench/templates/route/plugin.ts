/**
 * My plugin: notes that a user keeps, at GET and POST /api/dev/v1/my-plugin. A route, a table, a
 * setting and an error: what most plugins have.
 */
import {
  conflict,
  definePlugin,
  Nullable,
  PageOf,
  PageQuery,
  pageWindow,
  reply,
  rfc3339,
  route,
  t,
  Timestamp,
  toNumber,
  toPage,
  type Db,
  type Migration,
} from "dossier";

// --- Its settings: [my_plugin] in dossier.toml, or DOSSIER_MY_PLUGIN_NOTES_MAX in the environment.

const config = t.Object({
  notes_max: t.Integer({ default: 100, minimum: 1, description: "Notes that a user may keep." }),
});

// --- Its table. A plugin's tables carry its name; times are epoch milliseconds, ids are text.

interface Tables {
  my_plugin_notes: {
    id: string;
    owner_id: string;
    text: string;
    color: string | null;
    created_at: number;
  };
}

/** Each step runs once, in order. A released one is never edited: the next change is a new step. */
const migrations: readonly Migration[] = [
  {
    id: "0001_notes",
    up: async (tx) => {
      await tx.schema
        .createTable("my_plugin_notes")
        .addColumn("id", "text", (column) => column.primaryKey())
        .addColumn("owner_id", "text", (column) => column.notNull())
        .addColumn("text", "text", (column) => column.notNull())
        .addColumn("color", "text")
        .addColumn("created_at", "bigint", (column) => column.notNull())
        .execute();
      await tx.schema
        .createIndex("my_plugin_notes_by_owner")
        .on("my_plugin_notes")
        .columns(["owner_id", "created_at", "id"])
        .execute();
    },
  },
];

// --- Its routes. Requests are checked by these schemas, and the OpenAPI document has them.

const Note = t.Object({
  id: t.String(),
  text: t.String(),
  color: Nullable(t.String()),
  created_at: Timestamp(),
});
const example = {
  id: "note_01J9ZK3V6W8Q2T4Y5N7B1C0DEF",
  text: "Order new filters.",
  color: null,
  created_at: "2026-03-01T09:30:00.000Z",
};

const routes = {
  list: route.get("/my-plugin", {
    summary: "List notes",
    description: "The caller's notes, newest first.",
    tag: "My plugin",
    operation: "listMyPluginNotes",
    query: PageQuery,
    answers: { 200: { description: "One page of notes.", schema: PageOf(Note) } },
  }),
  create: route.post("/my-plugin", {
    summary: "Create a note",
    tag: "My plugin",
    operation: "createMyPluginNote",
    body: t.Object({
      text: t.String({ minLength: 1, maxLength: 500 }),
      color: t.Optional(t.String({ pattern: "^#[0-9a-f]{6}$" })),
    }),
    answers: { 201: { description: "The note.", schema: Note, example } },
    errors: { 409: "The caller keeps as many notes as the settings allow." },
  }),
};

/** The part of a note that anybody may test without a server. */
export const tidied = (text: string): string => text.trim().replace(/\s+/g, " ");

const toNote = ({ owner_id: _, created_at, ...note }: Tables["my_plugin_notes"]) => ({
  ...note,
  created_at: rfc3339(created_at),
});

export default definePlugin({
  name: "my-plugin",
  version: "0.1.0",
  config,
  tables: ["my_plugin_notes"],
  migrations,
  routes,

  setup: (ctx) => {
    const ofOwner = (db: Db<Tables>, owner_id: string) =>
      db.selectFrom("my_plugin_notes").where("owner_id", "=", owner_id);
    const countOf = async (db: Db<Tables>, owner_id: string): Promise<number> => {
      const counted = ofOwner(db, owner_id).select((e) => e.fn.countAll().as("total"));
      return toNumber((await counted.executeTakeFirstOrThrow()).total);
    };
    return {
      routes: {
        list: async ({ caller, query }) => {
          const { limit, offset } = pageWindow(query);
          const rows = await ofOwner(ctx.db, caller.owner_id)
            .selectAll()
            .orderBy("created_at", "desc")
            .orderBy("id", "desc")
            .limit(limit)
            .offset(offset)
            .execute();
          return toPage(rows.map(toNote), await countOf(ctx.db, caller.owner_id), query);
        },
        create: async ({ caller, body }) => {
          const note = {
            id: ctx.newId("note"),
            owner_id: caller.owner_id,
            text: tidied(body.text),
            color: body.color ?? null,
            created_at: ctx.now_ms(),
          };
          await ctx.inTransaction(async (tx: Db<Tables>) => {
            if ((await countOf(tx, caller.owner_id)) >= ctx.config.notes_max)
              throw conflict(`You keep ${ctx.config.notes_max} notes already: no more are kept.`);
            await tx.insertInto("my_plugin_notes").values(note).execute();
          });
          return reply(201, toNote(note));
        },
      },
    };
  },
});
