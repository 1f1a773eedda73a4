/**
 * Outbound connections in a process whose environment disables certificate checks and names a
 * proxy: both are ignored.
 */
import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { cleanEnvironment } from "../../scripts/lib/launch";
import * as certificates from "../helpers/certificates";

const directory = mkdtempSync(join(tmpdir(), "dossier-pinned-"));
const root = join(directory, "root.pem");
writeFileSync(root, certificates.root);
let through_proxy = 0;
let requests: string[] = [];
const proxy = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: () => {
    through_proxy += 1;
    return new Response("proxied", { status: 299 });
  },
});
const serve = (name: string, tls?: { key: string; cert: string }) =>
  Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    ...(tls ? { tls } : {}),
    fetch: (request) => {
      requests.push(
        `${name} ${request.headers.get("host")!.split(":")[0]} ${new URL(request.url).pathname}`,
      );
      return new Response(null, { status: 204 });
    },
  });
const servers = {
  plain: serve("plain"),
  good: serve("good", { key: certificates.key, cert: certificates.good }),
  expired: serve("expired", { key: certificates.key, cert: certificates.expired }),
  other: serve("other", { key: certificates.other_key, cert: certificates.other }),
};
afterAll(() => {
  for (const server of [proxy, ...Object.values(servers)]) void server.stop(true);
  rmSync(directory, { recursive: true });
});

const at = `http://127.0.0.1:${proxy.port}`;
const hostile = {
  NODE_TLS_REJECT_UNAUTHORIZED: "0",
  HTTP_PROXY: at,
  HTTPS_PROXY: at,
  ALL_PROXY: at,
  http_proxy: at,
  https_proxy: at,
  all_proxy: at,
};
async function ask(by: string, trusted: Record<string, string>): Promise<(number | string)[]> {
  const urls = [
    `http://hook.test:${servers.plain.port}/p?q=1`,
    ...[servers.good, servers.expired, servers.other].map(
      ({ port }) => `https://hook.test:${port}/p`,
    ),
    `https://127.0.0.1:${servers.good.port}/p`,
  ];
  requests = [];
  const child = Bun.spawn(
    [
      process.execPath,
      fileURLToPath(new URL("../helpers/pinned-child.ts", import.meta.url)),
      by,
      ...urls,
    ],
    { env: cleanEnvironment({ ...hostile, ...trusted }), stdout: "pipe", stderr: "inherit" },
  );
  return JSON.parse(await child.stdout.text());
}

describe.each(["fetch", "post"])("by %s", (by) => {
  test("the certificate must match the name, be current and be trusted", async () => {
    expect(await ask(by, { NODE_EXTRA_CA_CERTS: root })).toEqual([
      204,
      204,
      "CERT_HAS_EXPIRED",
      "ERR_TLS_CERT_ALTNAME_INVALID",
      "ERR_TLS_CERT_ALTNAME_INVALID",
    ]);
    expect(requests).toEqual(["plain hook.test /p", "good hook.test /p"]);
    expect(through_proxy).toBe(0);
  }, 20_000);

  test("certificates trusted only by the environment are refused", async () => {
    const [plain, ...secure] = await ask(by, {});
    expect(plain).toBe(204);
    for (const result of secure) expect(result).toBeString();
    expect(requests).toEqual(["plain hook.test /p"]);
    expect(through_proxy).toBe(0);
  }, 20_000);
});
