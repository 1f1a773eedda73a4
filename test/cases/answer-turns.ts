/**
 * Many concurrent questions: an answer that waits for the language model blocks no other, and
 * owners take turns.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { person, type Person } from "../helpers/person";
import { says, startProvider, type Provider } from "../helpers/provider";
import { until, type ApiServer, type StartServer } from "../helpers/server";

const sentence = "The heron stands in shallow water.";

export function answerTurnCases(start: StartServer): void {
  let provider: Provider;
  beforeAll(() => {
    provider = startProvider();
  });
  afterAll(() => provider.stop());
  const startAsking = (env: Record<string, string> = {}): Promise<ApiServer> =>
    start({
      env: {
        DOSSIER_ANSWERS_PROVIDER: "openai",
        DOSSIER_ANSWERS_BASE_URL: provider.base_url,
        DOSSIER_ANSWERS_MODEL: "slow-1",
        ...env,
      },
    });

  /** A user with a document and a session over it. */
  async function asker(server: ApiServer, name: string): Promise<Person & { chat: string }> {
    const who = await person(server, name);
    const folder = await who.folder("Birds");
    await who.text(folder, sentence);
    return { ...who, chat: (await who.create("/chats", { usedFolders: [folder] })).id };
  }
  /** Returns the path of the poll. `text` reaches the model. */
  async function ask({ send, chat }: Person & { chat: string }, text: string): Promise<string> {
    const sent = await send("POST", `/chats/${chat}/messages`, { text });
    expect(sent.status).toBe(202);
    return sent.headers.get("location")!;
  }
  const askedOf = (body: { messages: { content: string }[] }): string =>
    body.messages.at(-1)!.content;

  describe("of twelve users", () => {
    let server: ApiServer;
    beforeAll(async () => {
      server = await startAsking();
    }, 180_000);
    afterAll(() => server?.[Symbol.asyncDispose]());

    test("no one waits until the model has answered another", async () => {
      const people = await Promise.all(
        Array.from({ length: 12 }, (_, n) => asker(server, `reader${n}`)),
      );
      const opened = Promise.withResolvers<void>();
      provider.answerWith(async () => {
        await opened.promise;
        return says(`${sentence.slice(0, -1)} [1].`);
      });
      const paths = await Promise.all(people.map((who) => ask(who, "Where does the heron stand?")));
      await until(() => provider.asked().length === 12, 20_000);
      opened.resolve();
      for (const [n, who] of people.entries()) {
        const { status, body } = await who.finished(paths[n]!);
        expect([status, body.result.model, body.result.warnings]).toEqual([200, "slow-1", []]);
      }
    });

    test("one with forty questions does not block the others", async () => {
      const [many, one] = [await asker(server, "many"), await asker(server, "one")];
      const opened = Promise.withResolvers<void>();
      provider.answerWith(async () => {
        await opened.promise;
        return says(`${sentence.slice(0, -1)} [1].`);
      });
      const paths = await Promise.all(
        Array.from({ length: 40 }, (_, n) => ask(many, `Where does heron ${n} stand?`)),
      );
      await until(() => provider.asked().length > 0, 20_000);
      const path = await ask(one, "Where does the lonely heron stand?");
      await until(
        () => provider.asked().some(({ body }) => askedOf(body).includes("lonely")),
        20_000,
      );
      // All other requests to the model are held, and make up an eighth of its limit.
      expect(provider.asked().length).toBeLessThanOrEqual(9);
      opened.resolve();
      expect((await one.finished(path)).status).toBe(200);
      for (const each of paths) expect((await many.finished(each)).status).toBe(200);
    });
  });

  test("an answer's time limit starts when the model is asked: queued ones don't time out", async () => {
    await using server = await startAsking({
      DOSSIER_ANSWERS_MODEL_CONCURRENCY: "1",
      DOSSIER_ANSWERS_TIMEOUT: "1s",
    });
    const people = await Promise.all(
      Array.from({ length: 4 }, (_, n) => asker(server, `patient${n}`)),
    );
    let at_once = 0;
    let most = 0;
    provider.answerWith(async () => {
      most = Math.max(most, ++at_once);
      await Bun.sleep(350);
      at_once -= 1;
      return says(`${sentence.slice(0, -1)} [1].`);
    });
    const paths = await Promise.all(people.map((who) => ask(who, "Where does the heron stand?")));
    for (const [n, who] of people.entries()) {
      const { body } = await who.finished(paths[n]!);
      expect([body.result.model, body.result.warnings]).toEqual(["slow-1", []]);
    }
    expect(most).toBe(1);
  });

  test.each([
    ["DOSSIER_ANSWERS_CONCURRENCY", "0"],
    ["DOSSIER_ANSWERS_CONCURRENCY", "65"],
    ["DOSSIER_ANSWERS_CONCURRENCY", "many"],
    ["DOSSIER_ANSWERS_MODEL_CONCURRENCY", "0"],
  ])("%s=%s stops the start with a sentence", async (name, value) => {
    const started = await start({ env: { [name]: value } }).then(
      async (server) => {
        await server[Symbol.asyncDispose]();
        return "started";
      },
      (error: Error) => error.message,
    );
    expect(started).toContain(name.slice("DOSSIER_ANSWERS_".length).toLowerCase());
  });
}
