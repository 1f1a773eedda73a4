/** The events about runs on the stream `GET /events`. */
import { t, type PayloadOf } from "../../core/sdk";
import { RunningStatus, streamed } from "../events/contract";
import { ImportChanged } from "./contract";
import { FinishedEvent, finishedEvent } from "./runs";

const { import_run_id, ...counts } = t.Omit(FinishedEvent, ["event", "status"]).properties;
const fields = {
  import_run_id,
  folder_id: t.String(),
  total_item_count: t.Integer({ minimum: 0, description: "Items that are known so far." }),
  ...counts,
};
const sample = {
  import_run_id: "imp_00000000000000000000000000",
  folder_id: "fld_00000000000000000000000000",
  total_item_count: 3,
  completed_item_count: 2,
  succeeded_item_count: 2,
  failed_item_count: 0,
};

const stateOf = (run: PayloadOf<typeof ImportChanged>) => ({
  import_run_id: run.import_id,
  folder_id: run.folder_id,
  status: run.status,
  total_item_count: run.total,
  completed_item_count: run.succeeded + run.failed,
  succeeded_item_count: run.succeeded,
  failed_item_count: run.failed,
});

/** An event about an unfinished run is superseded by later ones. */
export const streamedRun = streamed(
  ImportChanged,
  [
    {
      type: "import.changed",
      description:
        "An import has begun, goes on, or is tried again. Of several, only the last may be told.",
      schema: t.Object({
        event: t.Literal("import.changed"),
        status: RunningStatus,
        ...fields,
      }),
      sample: { event: "import.changed", status: "running", ...sample },
    },
    {
      type: "import.finished",
      description:
        "An import was processed to its end, whether it went well or not; also one of files of a " +
        "device, of which no webhook is told.",
      schema: FinishedEvent,
      sample: finishedEvent({
        id: sample.import_run_id,
        status: "completed",
        succeeded: 3,
        failed: 0,
      }),
    },
    {
      type: "import.cancelled",
      description: "An import was cancelled.",
      schema: t.Object({
        event: t.Literal("import.cancelled"),
        status: t.Literal("cancelled"),
        ...fields,
      }),
      sample: { event: "import.cancelled", status: "cancelled", ...sample },
    },
  ],
  (run) => {
    const about = {
      owner_id: run.owner_id,
      folder_ids: [run.folder_id],
      replaces: `import ${run.import_id}`,
    };
    if (run.status === "pending" || run.status === "running")
      return { ...about, type: "import.changed", body: stateOf(run) };
    if (run.status === "cancelled")
      return { ...about, type: "import.cancelled", body: stateOf(run), stays: true };
    const { event: type, ...body } = finishedEvent({ ...run, id: run.import_id });
    return { ...about, type, body, stays: true };
  },
);
