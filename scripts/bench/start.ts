/** Rows: the time until a started server answers, and its idle memory. */
import { connect } from "node:net";
import { executable } from "../build";
import { cleanEnvironment } from "../lib/launch";
import { has_proc, median, rssMib, treePssMib, type Row } from "./measure";
import { addFolders, temporaryDirectory, startDossier } from "./server";

const rounds = 11;
const idle_ms = 5_000;

/** Milliseconds until `dossier version` has ended. */
async function versionMs(): Promise<number> {
  const started = performance.now();
  await Bun.spawn([executable, "version"], {
    env: cleanEnvironment(),
    stdout: "ignore",
    stderr: "ignore",
  }).exited;
  return performance.now() - started;
}

/**
 * Milliseconds from starting the server to its first response with status 200 to an authenticated
 * request.
 */
async function firstAnswerMs(data: string, key: string, port: number): Promise<number> {
  const started = performance.now();
  const server = Bun.spawn([executable, "serve", "--data", data, "--port", String(port)], {
    cwd: data,
    env: cleanEnvironment(),
    stdin: "ignore",
    stdout: "ignore",
    stderr: "ignore",
  });
  try {
    for (;;) {
      if (performance.now() - started > 30_000 || server.exitCode !== null)
        throw new Error(`the server on port ${port} did not answer`);
      if (!(await accepts(port))) {
        await Bun.sleep(0.5);
        continue;
      }
      const { status } = await fetch(`http://127.0.0.1:${port}/api/dev/v1/folders`, {
        headers: { authorization: `Bearer ${key}`, connection: "close" },
      });
      if (status === 200) return performance.now() - started;
    }
  } finally {
    server.kill("SIGTERM");
    await server.exited;
  }
}

const accepts = (port: number): Promise<boolean> => {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect(port, "127.0.0.1", () => {
    socket.destroy();
    resolve(true);
  });
  socket.once("error", () => resolve(false));
  return promise;
};

export async function startRows(): Promise<Row[]> {
  const temporary = temporaryDirectory();
  try {
    const first = await startDossier(temporary.directory);
    const { key, port } = first;
    await addFolders(first, 200);
    await first.stop();
    await versionMs();
    const later: number[] = [];
    const versions: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const version = await versionMs();
      versions.push(version);
      later.push((await firstAnswerMs(temporary.directory, key, port)) - version);
    }
    const start: Row = {
      name: "first 200 after a start",
      unit: "ms",
      target: { most: 100 },
      value: median(later),
      measured:
        "milliseconds later than `dossier version` has ended " +
        `(${median(versions).toFixed(0)} ms); ${rounds} rounds`,
    };
    return [start, ...(await idleRows(temporary.directory, key))];
  } finally {
    temporary.remove();
  }
}

async function idleRows(data: string, key: string): Promise<Row[]> {
  if (!has_proc) return [];
  const server = await startDossier(data, key);
  try {
    await server.call("GET", "/folders");
    await Bun.sleep(idle_ms);
    return [
      {
        name: "idle memory, all processes",
        unit: "MiB",
        target: { most: 70 },
        value: treePssMib(server.pid),
        measured:
          "proportional set size of the server and its children after " +
          `${idle_ms / 1000} s without requests`,
      },
      {
        name: "idle memory, resident",
        unit: "MiB",
        target: null,
        value: rssMib(server.pid),
        measured: "resident set size of the server, pages shared with other processes included",
      },
    ];
  } finally {
    await server.stop();
  }
}
