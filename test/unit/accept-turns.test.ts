/** A thousand new connections are not all handled before the event loop continues. */
import { afterEach, describe, expect, test } from "bun:test";
import { connect } from "node:net";
import { AcceptTurns } from "../../core/http/accept-turns";
import { TcpSockets } from "../../core/http/tcp-sockets";
import { until } from "../helpers/server";

const connections = 60;
const request_ms = 2;
/** Connects so often, sends a request on each, and exits. */
const client = `
  const port = Number(process.argv.at(-1));
  const opened = Array.from({ length: ${connections} }, () => Bun.connect({
    hostname: "127.0.0.1", port,
    socket: { data() {}, open: (socket) => void socket.write("GET / HTTP/1.1\\r\\nhost: x\\r\\n\\r\\n") },
  }));
  await Promise.all(opened);
  process.exit(0);
`;

/** Requests by iteration of the event loop. */
let iterations: number[] = [];
let requests = 0;
let turns: AcceptTurns | undefined;
let server: Bun.Server<undefined> | undefined;
afterEach(async () => {
  turns?.close();
  await server?.stop(true);
});

function fetch(): Response {
  turns?.noteRequest();
  if (requests++ === 0) setImmediate(countIteration);
  const end_ms = performance.now() + request_ms;
  while (performance.now() < end_ms);
  return new Response("ok");
}
function countIteration(): void {
  iterations.push(requests);
  requests = 0;
}

function listen(has_turns: boolean): number {
  iterations = [];
  requests = 0;
  const open = () => Bun.serve({ port: 0, hostname: "127.0.0.1", fetch });
  turns = has_turns ? new AcceptTurns() : undefined;
  const opened = TcpSockets.listen(0, open);
  turns?.open(opened.listener);
  server = opened.server;
  return server.port!;
}

/** All connections wait to be accepted when the event loop continues. */
const sendMany = (port: number) => Bun.spawnSync([process.execPath, "-e", client, String(port)]);
const total = () => iterations.reduce((sum, count) => sum + count, 0);

const mayConnect = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.on("connect", () => resolve(true)).on("error", () => resolve(false));
    socket.on("connect", () => socket.destroy());
  });

describe.skipIf(TcpSockets.open() === null)("connections that wait to be accepted", () => {
  const servers: [reason: string, has_turns: boolean, least: number, most: number][] = [
    ["the runtime handles all in one iteration", false, connections, connections],
    ["with turns, only some of them", true, 1, 10],
  ];
  test.each(servers)("%s", async (_, has_turns, least, most) => {
    sendMany(listen(has_turns));
    await until(() => total() === connections);
    expect(Math.max(...iterations)).toBeWithin(least, most + 1);
  });

  test("all are answered, and later ones too", async () => {
    const port = listen(true);
    for (let round = 0; round < 3; round++) sendMany(port);
    await until(() => total() === 3 * connections);
    expect(await (await globalThis.fetch(`http://127.0.0.1:${port}/`)).text()).toBe("ok");
  });

  test("a server that stops while it is paused listens no more", async () => {
    const port = listen(true);
    sendMany(port);
    await until(() => total() > 0);
    turns!.close();
    await server!.stop(true);
    expect(await mayConnect(port)).toBe(false);
  });
});
