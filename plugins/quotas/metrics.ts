/** The usage of all users together, as metrics. */
import { fill, toNumber, type PreparedReads } from "../../core/sdk";
import { Metrics } from "../metrics/contract";
import type { Counted } from "./contract";

const metrics: readonly { readonly what: Counted; readonly name: string; readonly help: string }[] =
  [
    { what: "folders", name: "dossier_folders", help: "Folders of all users." },
    {
      what: "chats",
      name: "dossier_chats",
      help: "Chat sessions of all users, including deleted ones that can be restored.",
    },
    {
      what: "storage",
      name: "dossier_files_bytes",
      help: "Bytes of original files of all users.",
    },
  ];

export const quotaMetrics = (reads: PreparedReads) =>
  metrics.map(({ what, name, help }) =>
    fill(Metrics, {
      name,
      help,
      type: "gauge",
      read: async () =>
        toNumber(
          (
            await reads.get<{ used: number | null }>(
              "select sum(used) as used from quotas_used where what = ?",
              what,
            )
          )?.used,
        ),
    }),
  );
