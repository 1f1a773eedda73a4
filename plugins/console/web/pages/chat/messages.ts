/** Questions being sent to the server. */
import { newRequestId, type Chat, type Message } from "../../api/chats";
import { chat_strings as strings } from "../../strings/chat";

/** A question being sent; `error` is why that failed. */
export interface Outgoing {
  readonly message: Message;
  readonly error: unknown;
}

/** Creates a question that the server does not know yet. */
export const newMessage = (text: string): Message => ({
  requestId: newRequestId(),
  text,
  status: "PENDING",
  created_at: new Date().toISOString(),
  completed_at: null,
  result: null,
  error: null,
  feedback: null,
});
/** What the title of a chat is made of. */
export type Titled = Pick<Chat, "name" | "first_question">;
/** What a chat is called. */
export const titleOf = ({ name, first_question }: Titled): string =>
  name ?? (first_question === undefined ? strings.untitled : chatNameFor(first_question));

/** A chat is named after the beginning of its first question, up to a whole word. */
export function chatNameFor(text: string): string {
  const line = text.trim().split("\n", 1)[0]!;
  if (line.length <= 60) return line;
  return `${line.slice(0, 60).replace(/\s+\S*$/, "")} …`;
}
