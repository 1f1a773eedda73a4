/** The wire format of imports. */
import {
  OneOf,
  Nullable,
  rfc3339,
  rfc3339OrNull,
  t,
  Timestamp,
  type Static,
  named,
  Failure,
} from "../../core/sdk";
import { pascalCase } from "../../core/lib/pascal-case";
import type { ImportSource } from "./contract";
import { source_shown_max } from "./limits";
import type { Preview } from "./service";
import type { ListedSchedule } from "./schedule-store";
import { typeOf, type ItemRow, type ListedRun, type RunRow } from "./store";

const Text = t.String();
const FailureOf = (description: string) => Nullable(Failure, description);
const Count = (description: string) => t.Integer({ minimum: 0, description });

/** As given: `type` and the fields of that type of source. */
export const Source = named(
  "ImportSource",
  t.Object(
    {
      type: t.String({
        description:
          "`urls`, `sitemap`, `feed`, `zip` or `directory`; plugins may add further ones.",
      }),
    },
    {
      additionalProperties: true,
      description:
        '`{type: "urls", urls}`, `{type: "sitemap", url}`, `{type: "feed", url}`, ' +
        '`{type: "zip", url}` or `{type: "directory", path}`. Secret fields, such as passwords, ' +
        'are kept sealed; answers have `{"set": true}` in their place.',
    },
  ),
);
/** Only the type of a long source. The plugin of the type may have been removed. */
const GivenSource = named(
  "GivenSource",
  t.Object(
    { type: Text },
    {
      additionalProperties: true,
      description: 'As it was given; `{type: "files"}` for files of the user\'s device.',
    },
  ),
);

/** In the API document: each type accepted by this server, with its fields. */
export const documentedSource = (sources: readonly ImportSource[]) =>
  t.Union(
    sources
      .filter(({ offered = true }) => offered)
      .map(({ type, description, schema }) =>
        named(
          `${pascalCase(type)}Source`,
          t.Object({ type: t.Literal(type), ...schema.properties }, { description }),
        ),
      ),
    {
      discriminator: { propertyName: "type" },
      description:
        "Where the documents come from. Secret fields, such as passwords, are kept sealed; " +
        'answers have `{"set": true}` in their place.',
    },
  );

export const Gone = OneOf(["keep", "remove"], {
  description:
    "What happens to the document of an item that the source has no longer: `keep`, or `remove`: " +
    "it is taken out of its folder, where it can be restored for a while. Default `keep`. Of " +
    "sources that tell of what is gone; `directory`, `sitemap` and `zip` do.",
});
const GoneSetting = t.Optional(
  t.Literal("remove", { description: "What happens to what is gone; left out when it is kept." }),
);
const Status = named(
  "ImportStatus",
  OneOf(["pending", "running", "completed", "completed_with_errors", "failed", "cancelled"], {
    description:
      "`completed`: nothing failed; `completed_with_errors`: some items did; `failed`: none " +
      "succeeded, or the source could not be read.",
  }),
);
export const ItemStatus = named(
  "ImportItemStatus",
  OneOf(["pending", "succeeded", "failed", "skipped"], {
    description:
      "`skipped`: it had not changed since an earlier import, or the run was cancelled before " +
      "it was done.",
  }),
);

export const RunRecord = named(
  "Import",
  t.Object({
    id: t.String({ description: "Opaque, starts with `imp_`." }),
    status: Status,
    folder_id: t.String({ description: "Where the documents go." }),
    source: GivenSource,
    overwrite: t.Boolean(),
    schedule_id: Nullable(t.String({ description: "The schedule that began it." })),
    total_item_count: Count("Items that are known so far."),
    completed_item_count: Count("Succeeded and failed ones."),
    succeeded_item_count: Count("Indexed, or unchanged."),
    failed_item_count: Count("Each with its reason, see the items."),
    skipped_item_count: Count("Those of the succeeded that were unchanged."),
    gone: GoneSetting,
    gone_item_count: t.Optional(
      Count("Those of the succeeded that the source has no longer; left out when there are none."),
    ),
    error: FailureOf("Why the source could not be read to its end."),
    created_at: Timestamp("When it was asked for."),
    started_at: Nullable(Timestamp("When the source was first read.")),
    finished_at: Nullable(Timestamp("When its last item ended.")),
  }),
);
export const ItemRecord = named(
  "ImportItem",
  t.Object({
    id: Text,
    uri: t.String({
      description: "Where it comes from; the name, for files of the user's device.",
    }),
    status: ItemStatus,
    document_id: Nullable(
      t.String({ description: "The document that was made of it, or that it has not changed." }),
    ),
    error: FailureOf("Why it was not imported."),
    gone: t.Optional(
      t.Literal(true, {
        description:
          "The source has it no longer; its document was kept, or taken out of its folder, as " +
          "the import says.",
      }),
    ),
  }),
);
export const ScheduleRecord = named(
  "ImportSchedule",
  t.Object({
    id: t.String({ description: "Opaque, starts with `sch_`." }),
    folder_id: Text,
    source: GivenSource,
    gone: GoneSetting,
    every: t.String({ description: "The cron expression, in UTC." }),
    next_run_at: Nullable(Timestamp("When the next run begins; null when never again.")),
    created_at: Timestamp("When it was made."),
  }),
);
export const PreviewRecord = named(
  "ImportPreview",
  t.Object(
    {
      items: t.Array(
        named(
          "ImportPreviewItem",
          t.Object({
            uri: Text,
            name: Nullable(Text),
            folder: Nullable(t.String({ description: "The subfolder it would go into." })),
            error: Nullable(t.String({ description: "Why it would fail." })),
          }),
        ),
      ),
      total_item_count: Count("Items in this answer."),
      more: t.Boolean({ description: "The source has more than are shown: at most 1,000 are." }),
      error: t.Optional(Failure),
    },
    { description: "With `error` the source can't be read, and the import would fail." },
  ),
);

const errorOf = ({ error_code, error }: Pick<RunRow, "error_code" | "error">) =>
  error_code === null ? null : { code: error_code, message: error ?? "" };

const goneOf = ({ gone }: Pick<RunRow, "gone">) => (gone === "keep" ? {} : { gone });

const sourceOf = ({ source }: Pick<RunRow, "source">): { type: string } => JSON.parse(source);

/** A row of a list. A long source is cut to its type and the first of its addresses. */
export function shortened<R extends Pick<RunRow, "source">>(row: R): R {
  const { source } = row;
  if (source.length <= source_shown_max) return row;
  const [, urls = ""] = /^\{"type":"urls","urls":\[((?:"(?:[^"\\]|\\.)*",)*)/.exec(source) ?? [];
  if (urls !== "") return { ...row, source: `{"type":"urls","urls":[${urls.slice(0, -1)}]}` };
  return { ...row, source: JSON.stringify({ type: typeOf(source) }) };
}

/** The run in the form of the API. */
export const toRun = (run: ListedRun): Static<typeof RunRecord> => ({
  id: run.id,
  status: run.status,
  folder_id: run.folder_id,
  source: sourceOf(run),
  overwrite: run.overwrite === 1,
  schedule_id: run.schedule_id,
  total_item_count: run.total,
  completed_item_count: run.succeeded + run.failed,
  succeeded_item_count: run.succeeded,
  failed_item_count: run.failed,
  skipped_item_count: run.skipped,
  ...goneOf(run),
  ...(run.gone_items > 0 ? { gone_item_count: run.gone_items } : {}),
  error: errorOf(run),
  created_at: rfc3339(run.created_at),
  started_at: rfc3339OrNull(run.started_at),
  finished_at: rfc3339OrNull(run.finished_at),
});
/** The item in the form of the API. */
export const toItem = ({
  id,
  uri,
  status,
  document_id,
  gone,
  ...columns
}: ItemRow): Static<typeof ItemRecord> => ({
  id,
  uri,
  status,
  document_id,
  error: errorOf(columns),
  ...(gone === 1 ? { gone: true } : {}),
});
/** The preview in the form of the API. */
export const toPreview = ({ items, more, error }: Preview): Static<typeof PreviewRecord> => ({
  items: items.map(({ uri, name = null, folder = null, error = null }) => ({
    uri,
    name,
    folder,
    error,
  })),
  total_item_count: items.length,
  more,
  ...(error !== null && { error }),
});
/** The schedule in the form of the API. */
export const toSchedule = ({
  id,
  folder_id,
  source,
  gone,
  every,
  next_run_at,
  created_at,
}: ListedSchedule): Static<typeof ScheduleRecord> => ({
  id,
  folder_id,
  source: sourceOf({ source }),
  ...goneOf({ gone }),
  every,
  next_run_at: rfc3339OrNull(next_run_at),
  created_at: rfc3339(created_at),
});

const folder_id = "fld_01J9ZK3V6W8Q2T4Y5N7B1C0DEF";
const source = { type: "sitemap", url: "https://example.com/sitemap.xml" };
export const run_example: Static<typeof RunRecord> = {
  id: "imp_01KAJ2Z9Q4W7N8X5R3T6V1Y0BE",
  status: "completed_with_errors",
  folder_id,
  source,
  overwrite: false,
  schedule_id: null,
  total_item_count: 120,
  completed_item_count: 120,
  succeeded_item_count: 119,
  failed_item_count: 1,
  skipped_item_count: 80,
  error: null,
  created_at: "2026-03-01T09:30:00.000Z",
  started_at: "2026-03-01T09:30:00.100Z",
  finished_at: "2026-03-01T09:31:12.000Z",
};
export const begun_example: Static<typeof RunRecord> = {
  ...run_example,
  status: "pending",
  total_item_count: 0,
  completed_item_count: 0,
  succeeded_item_count: 0,
  failed_item_count: 0,
  skipped_item_count: 0,
  started_at: null,
  finished_at: null,
};
export const item_example: Static<typeof ItemRecord> = {
  id: "itm_01KAJ2Z9Q4W7N8X5R3T6V1Y0BF",
  uri: "https://example.com/moorings",
  status: "succeeded",
  document_id: "doc_01J9ZK3V6W8Q2T4Y5N7B1C0DEF",
  error: null,
};
export const schedule_example: Static<typeof ScheduleRecord> = {
  id: "sch_01KAJ2Z9Q4W7N8X5R3T6V1Y0BG",
  folder_id,
  source,
  every: "0 6 * * *",
  next_run_at: "2026-03-02T06:00:00.000Z",
  created_at: "2026-03-01T09:30:00.000Z",
};
