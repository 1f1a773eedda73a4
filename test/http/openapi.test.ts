/**
 * What client generators need of the two OpenAPI documents: names, enums, error codes, enforced
 * limits and working links; and how the documents are served.
 */
import { beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib";
import ts from "typescript";
import { pascalCase } from "../../core/lib/pascal-case";
import { definePlugin, DocumentParts, fill, named, reply, route, t } from "../../core/sdk";
import { ImportSources } from "../../plugins/imports/contract";
import { startTestServer, type TestServer } from "../helpers/host";

type Json = Record<string, any>;
interface Operation {
  readonly at: string;
  readonly path: string;
  readonly method: string;
  readonly of: Json;
}

const Note = named("Note", t.Object({ id: t.String(), colour: t.Optional(t.String()) }));
/** A third-party plugin, whose routes, schemas, sources and codes are documented too. */
const notes = definePlugin({
  name: "notes",
  version: "1.0.0",
  routes: {
    get: route.get("/notes/:noteId", {
      summary: "Get a note",
      tag: "Notes",
      operation: "getNote",
      answers: { 200: { description: "It.", schema: Note, example: { id: "note_1" } } },
    }),
    create: route.post("/notes", {
      summary: "Write a note",
      tag: "Notes",
      operation: "createNote",
      body: Note,
      example: { id: "note_1" },
      answers: {
        201: {
          description: "It.",
          schema: Note,
          example: { id: "note_1" },
          links: { getNote: { noteId: "id" }, forgetNote: { noteId: "id" } },
        },
      },
      errors: { 409: { note_taken: "There is a note with this id." } },
    }),
    other: route.get("/other-notes", {
      summary: "List other notes",
      tag: "Notes",
      operation: "listOtherNotes",
      answers: {
        200: {
          description: "They have the name of something else.",
          schema: t.Array(named("Note", t.Object({ text: t.String() }))),
          example: [],
        },
      },
    }),
  },
  setup: () => ({
    routes: { get: () => ({ id: "note_1" }), create: () => reply(201), other: () => [] },
    fills: [
      fill(ImportSources, {
        type: "reading-list",
        description: "Links.",
        schema: t.Object({ url: t.String() }),
        async *items() {},
      }),
      fill(DocumentParts, { codes: { infected: "The document is infected." } }),
    ],
  }),
});

let server: TestServer;
const documents: Record<"api" | "console", Json> = { api: {}, console: {} };
const both = ["api", "console"] as const;
beforeAll(async () => {
  server = await startTestServer({
    plugins: [notes],
    env: { DOSSIER_IMPORTS_DIRECTORIES: "/srv" },
  });
  documents.api = (await server.send(null, "GET", "/openapi.json")).body;
  documents.console = (await server.send(null, "GET", "//console/api/openapi.json")).body;
});

const operationsOf = (document: Json): Operation[] =>
  Object.entries<Json>(document.paths).flatMap(([path, methods]) =>
    Object.entries<Json>(methods).map(([method, of]) => ({
      at: `${method} ${path}`,
      path,
      method,
      of,
    })),
  );
const responseOf = (document: Json, response: Json): Json =>
  response.$ref ? document.components.responses[response.$ref.split("/").at(-1)!] : response;
const resolved = (document: Json, schema: Json): Json =>
  schema.$ref ? document.components.schemas[schema.$ref.split("/").at(-1)!] : schema;

/** Every schema of the document with its place; referenced ones are listed at their own place. */
function* schemasOf(value: unknown, at = ""): Generator<readonly [string, Json]> {
  if (typeof value !== "object" || value === null) return;
  const node = value as Json;
  if (typeof node.type === "string" || Array.isArray(node.type) || node.anyOf || node.oneOf)
    yield [at, node];
  for (const [key, inner] of Object.entries(node))
    if (!/^(example|examples|default|enum)$/.test(key) || at.endsWith("/properties"))
      yield* schemasOf(inner, `${at}/${key}`);
}
const codesOf = (document: Json): string[] => document.components.schemas.ErrorCode.enum;

describe.each([...both])("the document of %s", (which) => {
  test("names every schema that occurs more than once", () => {
    const seen = new Map<string, string[]>();
    for (const [at, { description: _, ...schema }] of schemasOf(documents[which])) {
      if (/\/components\/(securitySchemes|headers)/.test(at)) continue;
      // Generators drop a component used by webhooks only, so those are inlined.
      if (at.startsWith("/webhooks/")) continue;
      if (/multipart/.test(at) || (!schema.properties && !schema.enum)) continue;
      const shape = JSON.stringify(schema);
      seen.set(shape, [...(seen.get(shape) ?? []), at]);
    }
    const repeated = [...seen.values()].filter((places) => places.length > 1);
    expect(repeated.map((places) => [places.length, places[0]])).toEqual([]);
  });
  test("has no names that collide with generated ones", () => {
    const { schemas } = documents[which].components as { readonly schemas: Record<string, Json> };
    const defined = Object.entries(schemas).flatMap(([name, { properties = {} }]) =>
      Object.entries<Json>(properties)
        .filter(([, of]) => of.enum || of.properties || of.type === "object")
        .map(([field]) => `${name}${pascalCase(field)}`),
    );
    expect(defined.filter((name) => name in schemas)).toEqual([]);
  });
  test("writes choices as enum, and nullable values as a type", () => {
    const wrong = [...schemasOf(documents[which])].filter(([, { anyOf = [] }]) => {
      const members = anyOf as Json[];
      const is_null = ({ type }: Json) => type === "null";
      return (
        members.some((member) => "const" in member) ||
        (members.length === 2 &&
          members.some(is_null) &&
          members.some((member) => typeof member.type === "string" && !is_null(member)))
      );
    });
    expect(wrong.map(([at]) => at)).toEqual([]);
  });
  test("has no dangling references and no unused schemas", () => {
    const text = JSON.stringify(documents[which]);
    const referred = new Set(
      [...text.matchAll(/#\/components\/schemas\/(\w+)/g)].map(([, n]) => n!),
    );
    expect([...referred].toSorted()).toEqual(
      Object.keys(documents[which].components.schemas).toSorted(),
    );
  });
  test("lists shared error responses once, without unused ones", () => {
    const { responses } = documents[which].components as { responses: Json };
    const links = operationsOf(documents[which]).flatMap(({ of }) =>
      Object.entries<Json>(of.responses).filter(([status]) => Number(status) >= 400),
    );
    const own_examples = links
      .filter(([, media]) => !media.$ref)
      .map((example) => JSON.stringify(example));
    expect(own_examples.filter((example, at) => own_examples.indexOf(example) !== at)).toEqual([]);
    const counts = new Map<string, number>();
    for (const [, { $ref }] of links)
      if ($ref) counts.set($ref.split("/").at(-1), (counts.get($ref.split("/").at(-1)) ?? 0) + 1);
    expect([...counts.keys()].toSorted()).toEqual(Object.keys(responses).toSorted());
    expect(Math.min(...counts.values())).toBeGreaterThan(1);
    expect(Object.keys(responses)).toEqual(
      expect.arrayContaining(["BadRequest", "Unauthorized", "NotFound", "TooManyRequests"]),
    );
  });
  test("lists the codes of each problem, and explains each code once", () => {
    const codes = codesOf(documents[which]);
    expect(codes).toEqual([...new Set(codes)].toSorted());
    const { description, "x-enum-descriptions": meanings } =
      documents[which].components.schemas.ErrorCode;
    expect(meanings).toHaveLength(codes.length);
    for (const code of codes) expect(description).toContain(`\`${code}\`: `);
    for (const { at, of } of operationsOf(documents[which]))
      for (const [status, described] of Object.entries<Json>(of.responses)) {
        const response = responseOf(documents[which], described);
        const problem = response.content?.["application/problem+json"];
        if (!problem) continue;
        const examples = Object.entries<Json>(problem.examples);
        expect([at, status, examples.length]).not.toEqual([at, status, 0]);
        for (const [code, { value }] of examples) {
          expect([at, codes.includes(code)]).toEqual([at, true]);
          expect([value.code, value.status]).toEqual([code, Number(status)]);
        }
      }
  });
  test("documents 404 wherever a path, query or body names a record", () => {
    const lacking = operationsOf(documents[which]).filter(({ path, of }) => {
      const body = of.requestBody?.content["application/json"]?.schema ?? {};
      const fields = [
        ...of.parameters.map(({ name }: Json) => name),
        ...Object.keys(resolved(documents[which], body).properties ?? {}),
      ];
      const names_record =
        path.includes("{") ||
        fields.some((name) => /^(folder|document)_ids?$|^used[A-Z]|^parentId$/.test(name));
      return names_record && !of.responses["404"];
    });
    expect(lacking.map(({ at }) => at)).toEqual([]);
  });
  test("has an example for every parameter", () => {
    const lacking = operationsOf(documents[which]).flatMap(({ at, of }) =>
      of.parameters
        .filter((parameter: Json) => parameter.example === undefined)
        .map(({ name }: Json) => `${at} ${name}`),
    );
    expect(lacking).toEqual([]);
  });
  test("links to existing operations, with all their parameters", () => {
    const operations = new Map(
      operationsOf(documents[which]).map(({ of }) => [of.operationId, of]),
    );
    let count = 0;
    for (const { at, of } of operationsOf(documents[which]))
      for (const response of Object.values<Json>(of.responses))
        for (const { operationId, parameters } of Object.values<Json>(response.links ?? {})) {
          count += 1;
          const wanted = operations.get(operationId)!.parameters as Json[];
          const names = wanted.map(({ name }) => name);
          for (const name of Object.keys(parameters))
            expect([at, names]).toEqual([at, expect.arrayContaining([name])]);
          for (const { name, required } of wanted)
            if (required)
              expect([at, Object.keys(parameters)]).toEqual([at, expect.arrayContaining([name])]);
        }
    expect(count).toBeGreaterThan(30);
  });
});

test("the API's records have their names", () => {
  const names = Object.keys(documents.api.components.schemas);
  for (const name of [
    ...["Folder", "FolderPage", "NewFolder", "Document", "Chat", "Message", "Answer", "Citation"],
    ...["Import", "ImportItem", "Transcription", "Webhook", "Delivery", "Pagination", "Problem"],
  ])
    expect(names).toContain(name);
});

describe("an import source", () => {
  const source = () => documents.api.components.schemas.ImportSource;
  test("is a union by type, including those of plugins", () => {
    expect(source().discriminator).toEqual({
      propertyName: "type",
      mapping: Object.fromEntries(
        ["urls", "sitemap", "feed", "zip", "directory", "reading-list"].map((type) => [
          type,
          `#/components/schemas/${pascalCase(type)}Source`,
        ]),
      ),
    });
    expect(source().oneOf).toHaveLength(6);
  });
  test("has the fields of its type", () => {
    const { properties, required } = documents.api.components.schemas.ReadingListSource;
    expect([properties.type.const, Object.keys(properties), required]).toEqual([
      "reading-list",
      ["type", "url"],
      ["type", "url"],
    ]);
  });
});

describe("a third-party plugin", () => {
  test("has its schemas named, and numbered when a name is taken", () => {
    const { schemas } = documents.api.components;
    expect(Object.keys(schemas.Note.properties)).toEqual(["id", "colour"]);
    expect(Object.keys(schemas.Note2.properties)).toEqual(["text"]);
  });
  test("has its error codes listed, both of routes and of documents", () => {
    expect(codesOf(documents.api)).toEqual(expect.arrayContaining(["note_taken", "infected"]));
  });
  test("has its links, except to missing operations", () => {
    const { links } = documents.api.paths["/api/dev/v1/notes"].post.responses["201"];
    expect(links).toEqual({
      getNote: { operationId: "getNote", parameters: { noteId: "$response.body#/id" } },
    });
  });
});

describe("webhooks", () => {
  test.each([
    [
      "import.finished",
      "onImportFinished",
      [
        "event",
        "import_run_id",
        "status",
        "completed_item_count",
        "succeeded_item_count",
        "failed_item_count",
      ],
    ],
    [
      "transcription.completed",
      "onTranscriptionCompleted",
      ["event", "processing_run_id", "result_history_id", "status"],
    ],
  ])("%s is documented with its body and headers", (event, operation, fields) => {
    const { post } = documents.api.webhooks[event];
    const { schema, example } = post.requestBody.content["application/json"];
    // Generators drop a component that no path refers to.
    expect(schema.$ref).toBeUndefined();
    expect([post.operationId, Object.keys(resolved(documents.api, schema).properties)]).toEqual([
      operation,
      fields,
    ]);
    expect(Object.keys(example)).toEqual(fields);
    expect(post.parameters.map(({ name }: Json) => name)).toEqual(
      expect.arrayContaining(["X-Service-Event", "X-Service-Signature", "webhook-signature"]),
    );
  });
  test("are the event types that can be registered", () => {
    expect(documents.api.components.schemas.WebhookEventType.enum).toEqual(
      expect.arrayContaining(Object.keys(documents.api.webhooks)),
    );
  });
});

/** The limits of a request body: a value that breaks each, and if simple one that just keeps it. */
function* limitsOf(schema: Json, id: string): Generator<readonly [string, unknown, unknown?]> {
  const { type, minLength, maxLength, maxItems, pattern, format, minimum } = schema;
  if (maxLength !== undefined)
    yield [
      `maxLength ${maxLength}`,
      format === "uri" ? `http://a/${"x".repeat(maxLength)}` : "x".repeat(maxLength + 1),
      (maxLength < 10_000 ? "😀" : "x").repeat(maxLength),
    ];
  if (minLength > 0) yield [`minLength ${minLength}`, "", "x"];
  if (maxItems !== undefined)
    yield [`maxItems ${maxItems}`, Array(maxItems + 1).fill(id), Array(maxItems).fill(id)];
  if (pattern?.includes("u0000")) yield ["no U+0000", "a\u0000b", "ab"];
  if (pattern?.includes("u2028") && minLength > 0) yield ["not blank", "\u2003 \u200b", "\u2003x"];
  // A name, which is measured without surrounding spaces.
  if (pattern?.includes("{0,253}"))
    yield ["255 characters", "x".repeat(256), ` ${"😀".repeat(255)}\u2003`];
  if (format === "uuid") yield ["format uuid", "6f1f2c0e", crypto.randomUUID()];
  if (minimum !== undefined) yield [`minimum ${minimum}`, minimum - 1, minimum];
  if ([type].flat().includes("boolean")) yield ["type boolean", "yes"];
}

test("every limit of a body is enforced exactly", async () => {
  const folder = (await server.send("ada", "POST", "/folders", { name: "Limits" })).body;
  const chat = (await server.send("ada", "POST", "/chats", {})).body;
  const ids: Record<string, string> = { sessionId: chat.id, folder_id: folder.id };
  let count = 0;
  for (const { path, method, of } of operationsOf(documents.api)) {
    const body = of.requestBody?.content["application/json"];
    // These need existing records or DNS lookups.
    if (!body || /settings|users|webhooks|notes/.test(path)) continue;
    const target = path
      .replace("/api/dev/v1", "")
      .replace(/\{(\w+)\}/g, (_, name) => ids[name] ?? name);
    if (/documentId|promptId|folderId|requestId/.test(target)) continue;
    const example_body = {
      ...body.example,
      ...(body.example.folder_id && { folder_id: folder.id }),
    };
    for (const list of ["usedFolders", "folder_ids"])
      if (example_body[list]) example_body[list] = [folder.id];
    // A union has its limits in each member.
    const { properties = {} } = resolved(documents.api, body.schema);
    const fields = Object.entries<Json>(properties);
    for (const [field, of_field] of fields) {
      if (of_field.anyOf || field === "source" || field.endsWith("_id")) continue;
      for (const [limit, broken, valid] of limitsOf(resolved(documents.api, of_field), folder.id)) {
        count += 1;
        const what = `${method} ${path} ${field}: ${limit}`;
        const ask = async (value: unknown) =>
          (
            await server.send("ada", method.toUpperCase(), target, {
              ...example_body,
              [field]: value,
              requestId: undefined,
              ...(field === "requestId" && { requestId: value }),
            })
          ).status;
        expect([what, await ask(broken)]).toEqual([what, 400]);
        // Schedules and addresses have their own grammar, and lists need existing records.
        if (valid === undefined || /^(every|url|parentId|document_ids|usedPrompts)$/.test(field))
          continue;
        expect([what, [200, 201, 202].includes(await ask(valid))]).toEqual([what, true]);
      }
    }
  }
  expect(count).toBeGreaterThan(20);
});

describe("a query", () => {
  test.each([
    ["page", 999_999_999_999_999, "1000000000000000"],
    ["per_page", 999_999_999_999_999, "1000000000000000"],
  ])("documents the largest accepted %s exactly", async (name, maximum, larger) => {
    const { parameters } = documents.api.paths["/api/dev/v1/folders"].get;
    expect(parameters.find((parameter: Json) => parameter.name === name).schema).toMatchObject({
      minimum: 1,
      maximum,
    });
    const ask = async (value: unknown) =>
      (await server.send("ada", "GET", `/folders?${name}=${value}`)).status;
    expect([await ask(maximum), await ask(larger), await ask(0)]).toEqual([200, 400, 400]);
  });
});

/** The codes written in the server's source: `new HttpError(409, "name_taken", …)`. */
function* thrownCodes(): Generator<readonly [string, string]> {
  const root = resolve(import.meta.dir, "../..");
  const place: Readonly<Record<string, number>> = {
    HttpError: 1,
    badRequest: 2,
    conflict: 1,
    forbidden: 1,
  };
  for (const file of new Bun.Glob("{core,plugins}/**/*.ts").scanSync(root)) {
    const text = readFileSync(resolve(root, file), "utf8");
    if (files_elsewhere.test(file) || !/HttpError|badRequest|conflict\(|forbidden\(/.test(text))
      continue;
    const found: string[] = [];
    const visit = (node: ts.Node): void => {
      if (ts.isNewExpression(node) || ts.isCallExpression(node)) {
        const code = node.arguments?.[place[node.expression.getText()] ?? -1];
        if (code && ts.isStringLiteral(code)) found.push(code.text);
      }
      ts.forEachChild(node, visit);
    };
    visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true));
    for (const code of found) yield [file, code];
  }
}

test("every error code in the server's source is documented", () => {
  const known = new Set([
    ...codesOf(documents.api),
    ...codesOf(documents.console),
    ...codes_elsewhere,
  ]);
  const thrown = [...thrownCodes()];
  expect(thrown.length).toBeGreaterThan(40);
  expect(thrown.filter(([, code]) => !known.has(code))).toEqual([]);
});
/** Codes outside both documents: at the root of the server, or in other protocols. */
const codes_elsewhere = ["metrics_closed", "sign_in_failed", "no_role", "too_many_questions"];
const files_elsewhere =
  /^(core\/workbench\/templates|plugins\/(mcp|openai-api|oidc|signin-header))\//;

describe("serving the documents", () => {
  const ask = (path: string, headers: Record<string, string>) =>
    server.fetch(new Request(`http://dossier.test${path}`, { headers }));
  const paths = ["/api/dev/v1/openapi.json", "/console/api/openapi.json"];
  const encodings = [
    ["gzip", (bytes: Uint8Array) => gunzipSync(bytes)],
    ["br", (bytes: Uint8Array) => brotliDecompressSync(bytes)],
    ["zstd", (bytes: Uint8Array) => zstdDecompressSync(bytes)],
  ] as const;
  for (const path of paths)
    for (const [encoding, decode] of encodings)
      test(`${path} as ${encoding} is a seventh of the size, if the client takes it`, async () => {
        const plain = new Uint8Array(await (await ask(path, {})).arrayBuffer());
        const answer = await ask(path, { "accept-encoding": `deflate, ${encoding}` });
        const bytes = new Uint8Array(await answer.arrayBuffer());
        expect([answer.headers.get("content-encoding"), answer.headers.get("vary")]).toEqual([
          encoding,
          expect.stringMatching(/accept-encoding/i),
        ]);
        expect(new Uint8Array(decode(bytes))).toEqual(plain);
        expect(bytes.length).toBeLessThan(plain.length / 7);
      });
  test.each<[string, string, string | null]>([
    ["no header", "", null],
    ["an unsupported encoding", "deflate", null],
    ["refused encodings", "gzip;q=0, br;q=0.0", null],
    ["weighted encodings", "gzip;q=0.5, br;q=0.1, zstd;q=0.2", "gzip"],
    ["any encoding", "*", "br"],
    ["identity preferred over gzip", "identity, gzip;q=0.5", null],
  ])("content negotiation: %s", async (_, header, encoding) => {
    const answer = await ask(paths[0]!, { "accept-encoding": header });
    expect([answer.status, answer.headers.get("content-encoding")]).toEqual([200, encoding]);
  });
  for (const path of paths)
    test(`${path} is revalidated by its ETag, which differs by encoding`, async () => {
      const headers = { "accept-encoding": "gzip" };
      const first = await ask(path, headers);
      expect(first.headers.get("cache-control")).toBe("no-cache");
      const tag = first.headers.get("etag")!;
      for (const known of [tag, `W/${tag}`, `"other", ${tag}`, "*"]) {
        const revalidated = await ask(path, { ...headers, "if-none-match": known });
        expect([known, revalidated.status, await revalidated.text()]).toEqual([known, 304, ""]);
      }
      expect((await ask(path, { ...headers, "if-none-match": '"other"' })).status).toBe(200);
      expect((await ask(path, {})).headers.get("etag")).not.toBe(tag);
    });
});
