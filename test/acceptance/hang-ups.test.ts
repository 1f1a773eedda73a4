/** Acceptance, on the executable: work stops for clients that disconnect. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startExecutable, type Executable } from "../helpers/executable";
import { person, type Person } from "../helpers/person";
import { head, openSocket, type RawSocket } from "../helpers/sockets";

let server: Executable;
let ada: Person;
beforeAll(async () => {
  server = await startExecutable();
  ada = await person(server, "ada");
}, 180_000);
afterAll(() => server?.[Symbol.asyncDispose]());

const gone = (path: string): number =>
  server
    .output()
    .split("\n")
    .filter((line) => line.includes("the client disconnected") && line.includes(`"${path}"`))
    .length;

const post = (path: string, bytes: number): RawSocket => {
  const socket = openSocket(server.url());
  socket.send(
    head("POST", path, {
      authorization: `Bearer ${ada.key}`,
      "content-type": "application/json",
      "content-length": String(bytes),
    }),
  );
  return socket;
};

describe("a large body", () => {
  const largest = 16 * 2 ** 20;
  const small = JSON.stringify({ folder_id: "none", content: "x" }).padEnd(300_000);

  test("that is aborted gives its slot to the next", async () => {
    const path = "/api/dev/v1/documents";
    const first = post("/documents", largest);
    first.send(" ".repeat(100_000));
    // The owner's share is used up, so these wait.
    await server.untilTrue(async () => {
      const waiting = post("/documents", largest);
      await Bun.sleep(20);
      waiting.cut();
      return gone(path) > 0;
    });
    const next = post("/documents", small.length);
    next.send(small);
    first.cut();
    expect((await next.answer()).status).toBe(404);
  });
});

test("abandoned searches end, including queued ones", async () => {
  const folder = await ada.folder();
  const text = "The heron stood in the reeds and watched the water for a long time. ".repeat(300);
  for (let n = 0; n < 20; n++) await ada.text(folder, `${n} ${text}`);
  const path = "/api/dev/v1/search";
  const body = JSON.stringify({ query: text.slice(0, 2_000) });
  await server.untilTrue(async () => {
    const sockets = Array.from({ length: 30 }, () => {
      const socket = post("/search", body.length);
      socket.send(body);
      return socket;
    });
    await Bun.sleep(20);
    for (const socket of sockets) socket.cut();
    return gone(path) > 5;
  });
});
