/**
 * Acceptance, on the executable: a user's event stream across kill -9, restarts, keys deactivated
 * by a command, and clients that never read.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { about, endKeysBy, eventStreamCases, listening, namesOf } from "../cases/event-stream";
import { startExecutable, type Executable } from "../helpers/executable";
import { person, type Person } from "../helpers/person";
import { openSocket } from "../helpers/sockets";
import { until } from "../helpers/server";

endKeysBy(async (old_key, key) => {
  const server = old_key as Executable;
  const listed = JSON.parse(
    await server.mustCli(["key", "list", "--user", "ada@example.com", "--json"]),
  ) as {
    readonly id: string;
    readonly prefix: string;
  }[];
  await server.mustCli([
    "key",
    "deactivate",
    listed.find(({ prefix }) => key.startsWith(prefix))!.id,
  ]);
});
describe("the stream of events", () => eventStreamCases(startExecutable));

let server: Executable;
let ada: Person;
beforeAll(async () => {
  server = await startExecutable();
  ada = await person(server, "ada");
}, 180_000);
afterAll(() => server?.[Symbol.asyncDispose]());

test("after two kills, a returning client gets every missed event once and in order", async () => {
  const stream = await listening(server, "ada");
  const first = await ada.folder("first");
  const { id } = await stream.until(about("folder.created", first));
  const second = await ada.folder("second");
  const { id: document_id } = await ada.text(second, "The tide turns at noon.");
  await server.kill();
  expect(await stream.ended).toBe(false);
  await server.restart();
  // Events are recorded even while nobody listens.
  const third = await ada.folder("third");
  await server.kill();
  await server.restart();
  const resumed = await listening(server, "ada", "", { after: id });
  const fourth = await ada.folder("fourth");
  const last = await resumed.until(about("folder.created", fourth));
  expect(
    resumed.events.map(({ event, data }) => [event, data.folder_id ?? data.document_id]),
  ).toEqual([
    ["folder.created", second],
    ["document.created", second],
    ["document.synced", document_id],
    ["folder.created", third],
    ["folder.created", fourth],
  ]);
  await resumed.disconnect();
  const back = await listening(server, "ada", "", { after: last.id });
  const fifth = await ada.folder("fifth");
  await back.until(about("folder.created", fifth));
  expect(namesOf(back)).toEqual(["folder.created"]);
  await back.disconnect();
});

test("clients that never read don't slow others, and a stop ends their streams", async () => {
  const key = await server.key("ada");
  const idle = Array.from({ length: 50 }, () => openSocket(server.url(), { paused: true }));
  for (const socket of idle)
    socket.send(
      `GET /api/dev/v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`,
    );
  const stream = await listening(server, "ada");
  const folder_id = await ada.folder("many");
  for (let round = 0; round < 10; round++)
    await Promise.all(
      Array.from({ length: 100 }, (_, n) =>
        ada.send("PUT", `/folders/${folder_id}`, { name: `${"n".repeat(250)}${n}` }),
      ),
    );
  await until(() => namesOf(stream).length > 1_000, 60_000);
  expect(await server.stop()).toBe(0);
  expect(await stream.ended).toBe(true);
  for (const socket of idle) socket.cut();
  await server.restart();
}, 120_000);
