/** The usage of all users together, as metrics. */
import { fill, toNumber, type PreparedReads } from "../../core/sdk";
import { Metrics } from "../metrics/contract";
import type { Resource } from "./contract";

const metrics: readonly {
  readonly resource: Resource;
  readonly name: string;
  readonly help: string;
}[] = [
  { resource: "folders", name: "dossier_folders", help: "Folders of all users." },
  {
    resource: "chats",
    name: "dossier_chats",
    help: "Chat sessions of all users, including deleted ones that can be restored.",
  },
  {
    resource: "storage",
    name: "dossier_files_bytes",
    help: "Bytes of original files of all users.",
  },
];

/** Read from the table of usage. */
export const quotaMetrics = (reads: PreparedReads) =>
  metrics.map(({ resource, name, help }) =>
    fill(Metrics, {
      name,
      help,
      type: "gauge",
      read: async () =>
        toNumber(
          (
            await reads.get<{ used: number | null }>(
              "select sum(used) as used from quotas_used where what = ?",
              resource,
            )
          )?.used,
        ),
    }),
  );
