/**
 * The published contract and that of the console: complete, and valid for two independent linters.
 * test/acceptance/clients.test.ts generates clients from it.
 */
import { beforeAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { temporaryDirectory } from "../helpers/data-directory";
import { startTestServer, type TestServer } from "../helpers/host";

const root = resolve(import.meta.dir, "../..");
const bin = (name: string) => join(root, "node_modules/.bin", name);
const directory = temporaryDirectory();
const file = join(directory, "openapi.json");
const console_file = join(directory, "console.json");
/** What the console has beyond the API: the rest is in the other document, and takes a while. */
const own_file = join(directory, "console-own.json");
let server: TestServer;
let document: any;

beforeAll(async () => {
  server = await startTestServer();
  document = (await server.send(null, "GET", "/openapi.json")).body;
  writeFileSync(file, JSON.stringify(document));
  const of_console = await server.send(null, "GET", "//console/api/openapi.json");
  const { paths, ...rest } = of_console.body;
  writeFileSync(console_file, JSON.stringify(of_console.body));
  const own_paths = Object.entries<object>(paths).filter(
    ([path, methods]) =>
      !Object.keys(methods).every(
        (method) => document.paths[path.replace("/console/api/v1", "/api/dev/v1")]?.[method],
      ),
  );
  expect(own_paths.length).toBeGreaterThan(10);
  writeFileSync(own_file, JSON.stringify({ ...rest, paths: Object.fromEntries(own_paths) }));
});

/** The component that it refers to, or the object itself. */
const responseOf = (response: any): any =>
  response.$ref ? document.components.responses[response.$ref.split("/").at(-1)] : response;

async function run(...command: string[]): Promise<{ code: number; output: string }> {
  const child = Bun.spawn(command, {
    cwd: directory,
    stdout: "pipe",
    stderr: "pipe",
    env: { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" },
  });
  const [out, err] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { code: await child.exited, output: out + err };
}

test("0 errors in redocly, in either document", async () => {
  writeFileSync(
    join(directory, "redocly.yaml"),
    [
      "extends: [recommended]",
      "rules:",
      ...[
        "no-invalid-media-type-examples",
        "no-invalid-parameter-examples",
        "no-invalid-schema-examples",
        "no-unused-components",
        "operation-operationId-url-safe",
      ].map((rule) => `  ${rule}: error`),
    ].join("\n"),
  );
  const how = ["lint", "--config", join(directory, "redocly.yaml"), "--format", "summary"];
  const { code, output } = await run(bin("redocly"), ...how, file, console_file);
  expect(output).not.toMatch(/\berror/i);
  expect(code).toBe(0);
  for (const name of ["openapi", "console"]) expect(output).toContain(`${name}.json: validated`);
}, 180_000);

test("0 errors in spectral, in either document", async () => {
  // Its examples are checked too: `oas3-valid-media-example` is an error.
  // What the console shares with the API is not in its part.
  const rules = "rules:\n  oas3-unused-component: off\n";
  writeFileSync(join(directory, ".spectral.yaml"), `extends: ["spectral:oas"]\n${rules}`);
  const how = ["lint", "--fail-severity", "error"];
  const { code, output } = await run(bin("spectral"), ...how, file, own_file);
  expect({ code, output }).toEqual({
    code: 0,
    output: expect.stringContaining("No results with a severity of 'error'"),
  });
}, 180_000);

describe("every operation", () => {
  const operations = () =>
    Object.entries(document.paths as Record<string, Record<string, any>>).flatMap(
      ([path, methods]) => Object.entries(methods).map(([method, of]) => ({ path, method, of })),
    );
  test("matches the served routes exactly", () => {
    const served = server.host.mounted
      .filter(({ route }) => !route.root && route.surface === undefined)
      .map(
        ({ route }) =>
          `${route.method.toLowerCase()} /api/dev/v1${route.path.replace(/:([^/]+)/g, "{$1}")}`,
      );
    expect(
      operations()
        .map(({ path, method }) => `${method} ${path}`)
        .sort(),
    ).toEqual([...served, "get /api/dev/v1/openapi.json"].sort());
  });
  test("documents its security, its shared errors and a success", () => {
    for (const { path, of } of operations()) {
      const statuses = Object.keys(of.responses);
      expect(statuses.some((status) => status.startsWith("2"))).toBe(true);
      expect(statuses).toEqual(expect.arrayContaining(["400", "429", "500"]));
      if (path.endsWith("openapi.json")) expect(of.security).toEqual([]);
      else expect(statuses).toEqual(expect.arrayContaining(["401", "403"]));
      if (path.includes("{")) expect(statuses).toContain("404");
    }
  });
  test("documents the headers of every success, and special members of a problem", () => {
    const limits = ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"];
    for (const { of } of operations())
      for (const [status, response] of Object.entries<any>(of.responses)) {
        const { headers } = responseOf(response);
        const names = Object.keys(headers ?? {});
        if (Number(status) < 400)
          expect(names).toEqual(expect.arrayContaining(["x-request-id", ...limits]));
        if (status === "401") expect(names).toEqual(["WWW-Authenticate"]);
        if (status === "429") expect(names).toEqual([...limits, "Retry-After"]);
        if (status === "503") expect(names).toContain("Retry-After");
      }
    for (const name of limits) expect(document.info.description).toContain(name);
  });
  test("gives an example of every JSON body that it takes or returns", () => {
    const lacking = operations().flatMap(({ path, method, of }) => {
      const bodies: [string, any][] = [
        ["request", of.requestBody?.content?.["application/json"]],
        ...Object.entries<any>(of.responses).map(
          ([status, response]) =>
            [status, responseOf(response).content?.["application/json"]] as [string, any],
        ),
      ];
      return bodies
        .filter(([, body]) => body && body.example === undefined)
        .map(([what]) => `${method} ${path} ${what}`);
    });
    expect(lacking).toEqual([]);
  });
  test("has a unique operation id", () => {
    const names = operations().map(({ of }) => of.operationId);
    expect(new Set(names).size).toBe(names.length);
  });
  test("an upload is multipart with a part called file", () => {
    const { content } = document.paths["/api/dev/v1/documents/file"].post.requestBody;
    expect(content["multipart/form-data"].schema.properties.file.format).toBe("binary");
  });
});

test("the document is served without a key, through the alias too", async () => {
  const answer = await server.send(null, "GET", "/api/dev/openapi.json");
  expect([answer.status, answer.body.openapi, answer.headers.get("warning")?.slice(0, 3)]).toEqual([
    200,
    "3.1.0",
    "299",
  ]);
});
