/** Counts deliveries by status, as metrics. */
import { fill, toNumber, type Context } from "../../core/sdk";
import { Metrics } from "../metrics/contract";
import type { DeliveryStatus } from "./store";

const statuses: readonly DeliveryStatus[] = [
  "pending",
  "delivered",
  "skipped",
  "dropped",
  "cancelled",
];

/** Read from the table of deliveries. */
export const webhookMetrics = ({ reads }: Pick<Context, "reads">) => [
  fill(Metrics, {
    name: "dossier_webhook_deliveries",
    help: "Stored deliveries by status.",
    type: "gauge",
    read: async () => {
      const rows = await reads.all<{ status: string; deliveries: number }>(
        "select status, count(*) as deliveries from webhooks_deliveries group by status",
      );
      const counts = new Map(rows.map(({ status, deliveries }) => [status, toNumber(deliveries)]));
      return statuses.map((status) => ({ labels: { status }, value: counts.get(status) ?? 0 }));
    },
  }),
];
