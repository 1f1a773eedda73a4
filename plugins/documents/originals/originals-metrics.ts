/** Metrics of the place of originals; none when they are in the data directory. */
import { fill, type Context, type Fill } from "../../../core/sdk";
import { Metrics } from "../../metrics/contract";

export function originalsMetrics({ files }: Pick<Context, "files">): Fill[] {
  if (files.place === null) return [];
  return [
    fill(Metrics, {
      name: "dossier_originals_reachable",
      help: "1 while the place of original files answers.",
      type: "gauge",
      read: async () => Number((await files.failure()) === null),
    }),
    fill(Metrics, {
      name: "dossier_originals_requests_total",
      help: "Requests to the place of original files, by what they do and how they ended.",
      type: "counter",
      read: async () =>
        files.counts()!.requests.map(({ operation, outcome, count }) => ({
          labels: { operation, outcome },
          value: count,
        })),
    }),
    fill(Metrics, {
      name: "dossier_originals_bytes_total",
      help: "Bytes that were sent to the place of original files, and received from it.",
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
      help: "Copies of original files on this machine, for programs that read them.",
      type: "gauge",
      read: async () => files.counts()!.cached_bytes,
    }),
  ];
}
