/** The counters of folders, as metrics. */
import { fill, toNumber, type Context } from "../../core/sdk";
import { Metrics } from "../metrics/contract";

/** Reads the counters of folders, so it costs the same for any number of documents. */
const counters_sql = `
  select sum(syncing_count) as syncing, sum(synced_count) as synced, sum(failed_count) as failed
  from folders where deleted_at is null`;

/** Documents by status, read from the counters of the folders. */
export const folderMetrics = ({ reads }: Pick<Context, "reads">) => [
  fill(Metrics, {
    name: "dossier_documents",
    help: "Documents in folders by status; a document in two folders counts twice.",
    type: "gauge",
    read: async () => {
      const row =
        await reads.get<Record<"syncing" | "synced" | "failed", number | null>>(counters_sql);
      return [
        { labels: { status: "syncing" }, value: toNumber(row?.syncing) },
        { labels: { status: "synced" }, value: toNumber(row?.synced) },
        { labels: { status: "sync_failed" }, value: toNumber(row?.failed) },
      ];
    },
  }),
];
