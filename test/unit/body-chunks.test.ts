/** Reading a JSON body: its chunks are freed at once, unless they are a caller's own. */
import { expect, test } from "bun:test";
import { readBytes } from "../../core/http/body";

const length = 300_000;
const turn = { bytes: length, widen: async () => undefined };

const cases: [why: string, headers: Record<string, string>, left_bytes: number][] = [
  ["of a declared length", { "content-length": String(length) }, 0],
  ["in chunks", { "transfer-encoding": "chunked" }, 0],
  ["of a caller in this process", {}, length / 3],
];
test.each(cases)("a body %s", async (_why, headers, left_bytes) => {
  const chunks = [1, 2, 3].map((byte) => new Uint8Array(length / 3).fill(byte));
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
  const request = { headers: new Headers(headers), body } as Request;
  const bytes = await readBytes(request, length, turn);
  expect([bytes.length, bytes[0], bytes.at(-1)]).toEqual([length, 1, 3]);
  expect(chunks.map((chunk) => chunk.byteLength)).toEqual([left_bytes, left_bytes, left_bytes]);
});
