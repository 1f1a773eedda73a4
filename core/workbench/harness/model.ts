/**
 * A language model on loopback that says what a test tells it: `/v1/chat/completions`, streamed.
 */
import { startReceiver, type Received } from "./receiver";

/** A language model that a test controls. */
export interface Model {
  /** For `DOSSIER_ANSWERS_BASE_URL`: `http://127.0.0.1:41234/v1`. */
  readonly url: string;
  /** The requests it received, in order: `body` has `messages`. */
  readonly asked: readonly Received[];
  /** Its answers from now on: a text, or one per request. Forgets earlier requests. */
  says(answer: string | ((asked: Received) => string)): void;
}

/** Settings that make the server use it. */
export const modelSettings = ({ url }: Model): Record<string, string> => ({
  DOSSIER_ANSWERS_PROVIDER: "openai",
  DOSSIER_ANSWERS_BASE_URL: url,
  DOSSIER_ANSWERS_MODEL: "fake",
});

const usage = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 };

/** Starts one that answers with an empty text until it is told otherwise. */
export function startModel(): Model & { stop(): void } {
  const receiver = startReceiver();
  const says: Model["says"] = (answer) =>
    receiver.answers((asked) => {
      if (!asked.path.endsWith("/chat/completions")) return new Response(null, { status: 404 });
      const text = typeof answer === "string" ? answer : answer(asked);
      return asked.body?.stream === true ? streamedResponse(text) : wholeResponse(text);
    });
  says("");
  return {
    url: `${receiver.url}/v1`,
    get asked() {
      return receiver.received;
    },
    says,
    stop: receiver.stop,
  };
}

const wholeResponse = (content: string): Response =>
  Response.json({
    choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
    usage,
  });

function streamedResponse(text: string): Response {
  const chunk = (delta: object, finish_reason: string | null = null): object => ({
    id: "chunk",
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta, finish_reason }],
  });
  const events = [
    chunk({ role: "assistant", content: "" }),
    ...(text.match(/\s*\S+/g) ?? []).map((content) => chunk({ content })),
    chunk({}, "stop"),
    { choices: [], usage },
  ];
  const lines = [...events.map((event) => JSON.stringify(event)), "[DONE]"];
  return new Response(lines.map((line) => `data: ${line}\n\n`).join(""), {
    headers: { "content-type": "text/event-stream" },
  });
}
