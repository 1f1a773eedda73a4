/** Bodies that arrive too slowly: the connection is not held for longer than fifteen seconds. */
import { expect, test } from "bun:test";
import { startTestServer } from "../helpers/host";

const trickle = (): ReadableStream =>
  new ReadableStream({
    async pull(controller) {
      await Bun.sleep(200);
      controller.enqueue(new Uint8Array([0x20]));
    },
  });

test.concurrent.each([
  ["without a declared length", {}],
  ["of a declared length", { "content-length": "1000" }],
])("a body %s that arrives too slowly times out", async (_, length) => {
  await using server = await startTestServer();
  const headers = { "content-type": "application/json", ...length };
  const { status, body } = await server.send("ada", "POST", "/folders", trickle(), headers);
  expect([status, body.code]).toEqual([408, "body_timeout"]);
});
