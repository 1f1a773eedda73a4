/** Metrics of the place of originals; none when they are in the data directory. */
import { fill, type Context, type Fill } from "../../../core/sdk";
import { Metrics } from "../../metrics/contract";

/** Whether the place responds, and how its requests end. */
export function originalsMetrics({ files }: Pick<Context, "files">): Fill[] {
  if (files.place === null) return [];
  return [
    fill(Metrics, {
      name: "dossier_originals_reachable",
      help: "1 while the storage of original files responds.",
      type: "gauge",
      read: async () => Number((await files.failure()) === null),
    }),
    fill(Metrics, {
      name: "dossier_originals_requests_total",
      help: "Requests to the storage of original files, by operation and outcome.",
      type: "counter",
      read: async () =>
        files.counts()!.requests.map(({ operation, outcome, count }) => ({
          labels: { operation, outcome },
          value: count,
        })),
    }),
    fill(Metrics, {
      name: "dossier_originals_bytes_total",
      help: "Bytes sent to and received from the storage of original files.",
      type: "counter",
      read: async () => {
        const { sent_bytes, received_bytes } = files.counts()!;
        return [
          { labels: { direction: "sent" }, value: sent_bytes },
          { labels: { direction: "received" }, value: received_bytes },
        ];
      },
    }),
    fill(Metrics, {
      name: "dossier_originals_copies_bytes",
      help: "Local copies of original files that are kept for reading.",
      type: "gauge",
      read: async () => files.counts()!.cached_bytes,
    }),
  ];
}
