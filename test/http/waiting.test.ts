/**
 * Polls that wait for a change of their message (`Prefer: wait`). The answerer is scripted by each
 * test.
 */
import { beforeAll, describe, expect, test } from "bun:test";
import { startScriptedServer, type ScriptedServer } from "../helpers/scripted-server";

let scripted: ScriptedServer;
let send: ScriptedServer["send"];
let chat: string;

beforeAll(async () => {
  scripted = await startScriptedServer();
  ({ send } = scripted);
  ({ chat } = await scripted.library("ada"));
});

describe("waiting for a change", () => {
  const wait = (path: string, prefer: string) => send("ada", "GET", path, undefined, { prefer });

  test("the poll answers when the message is completed, and says how long it would have waited", async () => {
    const held = scripted.gate();
    const path = await scripted.ask("ada", chat);
    await held.begun;
    await scripted.reaches("ada", path, "PROCESSING");
    const polls = Promise.all([
      wait(path, "wait=20"),
      wait(path, "respond-async, wait=20"),
      wait(path, "wait=600"),
    ]);
    const early = await Promise.race([polls, Bun.sleep(50)]);
    expect(early).toBeUndefined();
    held.open();
    const answers = await polls;
    expect(
      answers.map(({ body, headers }) => [body.status, headers.get("preference-applied")]),
    ).toEqual([
      ["COMPLETED", "wait=20"],
      ["COMPLETED", "wait=20"],
      ["COMPLETED", "wait=30"],
    ]);
  });

  test("a step from PENDING to PROCESSING is a change", async () => {
    const held = scripted.gate();
    const busy = await Promise.all([
      scripted.ask("ada", chat),
      scripted.ask("ada", chat),
      scripted.ask("ada", chat),
    ]);
    await held.begun;
    for (const path of busy) await scripted.reaches("ada", path, "PROCESSING");
    const path = await scripted.ask("ada", chat);
    expect((await send("ada", "GET", path)).body.status).toBe("PENDING");
    const poll = wait(path, "wait=20");
    await send("ada", "POST", `${busy[0]}/cancel`);
    expect((await poll).body.status).toBe("PROCESSING");
    held.open();
    await scripted.server.settle();
  });

  test("a finished message, and one that is cancelled meanwhile, answer at once", async () => {
    const held = scripted.gate();
    const path = await scripted.ask("ada", chat);
    await held.begun;
    await scripted.reaches("ada", path, "PROCESSING");
    const poll = wait(path, "wait=20");
    await Bun.sleep(5);
    expect((await send("ada", "POST", `${path}/cancel`)).status).toBe(202);
    for (const answer of [await poll, await wait(path, "wait=20")]) {
      expect([answer.status, answer.text, answer.headers.get("preference-applied")]).toEqual([
        500,
        "The answer was cancelled.",
        "wait=20",
      ]);
    }
  });

  test("without a wait, with one of nothing or one that is no number, it answers at once", async () => {
    const held = scripted.gate();
    const path = await scripted.ask("ada", chat);
    await held.begun;
    for (const prefer of ["wait=0", "wait=soon", "respond-async"]) {
      const { body, headers } = await wait(path, prefer);
      expect([
        ["PENDING", "PROCESSING"].includes(body.status),
        headers.get("preference-applied"),
      ]).toEqual([true, null]);
    }
    held.open();
    await scripted.server.settle();
  });

  test("a client that goes away ends the wait", async () => {
    const held = scripted.gate();
    const path = await scripted.ask("ada", chat);
    await held.begun;
    await scripted.reaches("ada", path, "PROCESSING");
    const client = new AbortController();
    const request = new Request(`http://dossier.test/api/dev/v1${path}`, {
      headers: { authorization: `Bearer ${await scripted.server.key("ada")}`, prefer: "wait=30" },
      signal: client.signal,
    });
    const poll = scripted.server.fetch(request);
    expect(await Promise.race([poll, Bun.sleep(50)])).toBeUndefined();
    client.abort();
    expect((await poll).status).toBe(200);
    held.open();
    await scripted.server.settle();
  });
});

test("a server that stops ends the wait", async () => {
  const other = await startScriptedServer();
  const { chat } = await other.library("ada");
  const held = other.gate();
  const path = await other.ask("ada", chat);
  await held.begun;
  await other.reaches("ada", path, "PROCESSING");
  const poll = other.send("ada", "GET", path, undefined, { prefer: "wait=30" });
  expect(await Promise.race([poll, Bun.sleep(20)])).toBeUndefined();
  await other.server.stop();
  expect((await poll).body.status).toBe("PROCESSING");
});
