/** Single sign-on with a real provider, in this process. */
import { expect, test } from "bun:test";
import { visit } from "../helpers/browser";
import { startTestServer } from "../helpers/host";
import { Provider } from "../../plugins/oidc/provider";
import { singleSignOnCases } from "../cases/single-sign-on";

singleSignOnCases(async (env) => {
  const server = await startTestServer({ env });
  return Object.assign(server, { base: "http://dossier.test" });
});

/** For those that are never waited for: a busy machine must not turn them into a silent provider. */
const long = "30s";
test.each([
  ["that never ends", () => new Response(new ReadableStream()), "is not responding", "200ms"],
  [
    "that never responds",
    () => new Promise<Response>(() => undefined),
    "is not responding",
    "200ms",
  ],
  ["that is too large", () => new Response("x".repeat(2 ** 20 + 1)), "can't be used", long],
  ["that redirects", () => Response.redirect("http://127.0.0.1:1/"), "can't be used", long],
  ["that is an HTML page", () => new Response("<html>"), "can't be used", long],
] as const)(
  "a response of the provider %s costs bounded time and memory",
  async (_, answer, says, timeout) => {
    await using provider = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: answer });
    await using server = await startTestServer({
      env: {
        DOSSIER_OIDC_ISSUER: `http://127.0.0.1:${provider.port}`,
        DOSSIER_OIDC_CLIENT_ID: "dossier",
        DOSSIER_OIDC_TIMEOUT: timeout,
      },
    });
    const { status, body } = await visit(server).send("POST", "/sign-in/oidc", {});
    expect([status, body.code]).toEqual([502, "provider_failed"]);
    expect(body.detail).toContain(says);
  },
);

test.each([
  ["is kept while it is fresh", [0, 59 * 60_000], 1],
  ["is requested again after an hour", [0, 61 * 60_000], 2],
  ["is requested again when the clock was set back", [365 * 24 * 60 * 60_000, 0], 2],
])("the provider's metadata %s", async (_, times_ms, requests) => {
  let asked = 0;
  await using host = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: ({ url }) => {
      asked++;
      return Response.json({ issuer: new URL(url).origin });
    },
  });
  let now_ms = 0;
  const client = {
    issuer: new URL(`http://127.0.0.1:${host.port}`),
    client_id: "dossier",
    client_secret: undefined,
    scope: "openid",
    timeout_ms: 30_000,
  };
  const provider = new Provider(client, { now_ms: () => now_ms });
  for (now_ms of times_ms) await provider.configuration();
  expect(asked).toBe(requests);
});
