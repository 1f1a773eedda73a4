/**
 * A language model that is slow, dead, recovered or asked to rewrite a question, and how much it is
 * sent.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { ProviderFailure } from "../../plugins/answers-openai/failure";
import { ModelHealth } from "../../plugins/answers-openai/health";
import { openAi } from "../helpers/clients";
import { startTestServer, type TestServer } from "../helpers/host";
import { person, type Person } from "../helpers/person";
import { chunk, event, fails, raw, says, startProvider, type Provider } from "../helpers/provider";
import { until } from "../helpers/server";

const good = "The heron stands in shallow water [1].";
const question = "Where does the heron stand?";
let provider: Provider;
beforeAll(() => {
  provider = startProvider();
});
afterAll(() => provider.stop());

interface Site {
  readonly server: TestServer;
  readonly ada: Person;
  readonly ask: (text: string, chat?: string) => Promise<any>;
  readonly chat: () => Promise<string>;
}
async function startSite(
  env: Record<string, string> = {},
  texts: readonly string[] = ["The heron stands in shallow water. It waits for fish."],
): Promise<Site> {
  const server = await startTestServer({
    env: {
      DOSSIER_ANSWERS_PROVIDER: "openai",
      DOSSIER_ANSWERS_BASE_URL: provider.base_url,
      DOSSIER_ANSWERS_MODEL: "tiny-1",
      ...env,
    },
  });
  const ada = await person(server, "ada");
  const folder = await ada.folder("Birds");
  for (const text of texts) await ada.text(folder, text);
  await server.settle();
  const chat = async () => (await ada.create("/chats", { usedFolders: [folder] })).id;
  return { server, ada, chat, ask: async (text, id) => ada.ask(id ?? (await chat()), text) };
}
/** The requests for an answer, without the requests to rewrite a question. */
const answering = () =>
  provider.asked().filter(({ body }) => body.messages.at(-1).content.includes("<sources>"));
const rewriting = () =>
  provider.asked().filter(({ body }) => !body.messages.at(-1).content.includes("<sources>"));

describe("a model that writes nothing in time", () => {
  test.each([
    ["hangs", () => new Promise<Response>(() => undefined)],
    ["opens a stream and hangs", () => raw([], { open: true })],
    [
      "sends an empty first piece, as some do before they read, and hangs",
      () => raw([chunk({ role: "assistant", content: "" })], { open: true }),
    ],
  ] as [string, () => Response | Promise<Response>][])(
    "%s: the documents are quoted, with a warning",
    async (_why, play) => {
      const { ask } = await startSite({ DOSSIER_ANSWERS_FIRST_WORD_TIMEOUT: "500ms" });
      provider.answerWith(play);
      expect(await ask(question)).toMatchObject({
        model: "extractive",
        outcome: "answered",
        warnings: [{ code: "provider_unavailable", message: expect.stringContaining("in time") }],
      });
      expect(provider.asked()).toHaveLength(1);
    },
  );
  test("is not one that sends its reasoning first", async () => {
    const { ask } = await startSite({ DOSSIER_ANSWERS_FIRST_WORD_TIMEOUT: "1s" });
    provider.answerWith(
      () =>
        new Response(
          new ReadableStream({
            async start(controller) {
              const send = (text: string) => controller.enqueue(new TextEncoder().encode(text));
              for (let n = 0; n < 6; n++) {
                send(chunk({ reasoning_content: "hm " }));
                await Bun.sleep(250);
              }
              send(chunk({ content: good }) + chunk({}, "stop") + event("[DONE]"));
              controller.close();
            },
          }),
          { headers: { "content-type": "text/event-stream" } },
        ),
    );
    expect(await ask(question)).toMatchObject({ answer: good, warnings: [] });
  });
});

test("the model is sent as many passages as the setting allows", async () => {
  const texts = Array.from({ length: 6 }, (_, n) => `Heron number ${n} stands in shallow water.`);
  for (const [env, count] of [
    [{}, 6],
    [{ DOSSIER_ANSWERS_PASSAGES_MAX: "2" }, 2],
  ] as const) {
    const { ask } = await startSite(env, texts);
    provider.answerWith(() => says(good));
    await ask(question);
    expect(
      answering()[0]!
        .body.messages.at(-1)
        .content.match(/<source id=/g),
    ).toHaveLength(count);
  }
});

describe("the health of the model", () => {
  test("reports a dead model and what to do, and clears when it is back", async () => {
    const { server, ask } = await startSite();
    const health = async (): Promise<string | undefined> =>
      (await server.host.health()).find(({ plugin }) => plugin === "answers-openai")?.failing;
    expect(await health()).toBeUndefined();
    provider.answerWith(() => fails(401));
    await ask(question);
    expect(await health()).toMatch(
      /^The language model is not responding, so answers quote the documents: .*401.*config test/,
    );
    provider.answerWith(() => says(good));
    expect(await ask(question)).toMatchObject({ model: "tiny-1" });
    expect(await health()).toBeUndefined();
  });

  const failure = (kind: "unavailable" | "busy" | "slow" | "unusable") =>
    new ProviderFailure(kind, "the provider is a teapot", { retryable: true });
  const cases: [why: string, kind: Parameters<typeof failure>[0], count: number, dead: boolean][] =
    [
      ["one failure to connect as dead", "unavailable", 1, true],
      ["one slow answer as alive", "slow", 1, false],
      ["two slow answers as dead", "slow", 2, true],
      ["busy twice as alive", "busy", 2, false],
      ["busy three times as dead", "busy", 3, true],
      ["unusable answers as alive", "unusable", 5, false],
    ];
  test.each(cases)("counts %s", (_why, kind, count, dead) => {
    const health = new ModelHealth({ now_ms: () => 0, ask: async () => {}, fallback: "fail" });
    for (let n = 0; n < count; n++) health.failed(failure(kind));
    expect(health.failing() !== null).toBe(dead);
    if (dead) expect(health.failing()).toContain("so questions fail: the provider is a teapot.");
    health.succeeded();
    expect(health.failing()).toBeNull();
  });
  test("probes a dead model now and then when health is read, until it answers", async () => {
    let now = 0;
    let request_count = 0;
    let is_back = false;
    const health = new ModelHealth({
      now_ms: () => now,
      fallback: "extractive",
      ask: async () => {
        request_count += 1;
        if (!is_back) throw new Error("dead");
      },
    });
    const look = async () => {
      const failing = health.failing();
      await Bun.sleep(0);
      return failing;
    };
    health.failed(failure("unavailable"));
    await look();
    expect(request_count).toBe(0);
    now += 16_000;
    await look();
    await look();
    expect(request_count).toBe(1);
    is_back = true;
    now += 16_000;
    expect(await look()).not.toBeNull();
    expect(request_count).toBe(2);
    expect(await look()).toBeNull();
  });
});

describe("a question that the model rewrites", () => {
  const texts = [
    "The heron stands in shallow water. It waits for fish.",
    "Kingfishers dive for fish from a branch above the stream.",
    "The nest of the heron is built of twigs in tall trees.",
  ];
  /** Rewrites as told, and answers from what it is sent. */
  const plays = (rewritten: string | Response | Promise<Response>) =>
    provider.answerWith(({ body }) => {
      const { content } = body.messages.at(-1);
      if (!content.includes("<sources>"))
        return typeof rewritten === "string" ? says(rewritten) : rewritten;
      return says(content.endsWith("home?") ? "It is built of twigs in tall trees." : good);
    });

  test("is searched in addition to the original: a follow-up", async () => {
    const { ask, chat } = await startSite({}, texts);
    const id = await chat();
    plays(
      '<think>They mean the nest.</think>\nQuestion: "What is the nest of the heron built of?"',
    );
    await ask(question, id);
    expect(rewriting()).toHaveLength(0);
    const result = await ask("And its home?", id);
    expect(result.answer).toStartWith("It is built of twigs in tall trees");
    const { body } = rewriting()[0]!;
    expect(body.max_tokens).toBeLessThan(200);
    expect(body.messages.at(-1).content).toBe(
      `Asked before: ${question}\nAnswer: The heron stands in shallow water.\n\nQuestion: And its home?`,
    );
  });
  test("is sent with little of a long conversation", async () => {
    const { server } = await startSite({}, texts);
    const client = await openAi(server, "ada");
    plays("What is the nest of the heron built of?");
    const long_question = `${"Herons! ".repeat(200_000)}Where?`;
    const { choices } = await client.chat.completions.create({
      model: "dossier",
      messages: [
        { role: "user", content: long_question },
        { role: "assistant", content: `There [1].${" ".repeat(300_000)}x` },
        { role: "user", content: "And its home?" },
      ],
    });
    expect(choices[0]!.message.content).toStartWith("It is built of twigs in tall trees");
    expect(rewriting()[0]!.body.messages.at(-1).content).toBe(
      `Asked before: ${long_question.slice(-1_000)}\n` +
        `Answer: There.${" ".repeat(294)}\n\nQuestion: And its home?`,
    );
  });
  test("is translated into the language of the documents", async () => {
    const { ask } = await startSite({}, texts);
    plays("What is the nest of the heron built of?");
    await ask("Woraus ist das Nest des Reihers gebaut?");
    expect(rewriting()[0]!.body.messages[0].content).toContain("in English");
    expect(answering()[0]!.body.messages.at(-1).content).toContain("twigs");
  });
  test("is searched as it is when the model fails, hangs or rambles", async () => {
    for (const bad of [
      () => fails(500),
      () => new Promise<Response>(() => undefined),
      () => says(`${"I think that ".repeat(60)}\n`),
    ]) {
      const { ask, chat } = await startSite({ DOSSIER_ANSWERS_REWRITE_TIMEOUT: "100ms" }, texts);
      const id = await chat();
      provider.answerWith(({ body }) =>
        body.messages.at(-1).content.includes("<sources>") ? says(good) : bad(),
      );
      await ask(question, id);
      expect(await ask("And where does it stand?", id)).toMatchObject({ answer: good });
      expect(rewriting()).toHaveLength(1);
    }
  });
  test("is not rewritten when that is turned off, or after repeated failures", async () => {
    const off = await startSite({ DOSSIER_ANSWERS_REWRITE_TIMEOUT: "0s" }, texts);
    const id = await off.chat();
    plays(good);
    for (const text of [question, "And it?", "And it?"]) await off.ask(text, id);
    expect(rewriting()).toHaveLength(0);

    const on = await startSite({}, texts);
    const other = await on.chat();
    provider.answerWith(({ body }) =>
      body.messages.at(-1).content.includes("<sources>") ? says(good) : fails(500),
    );
    for (const text of [question, "And it?", "And it?", "And it?", "And it?"])
      await on.ask(text, other);
    await until(() => answering().length === 5);
    expect(rewriting()).toHaveLength(2);
  });
});
