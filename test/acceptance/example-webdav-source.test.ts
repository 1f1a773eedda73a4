/** The plugin of examples/webdav-source in the built executable, against webdav-server. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { v2 as webdav } from "webdav-server";
import { startExampleSource, type ExampleSource } from "../helpers/example-source";

setDefaultTimeout(120_000);

const password = "correct horse";

let example: ExampleSource;
let server: webdav.WebDAVServer;
let root: string;
/** Requests received, such as `PROPFIND /reports/`. */
let requests: string[] = [];
const send = (method: string, path: string, body?: string): Promise<Response> =>
  fetch(`${root}${path}`, {
    method,
    headers: { authorization: `Basic ${btoa(`ada:${password}`)}` },
    ...(body === undefined ? {} : { body }),
  });

beforeAll(async () => {
  const users = new webdav.SimpleUserManager();
  const rights = new webdav.SimplePathPrivilegeManager();
  rights.setRights(users.addUser("ada", password, false), "/", ["all"]);
  server = new webdav.WebDAVServer({
    httpAuthentication: new webdav.HTTPBasicAuthentication(users, "shelf"),
    privilegeManager: rights,
    requireAuthentification: true,
    hostname: "127.0.0.1",
    port: 0,
  });
  server.beforeRequest((ctx, next) => {
    requests.push(`${ctx.request.method} ${decodeURIComponent(ctx.requested.uri)}`);
    next();
  });
  const { port } = (await server.startAsync(0)).address() as { port: number };
  root = `http://127.0.0.1:${port}`;
  for (const folder of ["/reports", "/reports/R%26D%20%231", "/reports/R%26D%20%231/deep"])
    await send("MKCOL", folder);
  await send("PUT", "/reports/herons%2Bcarp.txt", "The heron stands in the water.");
  await send("PUT", "/reports/R%26D%20%231/M%C3%A4rz%20%281%29.txt", "The otter sleeps.");
  await send("PUT", "/reports/R%26D%20%231/deep/er.txt", "The otter's den is deeper.");
  await send("PUT", "/reports/.hidden", "Not for others.");
  await send("PUT", "/other.txt", "Elsewhere.");
  example = await startExampleSource("webdav-source");
});
afterAll(async () => {
  await example?.[Symbol.asyncDispose]();
  await server?.stopAsync();
});

const source = (more: object = {}) => ({
  type: "webdav",
  url: `${root}/reports`,
  username: "ada",
  password,
  ...more,
});

describe("a folder", () => {
  test("becomes documents, including subfolders and unusual names", async () => {
    const { run, texts } = await example.run(source());
    expect([run.status, run.source.password]).toEqual(["completed", { set: true }]);
    expect(texts).toEqual([
      ["R&D #1/März (1).txt", "The otter sleeps."],
      ["R&D #1/deep/er.txt", "The otter's den is deeper."],
      ["herons+carp.txt", "The heron stands in the water."],
    ]);
  });

  test("rereads only files with a changed entity tag and removes missing ones", async () => {
    await send("PUT", "/reports/herons%2Bcarp.txt", "The heron has flown.");
    await send("DELETE", "/reports/R%26D%20%231/deep/er.txt");
    requests = [];
    const { run, texts } = await example.run(source(), { gone: "remove" });
    expect([run.status, run.gone_item_count]).toEqual(["completed", 1]);
    expect(texts).toEqual([
      ["R&D #1/März (1).txt", "The otter sleeps."],
      ["herons+carp.txt", "The heron has flown."],
    ]);
    expect(requests.filter((request) => request.startsWith("GET"))).toEqual([
      "GET /reports/herons+carp.txt",
    ]);
  });
});

/** A server with scripted answers. */
const scripted = (answer: (request: Request) => Response): Bun.Server<undefined> =>
  Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: answer });
const list = (...entries: string[]): Response =>
  new Response(`<multistatus xmlns="DAV:">${entries.join("")}</multistatus>`, { status: 207 });
const entry = (href: string, prop: string, status = "HTTP/1.1 200 OK"): string =>
  `<response><href>${href}</href><propstat><prop>${prop}</prop><status>${status}</status>` +
  "</propstat></response>";
const folder = "<resourcetype><collection/></resourcetype>";

test("100,000 files are streamed, and entries outside the folder are ignored", async () => {
  const count = 100_000;
  using service = scripted((request) => {
    const { pathname } = new URL(request.url);
    if (request.method === "GET") return new Response("The last of them.");
    if (pathname !== "/a/")
      return list(entry("/a/", folder), entry("/a/", folder), entry("/secret", ""));
    const bytes = async function* () {
      yield '<x:multistatus xmlns:x="DAV:">';
      for (let n = 0; n < count; n += 1_000) {
        const names = Array.from({ length: 1_000 }, (_none, more) => `.hidden-${n + more}`);
        yield names.map((name) => entry(`/a/${name}`, "")).join("");
      }
      yield entry("http://elsewhere.test/a/last.txt", "<getetag>1</getetag>");
      yield `${entry("/a/../../etc/passwd", "")}${entry("/a/loop/", folder)}</x:multistatus>`;
    };
    return new Response(bytes() as never, { status: 207 });
  });
  const url = `http://127.0.0.1:${service.port}/a/`;
  const { run, items } = await example.run({ type: "webdav", url });
  expect([run.status, items.map(({ uri }) => uri)]).toEqual(["completed", [`${url}last.txt`]]);
});

test("an unreadable folder fails alone, and none of its files count as gone", async () => {
  let is_closed = false;
  using service = scripted((request) => {
    const { pathname } = new URL(request.url);
    if (request.method === "GET") return new Response(`The text of ${pathname}.`);
    if (pathname === "/b/") return list(entry("/b/in/", folder), entry("/b/one.txt", ""));
    return is_closed ? new Response("", { status: 403 }) : list(entry("/b/in/two.txt", ""));
  });
  const of = { type: "webdav", url: `http://127.0.0.1:${service.port}/b` };
  expect((await example.run(of)).run.status).toBe("completed");
  is_closed = true;
  const { run, items } = await example.run(of, { gone: "remove" });
  expect([run.status, run.gone_item_count]).toEqual(["completed_with_errors", undefined]);
  expect(items.find(({ status }) => status === "failed")!.error.message).toBe(
    `This folder was not read. 127.0.0.1:${service.port} does not let you read /b/in/.`,
  );
});

describe("errors are explained with a remedy", () => {
  const at = (port: number, scheme = "http") => ({ url: `${scheme}://127.0.0.1:${port}/` });
  const cases: [
    reason: string,
    more: () => object | Promise<object>,
    code: string,
    said: RegExp,
  ][] = [
    [
      "a wrong password",
      () => ({ password: "wrong" }),
      "credentials_refused",
      /rejected .*app password/,
    ],
    ["no password", () => ({ username: undefined }), "credentials_refused", /Enter username and/],
    [
      "a missing folder",
      () => ({ url: `${root}/none` }),
      "unreadable",
      /no folder at \/none\/\. Correct/,
    ],
    [
      "a different service",
      async () => at(await example.badService("is another")),
      "unreadable",
      /not as a WebDAV server would \(200\)\. Correct/,
    ],
    [
      "an unreachable service",
      async () => at(await example.badService("is gone")),
      "unreachable",
      /could not be reached/,
    ],
    [
      "an untrusted certificate",
      async () => at(await example.badService("has a bad certificate"), "https"),
      "certificate_refused",
      /certificate .* was not accepted .*NODE_EXTRA_CA_CERTS/,
    ],
    [
      "a private address",
      () => ({ url: root.replace("127.0.0.1", "127.0.0.2") }),
      "address_refused",
      /Only public hosts/,
    ],
    [
      "a server that hangs",
      async () => at(await example.badService("hangs")),
      "timeout",
      /took longer than 1 s/,
    ],
  ];
  test.each(cases)("%s", async (_reason, more, code, message) => {
    const { run } = await example.run(source(await more()));
    expect([run.status, run.error.code]).toEqual(["failed", code]);
    expect(run.error.message).toMatch(message);
    expect(JSON.stringify(run)).not.toContain(password);
  });

  test("a redirect names its target and isn't followed with the password", async () => {
    using service = scripted(() => Response.redirect("https://cloud.example.com/dav?x=1", 302));
    const { run } = await example.run(source({ url: `http://127.0.0.1:${service.port}/` }));
    expect(run.error.message).toEndWith(
      "redirects to https://cloud.example.com/dav. Enter that address.",
    );
  });

  test("before the import starts, if no request is needed", async () => {
    const { status, body } = await example.dossier.api("POST", "/imports", {
      folder_id: example.folder_id,
      source: source({ url: "https://ada:pass@cloud.example.com/" }),
    });
    expect([status, body.errors[0].pointer]).toEqual([400, "/source/url"]);
  });
});
