/** The executable with its own HTTPS and on a Unix socket. */
import { expect, test } from "bun:test";
import { cpSync, existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "node:tls";
import { executable } from "../../scripts/build";
import { cleanEnvironment, runCommand } from "../../scripts/lib/launch";
import { selfSigned } from "../helpers/self-signed";
import { temporaryDirectory } from "../helpers/data-directory";
import { startExecutable } from "../helpers/executable";

interface Health {
  readonly status: string;
  readonly tls?: string | null;
}
const insecure = { tls: { rejectUnauthorized: false } };

/** The name in the server's current certificate. */
function shownName(url: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const socket = connect(
    { host: "127.0.0.1", port: Number(new URL(url).port), rejectUnauthorized: false },
    () => {
      resolve(String(socket.getPeerCertificate().subject.CN));
      socket.destroy();
    },
  );
  socket.on("error", reject);
  return promise;
}

test("HTTPS reloads its certificate when the file changes", async () => {
  const directory = mkdtempSync(join(tmpdir(), "dossier-tls-"));
  const at = (name: string) => join(directory, name);
  for (const name of ["first", "second"]) {
    const { cert, key } = await selfSigned(name);
    writeFileSync(at(`${name}.crt`), cert);
    writeFileSync(at(`${name}.key`), key);
  }
  const use = (cert: string, key: string) => {
    cpSync(at(`${cert}.crt`), at("server.crt"));
    cpSync(at(`${key}.key`), at("server.key"));
  };
  use("first", "first");
  await using server = await startExecutable({
    env: {
      DOSSIER_SERVER_TLS_CERT: at("server.crt"),
      DOSSIER_SERVER_TLS_KEY: at("server.key"),
      DOSSIER_ADMIN_EMAIL: "root@x.example",
      DOSSIER_ADMIN_PASSWORD: "correct horse battery",
    },
  });
  const url = server.url();
  expect(url).toStartWith("https://");
  const health = async () => (await (await fetch(`${url}/health`, insecure)).json()) as Health;
  expect([await shownName(url), (await health()).tls]).toEqual(["first", null]);
  const signed = await fetch(`${url}/console/api/v1/session`, {
    ...insecure,
    method: "POST",
    headers: { "content-type": "application/json", origin: url },
    body: JSON.stringify({ email: "root@x.example", password: "correct horse battery" }),
  });
  expect(signed.headers.get("set-cookie")).toMatch(/^__Host-dossier=dss_.*; Secure$/);

  // Connections made with the old certificate stay open, such as a user's event stream.
  const stream = await fetch(`${url}/console/api/v1/events`, {
    ...insecure,
    headers: { cookie: signed.headers.get("set-cookie")!.split(";")[0]! },
  });
  const reader = stream.body!.getReader();
  expect((await reader.read()).done).toBe(false);

  use("second", "first");
  await server.untilTrue(async () => (await health()).status === "degraded");
  expect((await health()).tls).toContain(`${at("server.key")} (server.tls_key) does not belong`);
  expect(server.output()).toContain("the certificate can't be reloaded");
  expect(await shownName(url)).toBe("first");

  use("second", "second");
  // A connection made while the listener is replaced may be refused once.
  const holds = (request: Promise<boolean>) => request.catch(() => false);
  await server.untilTrue(() => holds(shownName(url).then((name) => name === "second")));
  await server.untilTrue(() => holds(health().then(({ status }) => status === "ok")));
  const still_open = await Promise.race([
    reader.closed.then(() => false),
    Bun.sleep(0).then(() => true),
  ]);
  expect(still_open).toBe(true);
  await reader.cancel();

  // A second server can't share the port, even though the port is opened as reusable.
  const second = await runCommand(temporaryDirectory(), ["serve", "--port", new URL(url).port], {
    env: { DOSSIER_SERVER_TLS_CERT: at("server.crt"), DOSSIER_SERVER_TLS_KEY: at("server.key") },
  });
  expect([second.code, second.stderr]).toEqual([1, expect.stringContaining("is already in use")]);
  rmSync(directory, { recursive: true });
});

test("an invalid certificate or key stops the start and names the file", async () => {
  const directory = temporaryDirectory();
  const at = (name: string) => join(directory, name);
  const [one, other] = [await selfSigned("one"), await selfSigned("other")];
  writeFileSync(at("good.crt"), one.cert);
  writeFileSync(at("good.key"), one.key);
  writeFileSync(at("other.key"), other.key);
  writeFileSync(at("broken"), "-----BEGIN NOTHING-----");
  const rows: [string | null, string | null, string][] = [
    ["good.crt", null, "server.tls_key is not set"],
    [null, "good.key", "server.tls_cert is not set"],
    ["none.crt", "good.key", `${at("none.crt")} (server.tls_cert) does not exist`],
    ["good.crt", "none.key", `${at("none.key")} (server.tls_key) does not exist`],
    ["broken", "good.key", `${at("broken")} (server.tls_cert) holds no certificate`],
    ["good.crt", "broken", `${at("broken")} (server.tls_key) holds no private key`],
    ["good.crt", "other.key", `${at("other.key")} (server.tls_key) does not belong`],
    ["good.key", "good.crt", `${at("good.key")} (server.tls_cert) holds no certificate`],
  ];
  for (const [cert, key, complaint] of rows) {
    const { code, stderr } = await runCommand(temporaryDirectory(), ["serve", "--port", "0"], {
      env: {
        ...(cert !== null && { DOSSIER_SERVER_TLS_CERT: at(cert) }),
        ...(key !== null && { DOSSIER_SERVER_TLS_KEY: at(key) }),
      },
    });
    expect([complaint, code]).toEqual([complaint, 2]);
    expect(stderr).toContain(complaint);
  }
});

test("a Unix socket is for owner and group only, and is reused after a crash", async () => {
  const path = join(mkdtempSync(join(tmpdir(), "dossier-socket-")), "dossier.sock");
  const env = { DOSSIER_SERVER_SOCKET: path };
  const health = async () => {
    const answer = await fetch("http://localhost/health", { unix: path });
    return ((await answer.json()) as Health).status;
  };
  {
    await using server = await startExecutable({ env });
    expect(await health()).toBe("ok");
    expect(statSync(path).mode & 0o777).toBe(0o660);
    // Whoever may open the socket is trusted as a proxy and names its client's address.
    const client = async (address: string) => {
      const headers = { "x-forwarded-for": address };
      const answer = await fetch("http://localhost/api/dev/v1/folders", { unix: path, headers });
      return answer.headers.get("x-ratelimit-remaining");
    };
    const [first, second, other] = [
      await client("192.0.2.1"),
      await client("192.0.2.1"),
      await client("192.0.2.2"),
    ];
    expect([Number(first) - Number(second), other]).toEqual([1, first]);

    const rival = await runCommand(temporaryDirectory(), ["serve"], { env });
    expect([rival.code, rival.stderr]).toEqual([
      1,
      expect.stringContaining(`Another server is already listening on ${path} (server.socket)`),
    ]);
    expect(await health()).toBe("ok");
    await server.kill();
    expect(existsSync(path)).toBe(true);
  }
  const after_crash = await startExecutable({ env });
  expect(await health()).toBe("ok");
  expect(await after_crash.stop()).toBe(0);
  expect(existsSync(path)).toBe(false);

  writeFileSync(path, "somebody's");
  const { code, stderr } = await runCommand(temporaryDirectory(), ["serve"], { env });
  expect([code, stderr]).toEqual([1, expect.stringContaining("exists and is not a socket")]);
  expect(await Bun.file(path).text()).toBe("somebody's");
});

test("with a socket, no port is opened by default", async () => {
  const data = temporaryDirectory();
  const path = join(data, "dossier.sock");
  const server = Bun.spawn([executable, "serve", "--data", data], {
    env: cleanEnvironment({ DOSSIER_SERVER_SOCKET: "dossier.sock" }),
    stdout: "pipe",
    stderr: "ignore",
  });
  let output = "";
  for await (const bytes of server.stdout) {
    output += new TextDecoder().decode(bytes);
    if (output.includes("\n")) break;
  }
  expect(output).toContain(`(listening on ${path})`);
  const inode = await Bun.$`ls -l /proc/${server.pid}/fd`.nothrow().text();
  const sockets = [...inode.matchAll(/socket:\[(\d+)\]/g)].map(([, inode]) => inode!);
  const tcp = await Bun.file("/proc/net/tcp").text();
  const listening = tcp
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , , state, , , , , , id]) => state === "0A" && sockets.includes(id!));
  expect(listening).toEqual([]);
  server.kill();
  expect(await server.exited).toBe(0);
});
