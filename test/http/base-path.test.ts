/**
 * A server whose public address has a path: every address that it names is below that path, and it
 * works whether a reverse proxy strips the path or passes it on.
 */
import { beforeAll, describe, expect, test } from "bun:test";
import { createApplication } from "../../core/cli/application";
import { checkedPublicUrl } from "../../core/base/public-url";
import { openBrowser, signedIn, visit } from "../helpers/browser";
import { startTestServer, type TestServer } from "../helpers/host";

const base = "/dossier";
let server: TestServer;
let folder_id: string;
let document_id: string;
const api = `${base}/api/dev/v1`;
/** `//` means the root of the server. */
const ask = (method: string, path: string, body?: unknown) =>
  server.send("ada", method, `//${path.slice(1)}`, body);

beforeAll(async () => {
  server = await startTestServer({ public_url: `https://nas.example${base}` });
  folder_id = (await ask("POST", "/api/dev/v1/folders", { name: "Manuals" })).body.id;
  const content = "The pump is oiled every spring. Its valve is blue.";
  const created = await ask("POST", `${api}/documents`, { folder_id, name: "Pump", content });
  document_id = created.body.id;
  await server.settle();
});

describe("addresses in a response", () => {
  const url_of_document = () => `${api}/documents/${document_id}`;
  const answers: [string, string, string, () => unknown, string, () => string][] = [
    [
      "a new folder",
      "POST",
      "/folders",
      () => ({ name: "A" }),
      "location",
      () => `${api}/folders/`,
    ],
    ["a new prompt", "POST", "/prompts", () => ({ name: "A", text: "B" }), "location", () => api],
    [
      "a document that is reindexed",
      "POST",
      "/documents/:id/reindex",
      () => undefined,
      "location",
      url_of_document,
    ],
    ["a deprecated path", "GET", "/../folders", () => undefined, "link", () => `<${api}/folders>`],
  ];
  for (const area of ["", base])
    test.each(answers)(
      `%s, requested at "${area}"`,
      async (_what, method, path, body, header, wanted) => {
        const whole = path.startsWith("/..")
          ? `${area}/api/dev${path.slice(3)}`
          : `${area}/api/dev/v1${path.replace(":id", document_id)}`;
        const answer = await ask(method, whole, body());
        expect(answer.status).toBeLessThan(300);
        expect(answer.headers.get(header)).toStartWith(wanted());
      },
    );

  test("the addresses in records, passages and answers", async () => {
    const document = (await ask("GET", `${api}/documents/${document_id}`)).body;
    const [listed] = (await ask("GET", `${api}/documents?folder_id=${folder_id}`)).body.data;
    const [found] = (await ask("POST", `${api}/search`, { query: "pump" })).body.data;
    expect([document.content_url, listed.content_url, found.url]).toEqual(
      Array(3).fill(url_of_document()),
    );
    const chat = (await ask("POST", `${api}/chats`, { usedFolders: [folder_id] })).body;
    const at = `${api}/chats/${chat.id}/messages`;
    const sent = await ask("POST", at, { text: "When is the pump oiled?" });
    expect(sent.headers.get("location")).toBe(`${at}/${sent.body.requestId}`);
    await server.settle();
    const poll = (await ask("GET", `${at}/${sent.body.requestId}`)).body.result.citations[0];
    const list = (await ask("GET", at)).body.data[0].result.citations[0];
    const stream = (await ask("GET", `${at}/${sent.body.requestId}/stream`)).text;
    const streamed = /"url":"([^"]*)"/.exec(stream)![1];
    expect([poll.url, list.url, streamed]).toEqual(Array(3).fill(url_of_document()));
    expect((await ask("GET", poll.url)).body.id).toBe(document_id);
  });

  test("the OpenAPI document, invitations and set-up links", async () => {
    const described = (await ask("GET", `${api}/openapi.json`)).body;
    expect(described.servers[0].url).toBe(`https://nas.example${base}`);
    const admin = await signedIn(server, "root", { role: "admin" });
    const invited = await admin.send("POST", "/users", { email: "bo@x.example", role: "member" });
    expect(invited.body.invite_url).toStartWith(`https://nas.example${base}/console/invite#t=`);
    expect(await server.accounts.signInHint()).toContain(`https://nas.example${base}/console/`);
  });
});

describe("the console", () => {
  const roots: [string, string, string][] = [
    ["the path itself redirects to it", base, `${base}/console/`],
    ["the path with a slash redirects to it", `${base}/`, `${base}/console/`],
    ["so does the root when a proxy strips the path", "/", `${base}/console/`],
    ["its address without a slash redirects to it", `${base}/console`, `${base}/console/`],
  ];
  test.each(roots)("%s", async (_why, path, location) => {
    const answer = await visit(server).send("GET", `//${path.slice(1)}`);
    expect([answer.status, answer.headers.get("location")]).toEqual([302, location]);
  });

  test.each([
    ["passed on", base],
    ["stripped", ""],
  ])("its page and everything the page loads is found when the path is %s", async (_how, area) => {
    const { text } = await visit(server).send("GET", `/${area}/console/folders`);
    const loaded = [...text.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, path]) => path!);
    expect(loaded.length).toBeGreaterThan(3);
    for (const path of loaded) {
      expect(path).toStartWith(`${base}/console/assets/`);
      const outside = area === "" ? path.slice(base.length) : path;
      expect((await visit(server).send("GET", `/${outside}`)).status).toBe(200);
    }
  });

  const cookies: [string, string, string, string, boolean][] = [
    ["over HTTPS", "https", "nas.example", "__Secure-dossier", true],
    ["over plain HTTP, by its address", "http", "192.0.2.9:4780", "dossier", false],
  ];
  test.each(cookies)("the cookie %s", async (_how, scheme, host, name, secure) => {
    const form = { email: `${scheme}@x.example`, password: "correct horse battery" };
    await server.accounts.createUser({ ...form, role: "member" });
    const browser = openBrowser((request) => server.fetch(request), "http://dossier.test", {
      origin: `${scheme}://${host}`,
    });
    const signed = await browser.send("POST", `/${base}/console/api/v1/session`, form);
    const cookie = signed.headers.get("set-cookie")!;
    expect(cookie).toStartWith(`${name}=dss_`);
    expect(cookie).toContain(`; Path=${base}; HttpOnly; SameSite=Strict; `);
    expect(cookie.includes("Secure;") || cookie.endsWith("Secure")).toBe(secure);
    const session = await browser.send("GET", `/${base}/console/api/v1/session`);
    expect(session.body.user.email).toBe(form.email);
  });
});

const addresses: [string, string, string | null][] = [
  ["a host only", "https://nas.example", "https://nas.example"],
  ["a trailing slash", "https://nas.example/", "https://nas.example"],
  ["a path and a slash", "https://nas.example/a/b/", "https://nas.example/a/b"],
  ["a port", "http://nas.example:8080/a", "http://nas.example:8080/a"],
  ["no host", "https://", null],
  ["a query", "https://nas.example/?a=1", null],
  ["an empty query", "https://nas.example/?", null],
  ["a fragment", "https://nas.example/#a", null],
  ["a password", "https://me:secret@nas.example/", null],
  ["an empty segment", "https://nas.example/a//b", null],
];
test.each(addresses)("an address with %s", (_why, text, wanted) => {
  if (wanted === null) expect(() => checkedPublicUrl(text)).toThrow("server.public_url");
  else expect(checkedPublicUrl(text)).toBe(wanted);
});

test.each(["/console", "/api/dossier", "/health/x"])(
  "a public path is refused when it begins like one of the server's own: %s",
  (path) => {
    const boot = { config: { values: { server: { trusted_proxies: [], cors_origins: [] } } } };
    const make = () =>
      createApplication(
        server.host,
        boot as never,
        new AbortController().signal,
        () => `https://nas.example${path}`,
      );
    expect(make).toThrow("server.public_url: its path must not begin with /");
  },
);
