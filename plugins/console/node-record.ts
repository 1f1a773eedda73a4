/** A process that serves the database, as the console shows it. */
import { OneOf, rfc3339, t, Timestamp, type NodeOverview } from "../../core/sdk";

export const NodeRecord = t.Object({
  id: t.String(),
  host: t.String({ description: "The machine that it runs on." }),
  pid: t.Integer(),
  role: OneOf(["all", "web", "worker"]),
  version: t.String(),
  status: OneOf(["up", "silent", "gone"], {
    description: "`silent`: not seen for 20 s. `gone`: other processes have taken over its work.",
  }),
  here: t.Boolean({ description: "Whether this process answers the request." }),
  started_at: Timestamp(),
  seen_at: Timestamp(),
  jobs: t.Array(t.Object({ plugin: t.String(), name: t.String(), jobs: t.Integer() }), {
    description: "The number of jobs that it is running, by kind.",
  }),
});

export const node_example = {
  id: "node_01KAJ2Z9Q4W7N8X5R3T6V1Y0BC",
  host: "dossier-1",
  pid: 4711,
  role: "all",
  version: "0.1.0",
  status: "up",
  here: true,
  started_at: "2026-11-20T09:00:00.000Z",
  seen_at: "2026-11-21T09:00:00.000Z",
  jobs: [{ plugin: "documents", name: "documents.index", jobs: 1 }],
};

/** A process as `NodeRecord` describes it, with times in RFC 3339. */
export const nodeRecord = ({ started_at, seen_at, gone_at: _, jobs, ...node }: NodeOverview) => ({
  ...node,
  started_at: rfc3339(started_at),
  seen_at: rfc3339(seen_at),
  jobs: [...jobs],
});
