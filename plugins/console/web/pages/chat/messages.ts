/** Questions being sent to the server. */
import { newRequestId, type Message } from "../../api/chats";

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
/** A chat is named after the beginning of its first question, up to a whole word. */
export function chatNameFor(text: string): string {
  const line = text.trim().split("\n", 1)[0]!;
  if (line.length <= 60) return line;
  return `${line.slice(0, 60).replace(/\s+\S*$/, "")} …`;
}
