/** A stable port, because cookies, bookmarks and commands depend on it. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";

/** `chosen`; otherwise the port remembered in `file`, or a free one, remembered from then on. */
export async function portFor(file: string, chosen: number | undefined): Promise<number> {
  if (chosen !== undefined) return chosen;
  const remembered_port = existsSync(file) ? Number(readFileSync(file, "utf8")) : 0;
  const port = freePort(remembered_port) ?? freePort(0)!;
  writeFileSync(file, String(port));
  return port;
}

function freePort(port: number): number | undefined {
  try {
    const listener = Bun.listen({ hostname: "127.0.0.1", port, socket: { data() {} } });
    listener.stop(true);
    return listener.port;
  } catch {
    return undefined;
  }
}
