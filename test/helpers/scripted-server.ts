/** A server whose answerer is scripted by the test, and the common steps of message tests. */
import { definePlugin, fill } from "../../core/sdk";
import { Answerers, type Answered as Said, type Question } from "../../plugins/chats/contract";
import type { FoundPassage } from "../../plugins/search/contract";
import { watching, type Watcher } from "./events";
import { startTestServer, type TestServer, type TestServerOptions } from "./host";
import { Pauses } from "./pauses";
import type { Answered } from "./server";

export type { Said };
/** How the answerer answers a question. */
export type Script = (question: Question) => Promise<Said>;

/** The text of a document that questions are about. */
export const heron = "The heron stands in shallow water. It waits for fish.";

/** An answer with these passages as its citations, numbered from 1. */
export const says = (answer: string, passages: readonly FoundPassage[] = []): Said => ({
  answer,
  outcome: "answered",
  grounded: passages.length > 0,
  model: "scripted",
  prompts: [],
  usage: null,
  timings: { retrieve_ms: 1.4, generate_ms: 2.6 },
  warnings: [],
  citations: passages.map((passage, i) => ({ ...passage, id: i + 1 })),
});
/** The best passage for the question. */
export const bestPassage = async ({ find, text }: Question): Promise<FoundPassage> =>
  (await find(text, { limit: 5 })).passages[0]!;

/** Starts it; the script can be replaced at any time. */
export async function startScriptedServer(options: Omit<TestServerOptions, "plugins"> = {}) {
  let script: Script = async () => says("It stands in water.");
  const scripted = definePlugin({
    name: "scripted",
    version: "1.0.0",
    setup: () => ({
      fills: [
        fill(Answerers, {
          name: "scripted",
          rank: 1_000_000,
          answer: (question) => script(question),
        }),
      ],
    }),
  });
  const server: TestServer = await startTestServer({ ...options, plugins: [scripted] });
  const { send } = server;

  async function create(who: string, path: string, body: unknown = {}): Promise<any> {
    const answer = await send(who, "POST", path, body);
    if (answer.status !== 201)
      throw new Error(`expected 201, not ${answer.status}: ${answer.text}`);
    return answer.body;
  }
  /** Sends a message and returns the path of its poll. */
  async function ask(
    who: string,
    chat: string,
    text = "Where does the heron stand?",
  ): Promise<string> {
    const {
      status,
      body,
      text: raw,
    } = await send(who, "POST", `/chats/${chat}/messages`, { text });
    if (status !== 202) throw new Error(`expected 202, not ${status}: ${raw}`);
    return `/chats/${chat}/messages/${body.requestId}`;
  }
  /** The poll once the message is finished; pauses between attempts are skipped. */
  async function finished(who: string, path: string): Promise<Answered> {
    for (;;) {
      await server.store.db
        .updateTable("core_jobs")
        .set({ run_at: 0 })
        .where("state", "=", "ready")
        .execute();
      await server.host.queue.runDue();
      const poll = await send(who, "GET", path);
      if (poll.body?.status !== "PENDING" && poll.body?.status !== "PROCESSING") return poll;
    }
  }
  return {
    server,
    send,
    create,
    ask,
    finished,
    /** Sets the script from now on. */
    answers(next: Script) {
      script = next;
    },

    /** A folder with one indexed document, and a session over it. */
    async library(
      who: string,
      content = heron,
    ): Promise<{ folder: string; document: string; chat: string }> {
      const folder = (await create(who, "/folders", { name: "Birds" })).id;
      const document = (
        await create(who, "/documents", { folder_id: folder, name: "heron.txt", content })
      ).id;
      await server.settle();
      return {
        folder,
        document,
        chat: (await create(who, "/chats", { usedFolders: [folder] })).id,
      };
    },
    /** The result of a message that must be answered. */
    async answerOf(who: string, chat: string, text?: string): Promise<any> {
      const { status, body, text: raw } = await finished(who, await ask(who, chat, text));
      if (status !== 200 || body.status !== "COMPLETED")
        throw new Error(`no answer: ${status} ${raw}`);
      return body.result;
    },
    /** Streams the message of this poll, from the beginning or after an event. */
    async watch(
      who: string,
      path: string,
      last_event?: number | string,
      method = "GET",
    ): Promise<Watcher> {
      const headers = {
        authorization: `Bearer ${await server.key(who)}`,
        ...(last_event === undefined ? {} : { "last-event-id": String(last_event) }),
      };
      return watching(
        await server.fetch(
          new Request(`http://dossier.test/api/dev/v1${path}/stream`, { method, headers }),
        ),
      );
    },
    /** Polls until the status is this one. */
    async reaches(who: string, path: string, status: string): Promise<void> {
      const pauses = new Pauses();
      while ((await send(who, "GET", path)).body?.status !== status) await pauses.next();
    },
    /** Holds every answer until it is opened; `begun` settles when the first one starts. */
    gate() {
      const opened = Promise.withResolvers<void>();
      const begun = Promise.withResolvers<Question>();
      const questions: string[] = [];
      script = async (question) => {
        questions.push(question.text);
        begun.resolve(question);
        await Promise.race([
          opened.promise,
          new Promise((_, reject) =>
            question.signal.addEventListener("abort", () => reject(question.signal.reason)),
          ),
        ]);
        return says("It stands in water.");
      };
      return { open: () => opened.resolve(), begun: begun.promise, asked: questions };
    },
  };
}
/** The server, and the steps. */
export type ScriptedServer = Awaited<ReturnType<typeof startScriptedServer>>;
