/** The routes of the audit log, for administrators: in the console, and with their keys. */
import {
  OneOf,
  badRequest,
  Nullable,
  PageOf,
  PageQuery,
  route,
  t,
  Timestamp,
  toPage,
  type HandlersOf,
  named,
  documented,
} from "../../core/sdk";
import { columns, entryRecord, media_types, type ExportFormat } from "./export";
import type { AuditLog, EntryFilter, Outcome } from "./service";

const tag = "Audit log";
const outcomes = ["done", "refused", "failed"] as const satisfies readonly Outcome[];

const OutcomeName = named("AuditOutcome", OneOf(outcomes));

const EntryRecord = named(
  "AuditEntry",
  t.Object({
    id: t.String(),
    at: Timestamp(),
    actor_id: Nullable(t.String(), "The user; null when it was nobody that is known."),
    actor: Nullable(
      t.String(),
      "Their email then; for commands the user of the operating system who ran it.",
    ),
    via: t.String({ description: "`console`, `api` or `command_line`." }),
    key_id: Nullable(t.String(), "The API key, or the session."),
    address: Nullable(t.String(), "Where the request came from."),
    action: t.String({
      description: "The operation as this document names it, or the command: `user create`.",
    }),
    record: Nullable(t.String(), "The id of what it was done to."),
    outcome: OutcomeName,
    status: Nullable(t.Integer(), "The HTTP status of the answer."),
    request_id: Nullable(t.String()),
  }),
);
const entry_example = {
  id: "aud_01KAJ2Z9Q4W7N8X5R3T6V1Y0BC",
  at: "2026-11-21T09:00:00.000Z",
  actor_id: "usr_01KAJ2Z9Q4W7N8X5R3T6V1Y0BC",
  actor: "ada@example.com",
  via: "console",
  key_id: "ses_01KAJ2Z9Q4W7N8X5R3T6V1Y0BC",
  address: "192.0.2.7",
  action: "deleteFolder",
  record: "fld_01KAJ2Z9Q4W7N8X5R3T6V1Y0BC",
  outcome: "done",
  status: 204,
  request_id: "req_01KAJ2Z9Q4W7N8X5R3T6V1Y0BC",
};

const text_length_max = 320;
const Time = (description: string, example: string) =>
  documented(t.String({ description, examples: [example] }), { format: "date-time" });
const filter_fields = {
  actor: t.Optional(
    t.String({
      maxLength: text_length_max,
      description: "A user's id, or their email then.",
      examples: ["ada@example.com"],
    }),
  ),
  action: t.Optional(
    t.String({
      maxLength: text_length_max,
      description: "Such as `deleteFolder`.",
      examples: ["deleteFolder"],
    }),
  ),
  record: t.Optional(
    t.String({
      maxLength: text_length_max,
      description: "An id.",
      examples: [entry_example.record],
    }),
  ),
  outcome: t.Optional(OutcomeName),
  since: t.Optional(Time("From this time on (RFC 3339).", "2026-11-21T00:00:00Z")),
  until: t.Optional(Time("Before this time (RFC 3339).", "2026-11-22T00:00:00Z")),
};

export const routes = {
  entries: route.get("/audit", {
    summary: "List the audit log",
    description:
      "Who did what to which record, and from where; newest first. An entry is there a moment " +
      "after the answer.",
    tag,
    operation: "listAuditEntries",
    admin: true,
    query: t.Composite([PageQuery, t.Object(filter_fields)]),
    answers: {
      200: {
        description: "One page of entries.",
        schema: PageOf(EntryRecord),
        example: toPage([entry_example], 1, {}),
      },
    },
  }),
  exportEntries: route.get("/audit/export", {
    summary: "Export the audit log",
    description: "Every entry that the filters find, newest first, as one file.",
    tag,
    operation: "exportAuditEntries",
    admin: true,
    query: t.Object({
      ...filter_fields,
      format: t.Optional(OneOf(["csv", "json"], { description: "Default: csv." })),
    }),
    answers: {
      200: {
        description: "CSV with a line of titles, or a JSON array of entries.",
        schema: t.String(),
        media_type: "text/csv",
        example: `${columns.join(",")}\r\n`,
        others: { "application/json": { schema: t.Array(EntryRecord), example: [entry_example] } },
      },
    },
  }),
};

interface FilterQuery extends Omit<EntryFilter, "since" | "until"> {
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

/** @throws HttpError 400 on an invalid time. */
const filterOf = ({ actor, action, record, outcome, since, until }: FilterQuery): EntryFilter => ({
  actor: actor || undefined,
  action: action || undefined,
  record: record || undefined,
  outcome,
  since: timeOf(since, "?since"),
  until: timeOf(until, "?until"),
});

function timeOf(text: string | undefined, pointer: string): number | undefined {
  if (text === undefined) return undefined;
  const at = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : NaN;
  if (Number.isNaN(at))
    throw badRequest(`${pointer.slice(1)} must be a time such as 2026-11-21T09:00:00Z.`, pointer);
  return at;
}

export const auditHandlers = (log: AuditLog): HandlersOf<typeof routes> => ({
  entries: async ({ query }) => {
    const { rows, total } = await log.page(filterOf(query as FilterQuery), query);
    return toPage(rows.map(entryRecord), total, query);
  },
  exportEntries: async ({ query }) => {
    const format: ExportFormat = query.format ?? "csv";
    return new Response(await log.export(filterOf(query as FilterQuery), format), {
      headers: {
        "content-type": media_types[format],
        "content-disposition": `attachment; filename="audit.${format}"`,
        "cache-control": "no-store",
      },
    });
  },
});
