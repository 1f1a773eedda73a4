/** The limit of long answers that their clients have not received yet. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { Type } from "@sinclair/typebox";
import { definePlugin, route } from "../../core/sdk";
import { startTestServer, type TestServer } from "../helpers/host";
import { until } from "../helpers/server";

const words = { tag: "Test", answers: { 200: { description: "Fine." } } };
const query = Type.Object({ chars: Type.Integer() });
const longAnswers = definePlugin({
  name: "long_answers",
  version: "1.0.0",
  routes: {
    get: route.get("/long", { ...words, summary: "Long", operation: "getLong", query }),
  },
  setup: () => ({
    routes: { get: async ({ query: { chars } }) => ({ text: "x" + "🜂".repeat(chars / 2) }) },
  }),
});

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ plugins: [longAnswers] });
});
afterAll(() => server.stop());

/** Requests whose answers nobody reads; returns once so many have been answered. */
async function ask(
  who: string,
  chars: number,
  { count, answered }: { readonly count: number; readonly answered: number },
): Promise<Response[]> {
  const key = await server.key(who);
  const answers: Response[] = [];
  for (let n = 0; n < count; n++) {
    const url = `http://dossier.test/api/dev/v1/long?chars=${chars}`;
    const request = new Request(url, { headers: { authorization: `Bearer ${key}` } });
    void server.fetch(request).then((response) => answers.push(response));
    // As over a connection, one request is begun after the other.
    await Bun.sleep(2);
  }
  await until(() => answers.length >= answered);
  return answers;
}

const mib = 2 ** 20;
const sent = 40;
const cases: [reason: string, chars: number, answered: number][] = [
  ["short answers are not counted", 1_000, sent],
  ["long ones wait when as much is being sent as one account may have", mib, 12],
];
test.each(cases)("%s", async (_reason, chars, answered) => {
  const answers = await ask(`reader of ${chars}`, chars, { count: sent, answered });
  // More would have been answered by now.
  await Bun.sleep(50);
  expect(answers.length).toBe(answered);
  await Promise.all(answers.map((response) => response.body!.cancel()));
});

test("an answer that was received, or left, makes room for the next; others never wait", async () => {
  const answers = await ask("ada", mib, { count: 14, answered: 12 });
  const before = answers.length;
  expect((await ask("bob", 1_000, { count: 1, answered: 1 })).length).toBe(1);
  const received = (await answers[0]!.json()) as { text: string };
  expect(received.text).toBe("x" + "🜂".repeat(mib / 2));
  await until(() => answers.length > before);
  await answers[1]!.body!.cancel();
  await answers[2]!.body!.cancel();
  await until(() => answers.length === 14);
  expect(before).toBe(12);
});
