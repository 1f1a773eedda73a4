/** Acceptance, on the executable: memory use with bodies designed to exhaust it, and with many. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { startExecutable, type Executable } from "../helpers/executable";
import { openSocket } from "../helpers/sockets";
import { person, type Person } from "../helpers/person";

const rss_mib_max = 400;
const count = 12;
const size = 15_800_000;

const filled = (before: string, piece: string, after: string): string =>
  before + piece.repeat(Math.floor((size - before.length - after.length) / piece.length)) + after;

let server: Executable;
let ada: Person;
beforeAll(async () => {
  server = await startExecutable();
  ada = await person(server, "ada");
}, 180_000);
afterAll(() => server?.[Symbol.asyncDispose]());

/** The peak memory since the last call, in MiB. */
function takePeak(): number {
  const kib = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${server.pid()}/status`, "utf8"));
  writeFileSync(`/proc/${server.pid()}/clear_refs`, "5");
  return Number(kib![1]) / 1024;
}

test.skipIf(!existsSync("/proc/self/environ"))(
  "the process that was started collects garbage in time: its environment says how much there is",
  () => {
    const environment = readFileSync(`/proc/${server.pid()}/environ`, "utf8").split("\0");
    expect(environment).toContain("BUN_JSC_forceRAMSize=288000000");
  },
);

const bodies: [string, string][] = [
  ["nested lists", filled(`{"x":${"[".repeat(40)}`, "[[]],", `[]${"]".repeat(40)}}`)],
  ["empty objects", filled(`{"x":[`, "{},", "1]}")],
  ["unclosed lists", "[".repeat(size)],
  ["many names", filled("{", `"a":"\\u0041",`, `"b":1}`)],
  ["one long name", filled(`{"`, "name", `":1}`)],
  ["escapes in another field", filled(`{"folder_id":"none","x":"`, `\\"\\n`, `"}`)],
];
for (const [why, body] of bodies)
  test.skipIf(!existsSync("/proc/self/clear_refs"))(
    `${count} bodies of ${size / 1e6} MB at once: ${why}`,
    async () => {
      takePeak();
      const answers = await Promise.all(
        Array.from({ length: count }, () =>
          ada.send("POST", "/documents", body, { "content-type": "application/json" }),
        ),
      );
      expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: count }, () => 400));
      expect(takePeak()).toBeLessThan(rss_mib_max);
      expect((await ada.send("GET", "/folders")).status).toBe(200);
    },
    60_000,
  );

const unread_bytes = 1_900_000;
const multipart = "Content-Type: multipart/form-data; boundary=edge";
const unread: [
  reason: string,
  path: () => Promise<string>,
  headers: () => string,
  statuses: readonly number[],
][] = [
  [
    "uploads",
    async () => `/documents/file?folder_id=${await ada.folder()}`,
    () => `Authorization: Bearer ${ada.key}\r\n${multipart}`,
    [503],
  ],
  [
    "texts",
    async () => "/documents",
    () => `Authorization: Bearer ${ada.key}\r\nContent-Type: application/json`,
    [503],
  ],
  [
    "requests without a key",
    async () => "/documents",
    () => "Content-Type: application/json",
    // Their bodies are not waited for: when the last one arrives, most may be answered already.
    [401, 503],
  ],
];
test.skipIf(!existsSync("/proc/self/clear_refs")).each(unread)(
  "400 connections send a body at once: %s",
  async (_, path, headers, statuses) => {
    const bob = await person(server, "bob");
    const bobs_folder = await bob.folder();
    const head =
      `POST /api/dev/v1${await path()} HTTP/1.1\r\nHost: x\r\n${headers()}\r\n` +
      `Content-Length: ${unread_bytes + 1}\r\n\r\n`;
    const bytes = Buffer.concat([Buffer.from(head), Buffer.alloc(unread_bytes, " ")]);
    takePeak();
    const sockets = Array.from({ length: 400 }, () => openSocket(server.url()));
    for (const socket of sockets) socket.send(bytes);
    expect(statuses).toContain((await sockets.at(-1)!.answer(20_000)).status);
    const content = "x".repeat(200_000);
    const upload = await bob.send("POST", "/documents", { folder_id: bobs_folder, content });
    expect(upload.status).toBe(201);
    expect(takePeak()).toBeLessThan(rss_mib_max);
    for (const socket of sockets) socket.cut();
  },
  60_000,
);
