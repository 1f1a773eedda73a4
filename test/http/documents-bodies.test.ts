/** Uploads that are refused or cut off while still arriving at a server in this process. */
import { beforeAll, describe, expect, test } from "bun:test";
import { filesOf } from "../helpers/data-directory";
import { startTestServer, type TestServer } from "../helpers/host";
import { person, type Person } from "../helpers/person";
import { until } from "../helpers/server";

let server: TestServer;
let ada: Person;
let folder: string;
beforeAll(async () => {
  server = await startTestServer({ env: { DOSSIER_DOCUMENTS_UPLOAD_BYTES_MAX: "256KiB" } });
  ada = await person(server, "ada");
  folder = await ada.folder();
});

const boundary = "----edge";

describe("over a socket", () => {
  /**
   * A connection that has sent the head of an upload and its first bytes; `declared` is the content
   * length in the head.
   */
  async function begin(declared: number, query: string, name = "cut.txt") {
    const listener = Bun.serve({ port: 0, fetch: (request) => server.fetch(request) });
    const received: Buffer[] = [];
    const closed = Promise.withResolvers<void>();
    const socket = await Bun.connect({
      hostname: "127.0.0.1",
      port: listener.port!,
      socket: {
        data: (_socket, data) => void received.push(Buffer.from(data)),
        close: () => closed.resolve(),
      },
    });
    socket.write(
      `POST /api/dev/v1/documents/file?${query} HTTP/1.1\r\nHost: dossier.test\r\nAuthorization: Bearer ${await server.key("ada")}\r\n` +
        `Content-Type: multipart/form-data; boundary=${boundary}\r\nContent-Length: ${declared}\r\n\r\n` +
        `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n\r\n${"x".repeat(10_000)}`,
    );
    return {
      socket,
      listener,
      closed: closed.promise,
      answer: () => Buffer.concat(received).toString(),
    };
  }

  test("a client that disconnects leaves nothing behind", async () => {
    const before = filesOf(server.data);
    const { socket, listener } = await begin(200_000, `folder_id=${folder}`);
    await until(() => filesOf(server.data).some((name) => name.startsWith("tmp/")));
    socket.terminate();
    await until(() => filesOf(server.data).join() === before.join());
    await listener.stop(true);
    expect((await ada.names(folder)).includes("cut.txt")).toBe(false);
  });

  const refused: [string, () => Promise<string>, number, number][] = [
    ["an unknown folder", async () => "folder_id=fld_none", 200_000, 404],
    [
      "another user's folder",
      async () => `folder_id=${await (await person(server, "bob")).folder()}`,
      200_000,
      403,
    ],
    [
      "a name that is taken",
      async () => {
        const other = await ada.folder();
        await ada.upload(other, "cut.txt", "x");
        return `folder_id=${other}`;
      },
      200_000,
      409,
    ],
    ["more than the limit", async () => `folder_id=${folder}`, 600_000_000, 413],
  ];
  for (const [why, query, declared, status] of refused) {
    test(`${why} is refused before the rest is sent`, async () => {
      const before = filesOf(server.data).length;
      const { socket, listener, answer } = await begin(declared, await query());
      await until(() => answer().includes("\r\n\r\n"));
      expect(answer()).toStartWith(`HTTP/1.1 ${status} `);
      socket.terminate();
      await listener.stop(true);
      await until(
        () => filesOf(server.data).filter((name) => name.startsWith("tmp/")).length === 0,
      );
      expect(filesOf(server.data).length).toBeLessThanOrEqual(before + 1);
    });
  }
});

test("after all of this, an upload still works", async () => {
  expect((await ada.upload(folder, "last.txt", "x")).status).toBe(201);
});
