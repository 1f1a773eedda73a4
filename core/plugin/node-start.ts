/** Makes this process known to the others, if it can work beside them. */
import type { Config } from "../base/config";
import type { Nodes } from "../store/nodes";

interface NodeStart {
  readonly nodes: Nodes;
  readonly config: Config;
}

/**
 * Answers the ids of earlier processes on the same data directory. @throws Error in words when
 * there are others, and originals lie in the own data directory
 */
export async function startNode(parts: NodeStart): Promise<readonly string[]> {
  const gone = await parts.nodes.start();
  await requireSharedFiles(parts);
  return gone;
}

async function requireSharedFiles({ nodes, config }: NodeStart): Promise<void> {
  if (!nodes.shared || config.values.files?.url !== undefined) return;
  const other = (await nodes.list()).find(({ id }) => id !== nodes.id);
  if (other === undefined) return;
  await nodes.stop();
  throw new Error(
    `another process serves the database (on ${other.host}, process ${other.pid}), and would not ` +
      "find the originals that this one keeps in its data directory. Give all of them the same " +
      "files.url, a bucket or a directory that they share; or stop that one, and wait 20 s if it " +
      "was killed.",
  );
}
