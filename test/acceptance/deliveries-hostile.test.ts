/**
 * Acceptance, on the executable: malicious receivers and a malicious environment. A number in
 * brackets names a threat.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as certificates from "../helpers/certificates";
import { until } from "../helpers/server";
import { allowed, finished, startHooks, type Hooks } from "../helpers/hooks";

const directory = mkdtempSync(join(tmpdir(), "dossier-hostile-"));
const root = join(directory, "root.pem");
writeFileSync(root, certificates.root);
let through_proxy = 0;
const proxy = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: () => {
    through_proxy += 1;
    return new Response("proxied", { status: 299 });
  },
});
const at = `http://127.0.0.1:${proxy.port}`;
/** Disables certificate checks and sends everything through a proxy. */
const hostile = {
  NODE_TLS_REJECT_UNAUTHORIZED: "0",
  HTTP_PROXY: at,
  HTTPS_PROXY: at,
  ALL_PROXY: at,
  http_proxy: at,
  https_proxy: at,
  all_proxy: at,
};

let hooks: Hooks;
beforeAll(async () => {
  hooks = await startHooks({ env: { ...hostile, NODE_EXTRA_CA_CERTS: root } });
}, 180_000);
afterAll(async () => {
  await hooks?.[Symbol.asyncDispose]();
  await proxy.stop(true);
  rmSync(directory, { recursive: true });
});

type Speaks = (socket: Socket) => void;
/** A server that writes raw bytes once a request begins to arrive. */
async function speaking(speak: Speaks): Promise<{
  readonly port: number;
  readonly connections: () => number;
  readonly open: () => number;
  readonly stop: () => void;
}> {
  let connections = 0;
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    connections += 1;
    open.add(socket);
    socket.on("error", () => undefined).on("close", () => open.delete(socket));
    socket.once("data", () => speak(socket));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, allowed, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => connections,
    open: () => open.size,
    stop: () => {
      for (const socket of open) socket.destroy();
      server.close();
    },
  };
}
const says =
  (...pieces: readonly (string | Uint8Array)[]): Speaks =>
  (socket) => {
    for (const piece of pieces) socket.write(piece);
    setTimeout(() => socket.destroy(), 30);
  };
const reset =
  (text: string): Speaks =>
  (socket) =>
    socket.write(text, () => socket.resetAndDestroy());
/** Writes without end for as long as the client reads. */
const endless =
  (head: string, piece: string | Uint8Array): Speaks =>
  (socket) => {
    socket.write(head);
    const more = () => {
      while (!socket.destroyed && socket.write(piece));
    };
    socket.on("drain", more);
    more();
  };
const dripping =
  (head: string): Speaks =>
  (socket) => {
    socket.write(head);
    const timer = setInterval(() => socket.write("x"), 50);
    socket.on("close", () => clearInterval(timer));
  };
const rssMib = (): number =>
  existsSync(`/proc/${hooks.server.pid()}/status`)
    ? Number(
        /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${hooks.server.pid()}/status`, "utf8"))![1],
      ) / 1_024
    : 0;

describe("[18] the status line alone decides, and no more is read than needed", () => {
  const ok = "HTTP/1.1 200 OK\r\n";
  const bomb = Bun.gzipSync(new Uint8Array(64 * 2 ** 20));
  const cases: [why: string, speak: Speaks, ends: string, times: number][] = [
    ["2xx, then closed early", says(`${ok}content-length: 100\r\n\r\nhalf`), "delivered", 1],
    [
      "2xx, then invalid chunks",
      says(`${ok}transfer-encoding: chunked\r\n\r\nzzz\r\n`),
      "delivered",
      1,
    ],
    [
      "2xx, then reset",
      (socket) => {
        socket.write(`${ok}content-length: 100\r\n\r\nhalf`);
        setTimeout(() => socket.resetAndDestroy(), 30);
      },
      "delivered",
      1,
    ],
    ["2xx and an endless body", endless(`${ok}\r\n`, new Uint8Array(65_536)), "delivered", 1],
    [
      "2xx and endless chunks",
      endless(`${ok}transfer-encoding: chunked\r\n\r\n`, `10000\r\n${"x".repeat(65_536)}\r\n`),
      "delivered",
      1,
    ],
    ["2xx and a slow body", dripping(`${ok}content-length: 100000\r\n\r\n`), "delivered", 1],
    [
      "2xx and a gzip bomb",
      (socket) => {
        socket.write(`${ok}content-encoding: gzip\r\ncontent-length: ${bomb.length}\r\n\r\n`);
        socket.write(bomb);
      },
      "delivered",
      1,
    ],
    [
      "100, then 204",
      says("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n"),
      "delivered",
      1,
    ],
    [
      "2xx, then a second response",
      says(`${ok}content-length: 0\r\n\r\nHTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\n`),
      "delivered",
      1,
    ],
    [
      "an unrequested upgrade",
      says("HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n"),
      "dropped",
      3,
    ],
    ["an invalid status", says("HTTP/1.1 999 What\r\ncontent-length: 0\r\n\r\n"), "dropped", 3],
    ["only a 2xx status line, then reset", reset("HTTP/1.1 204 No Content\r\n"), "delivered", 1],
    ["a 2xx status line without line end, then reset", reset("HTTP/1.1 204"), "delivered", 1],
    ["only a 500 status line, then reset", reset("HTTP/1.1 500 No\r\n"), "dropped", 3],
    ["an incomplete status code, then reset", reset("HTTP/1.1 20"), "dropped", 3],
    ["100, then reset", reset("HTTP/1.1 100 Continue\r\n\r\n"), "dropped", 3],
    ["no response", says(), "dropped", 3],
    ["garbage", says("\u0000\u0001 what?\r\n\r\n"), "dropped", 3],
    ["another protocol", says("SSH-2.0-OpenSSH_9.2\r\n"), "dropped", 3],
    ["2xx and incomplete headers", says(`${ok}content-le`), "delivered", 1],
    ["2xx and endless headers", endless(ok, `x-y: ${"y".repeat(8_000)}\r\n`), "delivered", 1],
    ["2xx and an endless header line", endless(`${ok}x-y: `, "y".repeat(65_536)), "delivered", 1],
    ["endless interim responses", endless("", "HTTP/1.1 100 Go\r\n\r\n".repeat(500)), "dropped", 3],
    ["an endless status line", endless("HTTP/1.1 200 ", "y".repeat(65_536)), "dropped", 3],
    [
      "500 and an endless body",
      endless("HTTP/1.1 500 No\r\n\r\n", new Uint8Array(65_536)),
      "dropped",
      3,
    ],
  ];
  for (const [why, speak, ends, times] of cases)
    test(why, async () => {
      const server = await speaking(speak);
      await using hook = await hooks.register(`http://hook.test:${server.port}/`);
      const before_mib = rssMib();
      await hooks.emit(finished);
      const [delivery] = await hook.ended();
      expect({
        status: delivery.status,
        attempts: delivery.attempts.length,
        connections: server.connections(),
      }).toEqual({ status: ends, attempts: times, connections: times });
      for (const { response_body } of delivery.attempts)
        expect((response_body ?? "").length).toBeLessThanOrEqual(4_096);
      expect(rssMib() - before_mib).toBeLessThan(40);
      // No connection stays open on which more data could arrive.
      await until(() => server.open() === 0);
      server.stop();
    });
});

describe("[15] [16] certificates must be matching, current and trusted in any environment", () => {
  let requests = 0;
  const serve = (tls?: { readonly key: string; readonly cert: string }) =>
    Bun.serve({
      port: 0,
      hostname: allowed,
      ...(tls ? { tls } : {}),
      fetch: () => {
        requests += 1;
        return new Response(null, { status: 204 });
      },
    });
  const servers = {
    plain: serve(),
    good: serve({ key: certificates.key, cert: certificates.good }),
    expired: serve({ key: certificates.key, cert: certificates.expired }),
    other: serve({ key: certificates.other_key, cert: certificates.other }),
    garbage: Bun.listen({
      port: 0,
      hostname: allowed,
      socket: { data: (socket) => void socket.end(crypto.getRandomValues(new Uint8Array(512))) },
    }),
  };
  afterAll(() => {
    for (const server of Object.values(servers)) void server.stop(true);
  });
  const url = (scheme: string, name: keyof typeof servers, host = "hook.test") =>
    `${scheme}://${host}:${servers[name].port}/`;
  const cases: [why: string, url: string, ends: string][] = [
    ["a valid certificate", url("https", "good"), "delivered"],
    ["one for another name", url("https", "other"), "dropped"],
    ["an expired one", url("https", "expired"), "dropped"],
    ["one for a name, used for an IP address", url("https", "good", allowed), "dropped"],
    ["https to a server without TLS", url("https", "plain"), "dropped"],
    ["https to a server that answers with garbage", url("https", "garbage"), "dropped"],
    ["http to a server with TLS", url("http", "good"), "dropped"],
    ["http without TLS", url("http", "plain"), "delivered"],
  ];
  const deliver = async (to: Hooks, one: string) => {
    requests = 0;
    await using hook = await to.register(one);
    await to.emit(finished);
    const [delivery] = await hook.ended();
    return { status: delivery.status, attempts: delivery.attempts.length, asked: requests };
  };
  for (const [why, one, ends] of cases)
    test(why, async () => {
      expect(await deliver(hooks, one)).toEqual(
        ends === "delivered"
          ? { status: ends, attempts: 1, asked: 1 }
          : { status: ends, attempts: 3, asked: 0 },
      );
    });

  test("one that matches but isn't trusted", async () => {
    await using strict = await startHooks({ env: hostile });
    expect(await deliver(strict, url("https", "good"))).toEqual({
      status: "dropped",
      attempts: 3,
      asked: 0,
    });
    expect((await deliver(strict, url("http", "plain"))).status).toBe("delivered");
  });

  test("the proxies of the environment are not used", () => expect(through_proxy).toBe(0));
});
