/** A process that serves the database, as the console shows it. */
import { OneOf, rfc3339, t, Timestamp, type NodeOverview } from "../../core/sdk";

export const NodeRecord = t.Object({
  id: t.String(),
  host: t.String({ description: "The machine that it runs on." }),
  pid: t.Integer(),
  role: OneOf(["all", "web", "worker"]),
  version: t.String(),
  status: OneOf(["up", "silent", "gone"], {
    description: "Silent: not seen for 20 s. Gone: others go on with what it was doing.",
  }),
  here: t.Boolean({ description: "It is the one that answers." }),
  started_at: Timestamp(),
  seen_at: Timestamp(),
  jobs: t.Array(t.Object({ plugin: t.String(), name: t.String(), jobs: t.Integer() }), {
    description: "What it runs.",
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
