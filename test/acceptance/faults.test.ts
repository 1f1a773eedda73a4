/** Machine faults: a log that can't be written, and a disk that loses writes. */
import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildIfStale, executable } from "../../scripts/build";
import { cleanEnvironment } from "../../scripts/lib/launch";
import { startExecutable } from "../helpers/executable";
import { until } from "../helpers/server";

const strace = Bun.which("strace");
const directories: string[] = [];
afterAll(() => {
  for (const path of directories) rmSync(path, { recursive: true, force: true });
});
const temporary = (): string => {
  const path = mkdtempSync(join(tmpdir(), "dossier-faults-"));
  directories.push(path);
  return path;
};

describe("a log that can't be written", () => {
  test.skipIf(process.platform !== "linux")("doesn't block requests or the shutdown", async () => {
    await buildIfStale();
    const data = temporary();
    const server = Bun.spawn([executable, "serve", "--data", data, "--port", "0"], {
      cwd: data,
      env: cleanEnvironment({ DOSSIER_SERVER_LOG_LEVEL: "debug" }),
      stdin: "ignore",
      stdout: "pipe",
      stderr: openSync("/dev/full", "w"),
    });
    let output = "";
    const drained = (async () => {
      for await (const bytes of server.stdout) output += new TextDecoder().decode(bytes);
    })();
    while (!/http:\/\/\S+:\d+\/\s/.test(output)) await Bun.sleep(10);
    const url = /http:\/\/\S+:\d+/.exec(output)![0];
    // The first failing line, and any endless retry, happen right after the start.
    await Bun.sleep(1_500);
    for (let i = 0; i < 5; i++) expect((await fetch(`${url}/health`)).status).toBe(200);
    server.kill("SIGTERM");
    expect(await server.exited).toBe(0);
    await drained;
  });
});

describe("a disk that loses a write", () => {
  test.skipIf(strace === null)(
    "stops the server with the reason, and no confirmed data is lost",
    async () => {
      await using server = await startExecutable();
      const { body: kept_folder } = await server.send("ada", "POST", "/folders", { name: "Kept" });
      const tracer = Bun.spawn(
        [
          strace!,
          "-f",
          "-p",
          String(server.pid()),
          "-e",
          "trace=fsync,fdatasync",
          "-e",
          "inject=fsync,fdatasync:error=EIO",
        ],
        { stdout: "ignore", stderr: "pipe" },
      );
      const attached = Promise.withResolvers<void>();
      // Read to its end: a message that cannot be written would end the tracer.
      const read = (async () => {
        for await (const bytes of tracer.stderr)
          if (new TextDecoder().decode(bytes).includes("attached")) attached.resolve();
      })();
      await attached.promise;
      const statuses: number[] = [];
      const isGone = () => {
        try {
          process.kill(server.pid(), 0);
          return false;
        } catch {
          return true;
        }
      };
      while (!isGone() && statuses.length < 50)
        statuses.push(
          await server.send("ada", "POST", "/folders", { name: "Lost" }).then(
            ({ status }) => status,
            () => 0,
          ),
        );
      expect(statuses.filter((status) => status === 201)).toEqual([]);
      await until(() => server.output().includes("the disk lost a write"));
      tracer.kill();
      await Promise.all([tracer.exited, read]);
      await server.restart();
      expect((await server.send("ada", "GET", `/folders/${kept_folder.id}`)).status).toBe(200);
    },
  );
});
