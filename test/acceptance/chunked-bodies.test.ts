/**
 * Acceptance, on the executable: chunked bodies of honest clients arrive whole, in chunks of any
 * size, and a refused one gets its response and leaves the connection usable.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import { startExecutable, type Executable } from "../helpers/executable";
import { person, type Person } from "../helpers/person";

let server: Executable;
let ada: Person;
let folder: string;
const sockets: Socket[] = [];
beforeAll(async () => {
  server = await startExecutable();
  ada = await person(server, "ada");
  folder = await ada.folder();
});
afterAll(() => {
  for (const socket of sockets) socket.destroy();
  return server?.[Symbol.asyncDispose]();
});

/** The head of a chunked request, with a key unless there are other headers. */
const headOf = (method: string, path: string, headers = `Authorization: Bearer ${ada.key}`) =>
  `${method} /api/dev/v1${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n` +
  "Transfer-Encoding: chunked\r\n";
const chunk = (content: string) => `${content.length.toString(16)}\r\n${content}\r\n`;
const last_chunk = "0\r\n\r\n";

/** Sends a body piece by piece, at the pace of the server. Settles with the first response. */
async function send(head: string, pieces: Iterable<string>): Promise<Client> {
  const client = new Client();
  client.socket.write(`${head}\r\n`);
  for (const piece of pieces) await client.write(piece);
  await client.write(last_chunk);
  return client;
}

class Client {
  readonly socket = connect(Number(new URL(server.url()).port), "127.0.0.1");
  private received = "";

  constructor() {
    sockets.push(this.socket);
    this.socket.on("data", (data) => (this.received += data.toString()));
    this.socket.on("error", () => undefined);
  }

  write(bytes: string): Promise<void> {
    return new Promise((resolve) => this.socket.write(bytes, () => resolve()));
  }

  /** The status lines so far, once there are so many. */
  async statuses(count: number): Promise<number[]> {
    for (;;) {
      const lines = this.received.match(/HTTP\/1\.1 \d{3}/g) ?? [];
      if (lines.length >= count || this.socket.destroyed)
        return lines.map((line) => Number(line.slice(-3)));
      await Bun.sleep(10);
    }
  }
}

function* repeated(piece: string, count: number): Generator<string> {
  for (let i = 0; i < count; i++) yield piece;
}

const boundary = "edge";
const part = (name: string) =>
  chunk(`--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n\r\n`);
const part_end = chunk(`\r\n--${boundary}--\r\n`);

const uploads: [reason: string, size: number, piece: string, count: number][] = [
  ["twenty megabytes in ordinary chunks", 20_000_000, chunk("x".repeat(50_000)), 400],
  ["chunks of a line", 2_000_000, chunk("y".repeat(80)).repeat(250), 100],
  ["chunks of one byte", 200_000, chunk("z").repeat(1_000), 200],
];
test.each(uploads)("a file arrives whole: %s", async (reason, size, piece, count) => {
  const head = headOf(
    "POST",
    `/documents/file?folder_id=${folder}`,
    `Authorization: Bearer ${ada.key}\r\nContent-Type: multipart/form-data; boundary=${boundary}`,
  );
  const name = `${reason}.bin`;
  const pieces = [part(name), ...repeated(piece, count), part_end];
  const client = await send(head, pieces);
  expect(await client.statuses(1)).toEqual([201]);
  const { data } = (await ada.send("GET", `/documents?folder_id=${folder}`)).body;
  expect(data.find((one: { name: string }) => one.name === name)?.size_bytes).toBe(size);
});

const refused: [reason: string, head: () => string, status: number][] = [
  ["without a key", () => headOf("POST", "/folders", "Accept: */*"), 401],
  ["for an unknown path", () => headOf("POST", "/nothing"), 404],
  ["of another type", () => headOf("POST", "/folders"), 415],
  ["where none is read", () => headOf("GET", "/folders"), 200],
];
const ordinary = chunk("x".repeat(50_000));
const piece_kinds: [kind: string, piece: string, count: number][] = [
  ["of ordinary chunks", ordinary, 60],
  ["of tiny chunks", chunk("x").repeat(1_000), 50],
];
for (const [kind, piece, count] of piece_kinds)
  test.each(refused)(
    `a body ${kind} %s gets its response, and so does the next request`,
    async (_, head, status) => {
      const client = await send(head(), repeated(piece, count));
      expect(await client.statuses(1)).toEqual([status]);
      await client.write(`GET /health HTTP/1.1\r\nHost: x\r\n\r\n`);
      expect(await client.statuses(2)).toEqual([status, 200]);
    },
  );

test("others are answered while bodies of tiny chunks arrive", async () => {
  for (const method of ["GET", "POST", "POST", "DELETE"])
    new Client().socket.write(`${headOf(method, "/folders")}\r\n${chunk("x").repeat(500_000)}`);
  for (let i = 0; i < 20; i++) expect((await ada.send("GET", "/folders")).status).toBe(200);
});
