/** Connections with a chunked body receive little until it is known to have ordinary chunks. */
import { afterAll, beforeEach, describe, expect, spyOn, test } from "bun:test";
import { connect, type Socket } from "node:net";
import { ReceiveWindows } from "../../core/http/receive-windows";
import { TcpSockets } from "../../core/http/tcp-sockets";
import { until } from "../helpers/server";

/** Watches the connections of the next test. */
let windows: ReceiveWindows;
let requests = 0;
const options: Bun.Serve.Options<undefined> = {
  port: 0,
  hostname: "127.0.0.1",
  async fetch(request: Request, self: Bun.Server<undefined>) {
    const peer = self.requestIP(request)!;
    const { pathname } = new URL(request.url);
    const length = pathname === "/small" ? 0 : Number(request.headers.get("content-length"));
    const bodyEnded = windows.noteRequest(peer, {
      is_chunked: request.headers.has("transfer-encoding"),
      length,
    });
    requests++;
    if (pathname === "/refused") return new Response("no", { status: 401 });
    let bytes = 0;
    for await (const { byteLength } of request.body ?? []) bytes += byteLength;
    bodyEnded();
    return new Response(`${bytes} bytes`);
  },
};
const { server, listener } = TcpSockets.listen(0, () => Bun.serve(options));
const watchWith = (is_encrypted: boolean): void => {
  windows = new ReceiveWindows({ is_encrypted });
  windows.open(server.port!, listener);
};
// A new one has no slow search behind it, after which the next one would wait.
beforeEach(() => watchWith(false));
afterAll(() => server.stop(true));

const sockets = TcpSockets.open();
/** As the kernel reports them: twice what was asked for. */
const tiny_chunks_bytes = 64 * 1024;
const begun_bytes = 128 * 1024;
const ordinary_bytes = 512 * 1024;
const crowded_bytes = 32 * 1024;

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

  /** Whether the kernel chooses a larger buffer for a body of a hundred megabytes. */
  async bufferGrows(): Promise<boolean> {
    for (let sent = 0; sent < 900 && this.bufferBytes() <= begun_bytes; sent++)
      await this.send("x".repeat(100_000));
    return this.bufferBytes() > begun_bytes;
  }

  close = () => this.socket.destroy();
}

const openClients = (count: number) =>
  Promise.all(Array.from({ length: count }, () => Client.open()));

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
    expect(await client.bufferGrows()).toBe(true);
    client.close();
  });

  test("is not changed by the end of an earlier body", async () => {
    const client = await Client.open();
    // The server has accepted the connection once it has read a request.
    await client.begin("/small", "content-length: 0");
    const peer = { address: "127.0.0.1", port: client.port };
    const earlierEnded = windows.noteRequest(peer, { is_chunked: true });
    await client.begin("/read");
    earlierEnded();
    await client.send(tiny);
    expect(client.bufferBytes()).toBe(tiny_chunks_bytes);
    client.close();
  });

  const searches: [string, (clients: readonly Client[]) => Promise<void>][] = [
    [
      "requests that arrive together are found in one search",
      async (clients) => {
        for (const { port } of clients)
          windows.noteRequest({ address: "127.0.0.1", port }, { is_chunked: true });
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
    const clients = await openClients(3);
    const search = spyOn(TcpSockets.prototype, "connections");
    await request(clients);
    expect(search).toHaveBeenCalledTimes(1);
    search.mockRestore();
    for (const client of clients) {
      windows.noteRequest({ address: "127.0.0.1", port: client.port }, { is_chunked: false });
      client.close();
    }
  });

  const encrypted: [reason: string, connections: number, bytes: number][] = [
    ["of few connections it is large", 2, ordinary_bytes],
    ["of several it is small, whatever they send", 3, tiny_chunks_bytes],
    ["of very many it is smaller still", 100, crowded_bytes],
  ];
  test.each(encrypted)("with TLS, %s", async (_, connections, bytes) => {
    watchWith(true);
    const clients = await openClients(connections);
    for (const client of clients) await client.begin("/read");
    await until(() => {
      windows.inspect();
      return clients.every((client) => client.bufferBytes() === bytes);
    });
    for (const client of clients) client.close();
  });

  const length = "content-length: 100000000";
  /** Whether the buffer of a new connection grows, whose first body counts as small. */
  const newOneGrows = async (): Promise<boolean> => {
    const client = await Client.open();
    await client.begin("/small", length);
    const has_grown = await client.bufferGrows();
    client.close();
    return has_grown;
  };

  test("is small before the first request while there are many chunked bodies", async () => {
    const clients = await openClients(20);
    for (const client of clients) await client.begin("/read");
    expect(await newOneGrows()).toBe(false);
    const large = await Client.open();
    await large.begin("/large", length);
    expect(await large.bufferGrows()).toBe(true);
    for (const client of [...clients, large]) client.close();
    await until(newOneGrows);
  });

  test("is that of any other as soon as the bodies of many open connections have ended", async () => {
    const clients = await openClients(20);
    for (const client of clients) {
      await client.begin("/read");
      await client.send("2\r\n{}\r\n0\r\n\r\n");
    }
    for (const client of clients) await until(() => client.received.endsWith(" bytes"));
    expect(await newOneGrows()).toBe(true);
    for (const client of clients) client.close();
  });
});
