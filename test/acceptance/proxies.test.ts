/**
 * The executable behind real nginx and Caddy with the configuration of examples/deployment, called
 * with curl.
 */
import { describe, expect, test } from "bun:test";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { selfSigned } from "../helpers/self-signed";
import { startExecutable, type Executable } from "../helpers/executable";

const nginx = Bun.which("nginx");
const caddy = Bun.which("caddy");
const curl = Bun.which("curl");
for (const [name, path] of Object.entries({ nginx, caddy }))
  if (!path || !curl) console.log(`Tests of ${name} are skipped: they need ${name} and curl.`);

const example = (name: string): string =>
  readFileSync(join(import.meta.dir, "../../examples/deployment", name), "utf8");

interface Proxy extends AsyncDisposable {
  /** Calls curl and returns status, headers and body. */
  curl(path: string, ...args: string[]): Promise<{ status: number; head: string; body: string }>;
}

/** Two different ones. */
async function freePorts(): Promise<[number, number]> {
  const servers = [createServer(), createServer()];
  const ports = servers.map(async (server) => {
    await once(server.listen(0, "127.0.0.1"), "listening");
    return (server.address() as AddressInfo).port;
  });
  const [first, second] = await Promise.all(ports);
  for (const server of servers) server.close();
  return [first!, second!];
}

/** nginx with the example, adapted to this machine and by `change`. */
async function startNginx(
  upstream: string,
  change: (conf: string) => string = (conf) => conf,
): Promise<Proxy> {
  const directory = mkdtempSync(join(tmpdir(), "dossier-nginx-"));
  const at = (name: string) => join(directory, name);
  const [port, other_port] = await freePorts();
  const { cert, key } = await selfSigned("nas.example");
  writeFileSync(at("nas.crt"), cert);
  writeFileSync(at("nas.key"), key);
  const conf = change(example("nginx.conf"))
    .replace("server 127.0.0.1:4780", `server ${upstream}`)
    .replace("listen 443", `listen 127.0.0.1:${port}`)
    .replace("listen 80", `listen 127.0.0.1:${other_port}`)
    .replace("/etc/ssl/nas.example.crt", at("nas.crt"))
    .replace("/etc/ssl/nas.example.key", at("nas.key"));
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((name) => `${name}_temp_path ${at(name)};`)
    .join("\n");
  const user = process.getuid?.() === 0 ? "user root;" : "";
  writeFileSync(
    at("nginx.conf"),
    `daemon off; ${user} worker_processes 1; pid ${at("pid")}; error_log ${at("errors")};
events {}
http { access_log off; ${temporary}
${conf} }`,
  );
  const command = [nginx!, "-p", directory, "-c", at("nginx.conf"), "-e", at("errors")];
  return startProxy(command, port, { directory, log: at("errors") });
}

/** Caddy with the example, on another port and with an existing certificate. */
async function startCaddy(
  upstream: string,
  change: (conf: string) => string = (conf) => conf,
): Promise<Proxy> {
  const directory = mkdtempSync(join(tmpdir(), "dossier-caddy-"));
  const at = (name: string) => join(directory, name);
  const [port, other_port] = await freePorts();
  const { cert, key } = await selfSigned("nas.example");
  writeFileSync(at("nas.crt"), cert);
  writeFileSync(at("nas.key"), key);
  const conf = change(example("Caddyfile"))
    .replaceAll("reverse_proxy 127.0.0.1:4780", `reverse_proxy ${upstream}`)
    .replace(/^dossier\.example \{/m, `http://dossier.example:${other_port} {`)
    .replace(
      /^nas\.example \{/m,
      `nas.example:${port} {\n\tbind 127.0.0.1\n\ttls ${at("nas.crt")} ${at("nas.key")}`,
    );
  const globals = "{\n\tadmin off\n\tauto_https disable_redirects\n}\n";
  writeFileSync(at("Caddyfile"), globals + conf);
  const command = [caddy!, "run", "--adapter", "caddyfile", "--config", at("Caddyfile")];
  return startProxy(command, port, { directory, log: at("errors") });
}

/** Waits until it answers. @throws Error with its log when it does not. */
async function startProxy(
  command: readonly string[],
  port: number,
  { directory, log }: { readonly directory: string; readonly log: string },
): Promise<Proxy> {
  const child = Bun.spawn([...command], {
    stdout: "ignore",
    stderr: Bun.file(log),
    env: { ...process.env, HOME: directory, XDG_DATA_HOME: directory, XDG_CONFIG_HOME: directory },
  });
  const proxy: Proxy = {
    async curl(path, ...args) {
      const run = Bun.spawn(
        [
          ...[curl!, "-sk", "-i", "--http1.1", "--max-time", "20"],
          ...["--resolve", `nas.example:${port}:127.0.0.1`, "-H", "Host: nas.example"],
          ...args,
          `https://nas.example:${port}${path}`,
        ],
        { stdout: "pipe", stderr: "ignore" },
      );
      const text = await run.stdout.text();
      await run.exited;
      const [head = "", ...rest] = text
        .replace(/^(?:HTTP\/1.1 1\d\d [^\r]*\r\n(?:[^\r]+\r\n)*\r\n)+/, "")
        .split("\r\n\r\n");
      return { status: Number(head.split(" ")[1] ?? 0), head, body: rest.join("\r\n\r\n") };
    },
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await child.exited;
      rmSync(directory, { recursive: true, force: true });
    },
  };
  for (let tries = 0; (await proxy.curl("/dossier")).status === 0; tries++) {
    if (tries > 100) throw new Error(`${command[0]}: ${await Bun.file(log).text()}`);
    await Bun.sleep(50);
  }
  return proxy;
}

const env = {
  DOSSIER_SERVER_PUBLIC_URL: "https://nas.example/dossier",
  DOSSIER_SERVER_TRUSTED_PROXIES: "127.0.0.1",
  DOSSIER_ADMIN_EMAIL: "root@x.example",
  DOSSIER_ADMIN_PASSWORD: "correct horse battery",
};
const takenAway = (conf: string) =>
  conf.replace("proxy_pass http://dossier;", "proxy_pass http://dossier/;");
const overSocket = (socket: string) => `unix:${socket}`;

describe.skipIf(!caddy || !curl)("Caddy", () => {
  const handlePath = (conf: string) =>
    conf.replace("handle /dossier/* {", "handle_path /dossier/* {");
  const ways: [string, boolean, ((conf: string) => string) | undefined][] = [
    ["keeps the path prefix", false, undefined],
    ["strips the path prefix", false, handlePath],
    ["uses the Unix socket", true, undefined],
  ];
  test.each(ways)("that %s", async (_how, by_socket, change) => {
    const socket = join(mkdtempSync(join(tmpdir(), "dossier-caddy-")), "dossier.sock");
    await using server = await startExecutable({
      env: { ...env, ...(by_socket && { DOSSIER_SERVER_SOCKET: socket }) },
    });
    const upstream = by_socket ? `unix/${socket}` : new URL(server.url()).host;
    await using proxy = await startCaddy(upstream, change);
    await expectWell(server, proxy);
  });

  test("accepts the unchanged example without warnings", () => {
    const path = join(import.meta.dir, "../../examples/deployment/Caddyfile");
    const adapted = Bun.spawnSync([caddy!, "adapt", "--adapter", "caddyfile", "--config", path]);
    expect([adapted.exitCode, adapted.stderr.toString()]).toEqual([
      0,
      expect.not.stringContaining("warn"),
    ]);
    const hosts = JSON.stringify(JSON.parse(adapted.stdout.toString()));
    for (const host of ["dossier.example", "nas.example"]) expect(hosts).toContain(host);
  });
});

describe.skipIf(!nginx || !curl)("nginx", () => {
  const ways: [string, boolean, ((conf: string) => string) | undefined][] = [
    ["keeps the path prefix", false, undefined],
    ["strips the path prefix", false, takenAway],
    ["uses the Unix socket", true, undefined],
  ];
  test.each(ways)("that %s", async (_how, by_socket, change) => {
    const socket = join(mkdtempSync(join(tmpdir(), "dossier-nginx-")), "dossier.sock");
    await using server = await startExecutable({
      env: { ...env, ...(by_socket && { DOSSIER_SERVER_SOCKET: socket }) },
    });
    const upstream = by_socket ? overSocket(socket) : new URL(server.url()).host;
    await using proxy = await startNginx(upstream, change);
    await expectWell(server, proxy);
  });
});

/** A user signed in at the proxy who sends forged user headers in every spelling. */
async function expectNamed(proxy: Proxy): Promise<void> {
  const sent = [
    ...["-u", "ada@example.com:secret", "-H", "Origin: https://nas.example"],
    ...["-H", "X-Forwarded-User: root@x.example", "-H", "x-forwarded-user: eve@x.example"],
    ...["-H", "X_Forwarded_User: eve@x.example", "-H", "Content-Type: application/json"],
  ];
  const api = "/dossier/console/api/v1";
  const ways = JSON.parse((await proxy.curl(`${api}/sign-in`, ...sent)).body).ways;
  expect(ways).toEqual([{ id: "signin-header", title: "Sign in", automatic: true }]);
  const { status, head } = await proxy.curl(`${api}/sign-in/signin-header`, ...sent, "-d", "{}");
  expect(status).toBe(200);
  const cookie = /set-cookie: (__Secure-dossier=[^;]*)/i.exec(head)![1]!;
  const { body } = await proxy.curl(`${api}/session`, ...sent, "-H", `Cookie: ${cookie}`);
  expect(JSON.parse(body).user.email).toBe("ada@example.com");
}
const signin_header = { DOSSIER_SIGNIN_HEADER_NAME: "X-Forwarded-User" };

test.skipIf(!nginx || !curl)("nginx passes on its signed-in user and no forged one", async () => {
  await using server = await startExecutable({ env: { ...env, ...signin_header } });
  const passwords = join(server.data, "passwords");
  writeFileSync(passwords, "ada@example.com:{PLAIN}secret\n", { mode: 0o644 });
  await using proxy = await startNginx(new URL(server.url()).host, (conf) =>
    conf
      .replace('X-Forwarded-User ""', "X-Forwarded-User $remote_user")
      .replace(
        "location /dossier/ {",
        `location /dossier/ { auth_basic on; auth_basic_user_file ${passwords};`,
      ),
  );
  await expectNamed(proxy);
});

test.skipIf(!caddy || !curl)("Caddy passes on its signed-in user and no forged one", async () => {
  await using server = await startExecutable({ env: { ...env, ...signin_header } });
  const hash = await Bun.password.hash("secret", { algorithm: "bcrypt", cost: 4 });
  await using proxy = await startCaddy(new URL(server.url()).host, (conf) =>
    conf
      .replace(
        "handle /dossier/* {",
        `handle /dossier/* {\n\t\tbasicauth {\n\t\t\tada@example.com ${hash}\n\t\t}`,
      )
      .replace(
        /(handle \/dossier[\s\S]*?)header_up -X-Forwarded-User/,
        "$1header_up X-Forwarded-User {http.auth.user.id}",
      ),
  );
  await expectNamed(proxy);
});

async function expectWell(server: Executable, proxy: Proxy): Promise<void> {
  const key = await server.createUser();
  const api = "/dossier/api/dev/v1";
  const bearer = ["-H", `Authorization: Bearer ${key}`];
  const json = ["-H", "Content-Type: application/json"];

  const created = await proxy.curl(`${api}/folders`, ...bearer, ...json, "-d", '{"name":"Hut"}');
  const folder = JSON.parse(created.body) as { id: string };
  expect(created.status).toBe(201);
  expect(created.head.toLowerCase()).toContain(
    `location: ${api}/folders/${folder.id}`.toLowerCase(),
  );
  expect((await proxy.curl(`${api}/folders/${folder.id}`, ...bearer)).status).toBe(200);

  // Larger than nginx's default limit.
  const file = join(server.data, "large.txt");
  writeFileSync(file, "The ceramic filter is replaced every ninety days.\n".repeat(60_000));
  const upload = ["-F", `file=@${file};type=text/plain`];
  const sent = await proxy.curl(
    `${api}/documents/file?folder_id=${folder.id}`,
    ...bearer,
    ...upload,
  );
  expect([sent.status, JSON.parse(sent.body).content_url]).toEqual([
    201,
    expect.stringMatching(/^\/dossier\/api\/dev\/v1\/documents\/doc_/),
  ]);

  const root = await proxy.curl("/dossier/");
  expect([root.status, root.head.toLowerCase()]).toEqual([
    302,
    expect.stringContaining("location: /dossier/console/\r"),
  ]);
  const page = await proxy.curl("/dossier/console/");
  const script = /<script type="module" src="([^"]*)"/.exec(page.body)![1]!;
  expect((await proxy.curl(script)).status).toBe(200);

  const form = JSON.stringify({
    email: env.DOSSIER_ADMIN_EMAIL,
    password: env.DOSSIER_ADMIN_PASSWORD,
  });
  const headers = ["-H", "Origin: https://nas.example", "-H", "Sec-Fetch-Site: same-origin"];
  const signed = await proxy.curl(
    "/dossier/console/api/v1/session",
    ...headers,
    ...json,
    "-d",
    form,
  );
  const cookie = /set-cookie: ([^;]*);([^\r]*)/i.exec(signed.head)!;
  expect(cookie[1]).toStartWith("__Secure-dossier=dss_");
  expect(cookie[2]).toMatch(/Path=\/dossier; HttpOnly; SameSite=Strict; .*Secure/);
  const session = await proxy.curl("/dossier/console/api/v1/session", "-H", `Cookie: ${cookie[1]}`);
  expect(JSON.parse(session.body).user.email).toBe(env.DOSSIER_ADMIN_EMAIL);
  const forged = ["-H", "Origin: https://evil.example", "-H", `Cookie: ${cookie[1]}`];
  const refused = await proxy.curl(
    "/dossier/console/api/v1/folders",
    ...forged,
    ...json,
    "-d",
    "{}",
  );
  expect(refused.status).toBe(403);
}
