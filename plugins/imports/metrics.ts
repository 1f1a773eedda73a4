/** Counts import runs by status, as metrics. */
import { fill, toNumber, type Context } from "../../core/sdk";
import { Metrics } from "../metrics/contract";

/** Read from the table of runs. */
export const importMetrics = ({ reads }: Pick<Context, "reads">) => [
  fill(Metrics, {
    name: "dossier_import_runs",
    help: "Stored import runs by status.",
    type: "gauge",
    read: async () => {
      const rows = await reads.all<{ status: string; runs: number }>(
        "select status, count(*) as runs from imports_runs group by status",
      );
      return rows.map(({ status, runs }) => ({ labels: { status }, value: toNumber(runs) }));
    },
  }),
];
