/** Reads a conversation in the OpenAI form: its last question, and the messages before it. */
import { badRequest, t, type Static } from "../../core/sdk";
import type { DirectQuestion } from "../chats/contract";

/** The same limit as OpenAI. */
export const messages_max = 2_048;
const parts_max = 256;

const Part = t.Object({ type: t.String(), text: t.Optional(t.Union([t.String(), t.Null()])) });
export const Message = t.Object({
  role: t.String(),
  content: t.Optional(
    t.Union([t.String(), t.Null(), t.Array(Part, { maxItems: parts_max })], {
      description: "Text, or parts of the type `text`.",
    }),
  ),
});
type Message = Static<typeof Message>;

/** A question with what was said before. */
export type Conversation = Pick<DirectQuestion, "history" | "instructions" | "text"> & {
  /** Limit for the message with the question. */
  readonly pointer: string;
};

const instructing_roles: ReadonlySet<string> = new Set(["system", "developer"]);
/** Tool messages are ignored: nothing here calls tools. */
const left_out: ReadonlySet<string> = new Set(["tool", "function"]);

/** @throws HttpError 400 naming the message. */
export function conversationOf(messages: readonly Message[]): Conversation {
  const instructions: string[] = [];
  const history: { question: string; answer: string }[] = [];
  let question: { readonly text: string; readonly pointer: string } | undefined;
  for (const [at, message] of messages.entries()) {
    const { role } = message;
    const pointer = `/messages/${at}/content`;
    if (left_out.has(role)) continue;
    const text = textOf(message, pointer);
    if (instructing_roles.has(role)) {
      if (text.trim() !== "") instructions.push(text);
    } else if (role === "user") {
      if (question) history.push({ question: question.text, answer: "" });
      question = { text, pointer };
    } else if (role === "assistant") {
      if (question) history.push({ question: question.text, answer: text });
      question = undefined;
    } else
      throw badRequest(
        `\`messages[${at}].role\` must be system, developer, user or assistant.`,
        `/messages/${at}/role`,
      );
  }
  if (!question)
    throw badRequest(
      "The last message must be from the user, because it is the question.",
      "/messages",
    );
  return { instructions, history, ...question };
}

function textOf({ content }: Message, pointer: string): string {
  if (content === undefined || content === null) return "";
  if (typeof content === "string") return content;
  return content
    .map(({ type, text }, at) => {
      if ((type === "text" || type === "refusal") && typeof text === "string") return text;
      if (type === "refusal") return "";
      throw badRequest(
        "Only text messages are supported. To ask about pictures, recordings or files, " +
          "upload them to a folder.",
        `${pointer}/${at}/type`,
        "unsupported_content",
      );
    })
    .join("\n");
}
