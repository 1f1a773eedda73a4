/** Connections with a chunked body receive little until it is known to have ordinary chunks. */
import { afterAll, describe, expect, spyOn, test } from "bun:test";
import { connect, type Socket } from "node:net";
import { ReceiveWindows } from "../../core/http/receive-windows";
import { TcpSockets } from "../../core/http/tcp-sockets";
import { until } from "../helpers/server";

const windows = new ReceiveWindows();
let requests = 0;
const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  async fetch(request, self) {
    windows.noteRequest(self.requestIP(request)!, request.headers.has("transfer-encoding"));
    requests++;
    if (new URL(request.url).pathname === "/refused") return new Response("no", { status: 401 });
    let bytes = 0;
    for await (const { byteLength } of request.body ?? []) bytes += byteLength;
    return new Response(`${bytes} bytes`);
  },
});
windows.open(server.port!);
afterAll(() => server.stop(true));

const sockets = TcpSockets.open();
/** As the kernel reports them: twice what was asked for. */
const tiny_chunks_bytes = 64 * 1024;
const begun_bytes = 128 * 1024;

const nextIteration = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

class Client {
  received = "";
  private constructor(private readonly socket: Socket) {
    socket.on("data", (data) => (this.received += data.toString())).on("error", () => undefined);
  }

  static open = () =>
    new Promise<Client>((resolve) => {
      const socket = connect(server.port!, "127.0.0.1", () => resolve(new Client(socket)));
    });

  get port(): number {
    return this.socket.localPort!;
  }

  bufferBytes(): number {
    const found = sockets!.connections(server.port!, new Set([this.port]));
    return found.get(this.port)![0]!.receiveBufferBytes();
  }

  /** Sends the head of a request; resolves when the server has it and has found the socket. */
  async begin(path: string, framing = "transfer-encoding: chunked"): Promise<void> {
    const before = requests;
    this.socket.write(`POST ${path} HTTP/1.1\r\nhost: x\r\n${framing}\r\n\r\n`);
    await until(() => requests > before);
    await nextIteration();
  }

  /** Sends a part of the body, and looks at it before the server has read it. */
  async send(bytes: string): Promise<void> {
    this.socket.write(bytes);
    windows.inspect();
    await nextIteration();
  }

  close = () => this.socket.destroy();
}

const tiny = "1\r\nx\r\n".repeat(5_000);
const ordinary = `4000\r\n${"x".repeat(0x4000)}\r\n`;

describe.skipIf(sockets === null)("the window of a connection", () => {
  const paths: [string][] = [["/read"], ["/refused"]];

  test.each(paths)("is small for tiny chunks: %s", async (path) => {
    const client = await Client.open();
    await client.begin(path);
    await client.send(tiny);
    expect(client.bufferBytes()).toBe(tiny_chunks_bytes);
    client.close();
  });

  test.each(paths)("grows with ordinary chunks, until tiny ones follow: %s", async (path) => {
    const client = await Client.open();
    await client.begin(path);
    for (let i = 0; i < 8; i++) await client.send(ordinary);
    expect(client.bufferBytes()).toBeGreaterThan(begun_bytes);
    await client.send(tiny);
    expect(client.bufferBytes()).toBe(tiny_chunks_bytes);
    client.close();
  });

  test.each(paths)("is that of any other once the body has ended: %s", async (path) => {
    const client = await Client.open();
    await client.begin(path);
    await client.send(`${tiny}0\r\n\r\n`);
    expect(client.bufferBytes()).toBe(tiny_chunks_bytes);
    await until(() => /(?: bytes|no)$/.test(client.received));
    await client.begin("/read", "content-length: 100000000");
    const deadline = performance.now() + 4_000;
    while (client.bufferBytes() <= begun_bytes && performance.now() < deadline)
      await client.send("x".repeat(100_000));
    expect(client.bufferBytes()).toBeGreaterThan(begun_bytes);
    client.close();
  });

  const searches: [string, (clients: readonly Client[]) => Promise<void>][] = [
    [
      "requests that arrive together are found in one search",
      async (clients) => {
        for (const { port } of clients) windows.noteRequest({ address: "127.0.0.1", port }, true);
        await nextIteration();
      },
    ],
    [
      "later requests of a connection are known",
      async ([client]) => {
        for (let i = 0; i < 3; i++) {
          await client!.begin("/read");
          await client!.send("0\r\n\r\n");
        }
      },
    ],
  ];

  test.each(searches)("takes few searches among all sockets: %s", async (_, request) => {
    const clients = await Promise.all(Array.from({ length: 3 }, () => Client.open()));
    const search = spyOn(TcpSockets.prototype, "connections");
    await request(clients);
    expect(search).toHaveBeenCalledTimes(1);
    search.mockRestore();
    for (const client of clients) {
      windows.noteRequest({ address: "127.0.0.1", port: client.port }, false);
      client.close();
    }
  });
});
