/** How large the index is, and what it waits for, as metrics. */
import { fill, toNumber, type Context } from "../../core/sdk";
import { Metrics } from "../metrics/contract";

/** Each is counted in the smallest index of its table. */
const metrics = [
  {
    name: "dossier_index_documents",
    help: "Documents that can be found.",
    table: "index_documents",
  },
  {
    name: "dossier_index_segments",
    help: "Parts of documents in the index, of some hundred passages each at most.",
    table: "index_segments",
  },
  { name: "dossier_index_vectors", help: "Such parts that have vectors.", table: "index_vectors" },
  {
    name: "dossier_vectors_waiting",
    help: "Such parts that wait for their vectors.",
    table: "index_vectors_waiting",
  },
] as const;

export const indexMetrics = ({ reads }: Pick<Context, "reads">) =>
  metrics.map(({ name, help, table }) =>
    fill(Metrics, {
      name,
      help,
      type: "gauge",
      read: async () =>
        toNumber(
          (await reads.get<{ rows: number }>(`select count(*) as rows from ${table}`))?.rows,
        ),
    }),
  );
