/** Bodies that arrive in tiny chunks: they are read in few. */
import { afterAll, expect, test } from "bun:test";
import { connect } from "node:net";
import { gatheredBody, pauseAfter } from "../../core/http/gathered-body";

const chunks_sent = 100_000;

/** By path. */
const streams: Record<string, (body: ReadableStream<Uint8Array>) => AsyncIterable<Uint8Array>> = {
  "/gathered": gatheredBody,
  "/paused": (body) => body,
};

let reads = 0;
const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  async fetch({ url, body }) {
    let bytes = 0;
    reads = 0;
    for await (const chunk of streams[new URL(url).pathname]!(body!)) {
      reads++;
      bytes += chunk.byteLength;
      await pauseAfter(chunk.byteLength);
    }
    return new Response(String(bytes));
  },
});
afterAll(() => server.stop(true));

/** Sends a body in chunks of one byte; resolves with the response. */
const sendTiny = (path: string, chunks: number): Promise<string> =>
  new Promise((resolve, reject) => {
    let response = "";
    const socket = connect(server.port!, "127.0.0.1", () => {
      socket.write(`POST ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n`);
      socket.write("transfer-encoding: chunked\r\n\r\n");
      socket.write("1\r\nx\r\n".repeat(chunks));
      socket.write("0\r\n\r\n");
    });
    socket.on("data", (data) => (response += data.toString()));
    socket.on("close", () => resolve(response));
    socket.on("error", reject);
  });

test.each(Object.keys(streams))("many chunks of one byte are read in few: %s", async (path) => {
  expect(await sendTiny(path, chunks_sent)).toEndWith(String(chunks_sent));
  expect(reads).toBeLessThan(chunks_sent / 20);
});

test("a body that is not wanted any more is cancelled", async () => {
  const reasons: unknown[] = [];
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new Uint8Array(1)),
    cancel: (reason) => void reasons.push(reason),
  });
  const reader = gatheredBody(body).getReader();
  await reader.read();
  await reader.cancel("enough");
  expect(reasons).toEqual(["enough"]);
});
