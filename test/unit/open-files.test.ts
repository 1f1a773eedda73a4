/** What goes on while the process has too many files open. */
import { expect, test } from "bun:test";
import { resolve } from "node:path";

const root = resolve(import.meta.dir, "../..");

/** In a process of its own: it opens as many files as it may, and closes them afterwards. */
const withoutFiles = (prepare: string, during: string): string => `
  import { closeSync, openSync } from "node:fs";
  import { usesMuchMemory } from "${root}/core/lib/memory-use";
  import { systemClock } from "${root}/core/base/clock";
  import { TcpSockets } from "${root}/core/http/tcp-sockets";
  ${prepare}
  const files = [];
  try { for (;;) files.push(openSync("/dev/null", "r")); } catch {}
  ${during}
  for (const file of files) closeSync(file);
`;

const cases: [reason: string, prepare: string, during: string, printed: string][] = [
  [
    "the memory in use is the last known",
    "usesMuchMemory();",
    "console.log(usesMuchMemory());",
    "false",
  ],
  [
    "no socket is found, and nothing fails",
    "const sockets = TcpSockets.open();",
    "console.log(sockets.connections(1, new Set([2])).size);",
    "0",
  ],
  [
    "the machine is the same one",
    "const { boot } = systemClock.uptime();",
    "console.log(systemClock.uptime().boot === boot);",
    "true",
  ],
];

test.skipIf(process.platform !== "linux").each(cases)(
  "%s",
  async (_reason, prepare, during, printed) => {
    const code = withoutFiles(prepare, during);
    const limited = `ulimit -n 64; exec "$0" -e "$1"`;
    const child = Bun.spawn(["sh", "-c", limited, process.execPath, code], {
      cwd: root,
      stdout: "pipe",
      stderr: "pipe",
    });
    const [out, errors] = await Promise.all([child.stdout.text(), child.stderr.text()]);
    expect([await child.exited, errors, out.trim()]).toEqual([0, "", printed]);
  },
);
