/**
 * Several processes of the executable on one database behind one address, which passes connections
 * to them in turn. They use the originals and the key of the first.
 */
import { copyFileSync, existsSync, mkdirSync, symlinkSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { launch, type Launched, type LaunchOptions } from "../../scripts/lib/launch";

/** The originals are where tests look for them. */
export const groupSettings = (data: string): Readonly<Record<string, string>> => ({
  DOSSIER_FILES_URL: `file://${join(data, "files")}`,
  DOSSIER_FILES_KEEP_DELETED: "0s",
});

/** The data directory of each process. */
export const directoriesOf = (data: string, count: number): string[] =>
  Array.from({ length: count }, (_, n) => (n === 0 ? data : `${data}-${n + 1}`));

/** Starts the processes, and the address before them. */
export async function launchGroup(options: LaunchOptions, count: number): Promise<Launched> {
  const { data } = options;
  mkdirSync(join(data, "files"), { recursive: true });
  for (const directory of directoriesOf(data, count).slice(1)) {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    mkdirSync(join(data, "plugins"), { recursive: true });
    if (!existsSync(join(directory, "plugins")))
      symlinkSync(join(data, "plugins"), join(directory, "plugins"));
    if (existsSync(join(data, "dossier.toml")))
      copyFileSync(join(data, "dossier.toml"), join(directory, "dossier.toml"));
  }
  const all: Launched[] = [];
  const balancer = await openLoadBalancer(() => all.map(({ url }) => Number(new URL(url).port)));
  const env = {
    DOSSIER_SERVER_PUBLIC_URL: balancer.url,
    ...options.env,
    // Its own address is only in the log.
    DOSSIER_SERVER_LOG_LEVEL: "info",
  };
  const start = async (directory: string): Promise<void> => {
    all.push(await launch({ ...options, data: directory, env }));
  };
  try {
    const [first, ...others] = directoriesOf(data, count);
    await start(first!);
    for (const directory of others)
      copyFileSync(join(data, "secret.key"), join(directory, "secret.key"));
    const failed = (await Promise.allSettled(others.map(start))).find(
      (outcome) => outcome.status === "rejected",
    );
    if (failed) throw failed.reason;
  } catch (error) {
    for (const process of all) process.kill("SIGKILL");
    throw error;
  }
  const exited = Promise.all(all.map((process) => process.exited)).then((codes) => {
    balancer.close();
    return codes.find((code) => code !== 0) ?? 0;
  });
  return {
    url: balancer.url,
    pid: all[0]!.pid,
    output: () => all.map((process) => process.output()).join(""),
    exited,
    kill: (signal) => all.forEach((process) => process.kill(signal)),
  };
}

/** An address that passes its connections to these ports in turn. */
async function openLoadBalancer(ports: () => readonly number[]) {
  let turn = 0;
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const to = ports();
    const process = connect(to[turn++ % to.length]!, "127.0.0.1");
    for (const [from, into] of [
      [client, process],
      [process, client],
    ] as const) {
      open.add(from);
      from.setNoDelay(true);
      from.on("error", () => into.destroy());
      from.on("close", () => {
        open.delete(from);
        into.end();
      });
      from.pipe(into);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${port}`,
    close(): void {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
}
