/** Turns of answers in this process: the shared cases, and how many are worked on at once. */
import { describe, expect, test } from "bun:test";
import { answerTurnCases } from "../cases/answer-turns";
import { startTestServer } from "../helpers/host";
import { says, startScriptedServer, type ScriptedServer } from "../helpers/scripted-server";
import { until } from "../helpers/server";

describe("turns", () => answerTurnCases(startTestServer));

describe("answers in progress", () => {
  /** Asks `each` questions as each of these people; none is answered before `open`. */
  async function asking(scripted: ScriptedServer, people: readonly string[], each: number) {
    const opened = Promise.withResolvers<void>();
    const begun: string[] = [];
    let at_once = 0;
    let most = 0;
    scripted.answers(async ({ text }) => {
      begun.push(text);
      most = Math.max(most, ++at_once);
      await opened.promise;
      await Bun.sleep(1);
      at_once -= 1;
      return says("Yes.");
    });
    const chats: string[] = [];
    for (const who of people) chats.push((await scripted.library(who)).chat);
    for (const [at, who] of people.entries())
      for (let n = 0; n < each; n++) await scripted.ask(who, chats[at]!, `${who} ${n}?`);
    return { begun, most: () => most, open: () => opened.resolve() };
  }

  const cases: [why: string, env: Record<string, string>, of_one: number, of_two: number][] = [
    ["are at most four, and three for one owner", {}, 3, 4],
    ["are as many as the setting allows", { DOSSIER_ANSWERS_CONCURRENCY: "2" }, 1, 2],
    ["can be limited to one", { DOSSIER_ANSWERS_CONCURRENCY: "1" }, 1, 1],
  ];
  test.each(cases)("%s", async (_why, env, of_one, of_two) => {
    const scripted = await startScriptedServer({ env });
    const turns = await asking(scripted, ["ada"], 6);
    await until(() => turns.begun.length >= of_one);
    await Bun.sleep(30);
    expect(turns.begun.length).toBe(of_one);
    turns.open();
    await scripted.server.settle();
    const two = await asking(scripted, ["bob", "cleo"], 6);
    await until(() => two.begun.length >= of_two);
    await Bun.sleep(30);
    expect(two.begun.length).toBe(of_two);
    two.open();
    await scripted.server.settle();
    expect([two.begun.length, two.most()]).toEqual([12, of_two]);
    await scripted.server.stop();
  });

  test("give up their slots while they wait, and get them back to finish", async () => {
    const scripted = await startScriptedServer({ env: { DOSSIER_ANSWERS_CONCURRENCY: "1" } });
    const called = Promise.withResolvers<void>();
    const steps: string[] = [];
    scripted.answers(async ({ text, waitFor }) => {
      if (text !== "slow?") {
        steps.push(text);
        return says("Quick.");
      }
      const [one, other] = await Promise.all([
        waitFor(async () => {
          steps.push("called");
          await called.promise;
          return "one";
        }),
        waitFor(async () => "other"),
      ]);
      steps.push("answered");
      return says(`${one} and ${other}`);
    });
    const { chat } = await scripted.library("dora");
    const slow = await scripted.ask("dora", chat, "slow?");
    await until(() => steps.length === 1);
    const quick = await scripted.ask("dora", chat, "quick?");
    await until(
      async () => (await scripted.send("dora", "GET", quick)).body.status === "COMPLETED",
    );
    expect((await scripted.send("dora", "GET", slow)).body.status).toBe("PROCESSING");
    called.resolve();
    await until(async () => (await scripted.send("dora", "GET", slow)).body.status === "COMPLETED");
    expect((await scripted.send("dora", "GET", slow)).body.result.answer).toBe("one and other");
    expect(steps).toEqual(["called", "quick?", "answered"]);
    await scripted.server.stop();
  });

  test("give up their slots when they fail or are cancelled", async () => {
    const scripted = await startScriptedServer({ env: { DOSSIER_ANSWERS_CONCURRENCY: "1" } });
    scripted.answers(async ({ text, waitFor, signal }) => {
      if (text === "fails?") throw new Error("broken");
      if (text === "waits and fails?")
        await waitFor(async () => {
          throw new Error("broken");
        });
      if (text.includes("held"))
        await waitFor(
          () =>
            new Promise((_, reject) =>
              signal.addEventListener("abort", () => reject(signal.reason)),
            ),
        );
      return says("Yes.");
    });
    const { chat } = await scripted.library("eve");
    for (const text of ["fails?", "waits and fails?"])
      expect((await scripted.finished("eve", await scripted.ask("eve", chat, text))).status).toBe(
        500,
      );
    const held_message = await scripted.ask("eve", chat, "held?");
    await scripted.reaches("eve", held_message, "PROCESSING");
    expect((await scripted.send("eve", "POST", `${held_message}/cancel`)).status).toBe(202);
    expect(await scripted.answerOf("eve", chat, "And now?")).toMatchObject({ answer: "Yes." });
    await scripted.server.stop();
  });
});
