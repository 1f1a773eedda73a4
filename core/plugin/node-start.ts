/** Registers this process with the others, if it can work beside them. */
import type { Config } from "../base/config";
import { errorFields, type Log } from "../base/log";
import type { JobQueue } from "../jobs/queue";
import type { Nodes } from "../store/nodes";

interface NodeStart {
  readonly nodes: Nodes;
  readonly config: Config;
  readonly log: Log;
  /** Continues the jobs of processes that have gone. */
  readonly queue: Pick<JobQueue, "takeOver">;
}

/**
 * Returns the ids of earlier processes on the same data directory. @throws Error in plain words
 * when there are others and originals are kept in its own data directory
 */
export async function startNode(options: NodeStart): Promise<readonly string[]> {
  const gone_nodes = await options.nodes.start();
  await requireSharedFiles(options);
  const { nodes, queue, log } = options;
  nodes.onGone((ids) => {
    queue.takeOver(ids).catch((error: unknown) => {
      log.warn("jobs of a process that is gone wait until their leases expire", errorFields(error));
    });
  });
  return gone_nodes;
}

async function requireSharedFiles({
  nodes,
  config,
}: Pick<NodeStart, "nodes" | "config">): Promise<void> {
  if (!nodes.shared || config.values.files?.url !== undefined) return;
  const other_node = (await nodes.list()).find(({ id }) => id !== nodes.id);
  if (other_node === undefined) return;
  await nodes.stop();
  throw new Error(
    `another process serves the database (on ${other_node.host}, process ${other_node.pid}), ` +
      "and would not find the originals that this one keeps in its data directory. Give all of " +
      "them the same files.url, a bucket or a directory that they share; or stop that one, and " +
      "wait 20 s if it was killed.",
  );
}
