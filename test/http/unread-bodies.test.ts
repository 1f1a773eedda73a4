/**
 * The limit of bodies that are being sent: those that were read no longer count, and those that
 * nobody reads are dropped with the response.
 */
import { beforeAll, expect, test } from "bun:test";
import { Type } from "@sinclair/typebox";
import { definePlugin, receiveFile, route } from "../../core/sdk";
import { startTestServer, type TestServer } from "../helpers/host";
import { filePart, multipart } from "../helpers/forms";
import { until } from "../helpers/server";

/** What the handlers wait for, and how many of them do. */
let released = Promise.withResolvers<void>();
let waiting = 0;
async function hold(): Promise<{ readonly held: boolean }> {
  waiting++;
  await released.promise;
  waiting--;
  return { held: true };
}

const words = { tag: "Test", answers: { 200: { description: "Fine." } } };
const holder = definePlugin({
  name: "holder",
  version: "1.0.0",
  routes: {
    json: route.post("/held/json", {
      ...words,
      summary: "JSON",
      operation: "holdJson",
      body: Type.Object({}),
    }),
    file: route.post("/held/file", {
      ...words,
      summary: "File",
      operation: "holdFile",
      body: { multipart: { part: "file", description: "A file." } },
    }),
    unread: route.post("/held/unread", {
      ...words,
      summary: "Unread",
      operation: "holdUnread",
      body: { multipart: { part: "file", description: "A file." } },
    }),
  },
  setup: ({ files }) => ({
    routes: {
      json: hold,
      unread: hold,
      file: async ({ request }) => {
        const options = { part: "file", bytes_max: 1_000, admit: async () => {} };
        const { received } = await receiveFile(request, files, options);
        await received.release();
        return hold();
      },
    },
  }),
});

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ plugins: [holder] });
});

const json = {
  body: new TextEncoder().encode("{}"),
  headers: { "content-type": "application/json" },
};
const file = multipart({ headers: filePart("a.txt"), body: "x" });

const sent = 50;
const cases: [reason: string, path: string, body: typeof json | typeof file, admitted: number][] = [
  ["JSON that was read doesn't count while the request is handled", "json", json, sent],
  ["nor does a file that was read", "file", file, sent],
  ["a body that nobody has read does", "unread", file, 42],
];
test.each(cases)("%s", async (_reason, path, { body, headers }, admitted) => {
  const key = await server.key("ada");
  released = Promise.withResolvers();
  const send = async (): Promise<number> => {
    const response = await server.fetch(
      new Request(`http://dossier.test/api/dev/v1/held/${path}`, {
        method: "POST",
        headers: { ...headers, authorization: `Bearer ${key}`, "transfer-encoding": "chunked" },
        body,
      }),
    );
    for (const name of ["limit", "remaining", "reset"])
      expect(response.headers.get(`x-ratelimit-${name}`)).toMatch(/^\d+$/);
    return response.status;
  };
  const statuses: Promise<number>[] = [];
  for (let at = 1; at <= sent; at++) {
    statuses.push(send());
    await until(() => waiting === Math.min(at, admitted));
  }
  released.resolve();
  const refused = Array<number>(sent - admitted).fill(503);
  expect(await Promise.all(statuses)).toEqual([...Array<number>(admitted).fill(200), ...refused]);
});

const unread: [reason: string, path: string, is_dropped: boolean][] = [
  ["a body that nobody reads is dropped with the response", "held/unread", true],
  ["so is one sent to an address that does not exist", "nowhere", true],
  ["one that was read has nothing to drop", "held/json", false],
];
test.each(unread)("%s", async (_reason, path, is_dropped) => {
  let was_dropped = false;
  const body = new ReadableStream({
    pull(stream) {
      stream.enqueue(json.body);
      if (!is_dropped) stream.close();
    },
    cancel: () => void (was_dropped = true),
  });
  released.resolve();
  await server.fetch(
    new Request(`http://dossier.test/api/dev/v1/${path}`, {
      method: "POST",
      headers: {
        ...(path === "held/unread" ? file.headers : json.headers),
        authorization: `Bearer ${await server.key("ada")}`,
        "transfer-encoding": "chunked",
      },
      body,
    }),
  );
  expect(was_dropped).toBe(is_dropped);
});
