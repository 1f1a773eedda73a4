/** Cases: questions, and other protocols. */
import { makeText, seededRandom } from "../bench/text";
import type { Attacker } from "./attacker";
import type { Case } from "./case";
import { notes } from "./seeds";

/** A folder of long texts, and a chat over it. */
async function library(attacker: Attacker) {
  const texts = Array.from({ length: 200 }, (_, at) => makeText(at, 20_000));
  const folder_id = await attacker.newTexts(texts);
  return { folder_id, chat_id: await attacker.newChat(folder_id) };
}

const question_length = 30_000;

/** Words that no other text has. */
function rareWords(seed: number): string {
  const random = seededRandom(seed);
  let text = "";
  while (text.length < question_length) text += `${Math.floor(random() * 1e9).toString(36)} `;
  return text.slice(0, question_length);
}
/** Characters without spaces between words. */
function chinese(seed: number): string {
  const random = seededRandom(seed);
  return Array.from({ length: question_length }, () =>
    String.fromCodePoint(0x4e00 + Math.floor(random() * 20_000)),
  ).join("");
}
/** A German question about one word, in which a compound could be divided anywhere. */
const germanWord = (seed: number): string =>
  `Was ist das und wie wird die ${makeText(seed, question_length).replace(/[^a-z]/g, "")}?`;

const longQuestions = (name: string, make: (seed: number) => string): Case => ({
  name: `long questions, ${name}`,
  reason: `questions and searches of ${question_length} characters, eight at a time`,
  without_vectors: true,
  async prepare(attacker) {
    const { chat_id } = await library(attacker);
    const all = Array.from({ length: 16 }, (_, seed) => make(seed));
    return () =>
      attacker.repeat(8, async (round) => {
        const text = all[round % all.length]!;
        await attacker.send(`/chats/${chat_id}/messages`, { body: { text } });
        await attacker.send("/search", { body: { query: text } });
        await Bun.sleep(50);
      });
  },
});

/** Messages of 32,000 characters in one chat, whose answers repeat what they ask. */
export const question_cases: readonly Case[] = [
  longQuestions("rare words", rareWords),
  longQuestions("Chinese", chinese),
  longQuestions("one German word", germanWord),
  {
    name: "waiting answers",
    reason: "200 questions at once, for each of which two connections wait",
    without_vectors: true,
    async prepare(attacker) {
      const { chat_id } = await library(attacker);
      return () =>
        attacker.repeat(200, async (round) => {
          const requestId = crypto.randomUUID();
          const path = `/chats/${chat_id}/messages`;
          const text = `What is said of number ${round}, and who says it?`;
          await attacker.send(path, { body: { text, requestId } });
          await Promise.all([
            attacker.send(`${path}/${requestId}`, { headers: { prefer: "wait=20" } }),
            attacker.send(`${path}/${requestId}/stream`),
          ]);
        });
    },
  },
  {
    name: "agents",
    reason: "tools of MCP, 32 at a time: searches, reads and questions",
    without_vectors: true,
    async prepare(attacker) {
      const { folder_id } = await library(attacker);
      const [document_id] = await attacker.documentIds(folder_id);
      const tools = [
        { name: "search", arguments: { query: makeText(7, 200) } },
        { name: "read_document", arguments: { document: document_id, document_id } },
        { name: "list_folders", arguments: {} },
        { name: "ask", arguments: { question: "What is said first?", wait_s: 5 } },
      ];
      return () =>
        attacker.repeat(32, (round) =>
          attacker.send("//mcp", {
            headers: { accept: "application/json, text/event-stream" },
            body: { jsonrpc: "2.0", id: round, method: "tools/call", params: tools[round % 4]! },
          }),
        );
    },
  },
  {
    name: "OpenAI clients",
    reason: "answers, vectors and lists of /v1, 32 at a time",
    async prepare(attacker) {
      await attacker.newTexts(notes(20));
      const input = Array.from({ length: 64 }, (_, at) => makeText(at, 1_500));
      const content = rareWords(1);
      const calls = [
        { path: "//v1/embeddings", body: { model: "dossier", input } },
        {
          path: "//v1/chat/completions",
          body: { model: "dossier", messages: [{ role: "user", content }] },
        },
        { path: "//v1/files", body: undefined },
      ];
      return () =>
        attacker.repeat(32, (round) => {
          const { path, body } = calls[round % calls.length]!;
          return attacker.send(path, body && { body });
        });
    },
  },
];
