/** A chat as a file: readable Markdown, or complete JSON. Loaded on demand. */
import { fetchChat, type Chat, type Citation, type Message } from "../../api/chats";
import { fetchAll } from "../../api/queries";
import { citationText } from "../../reader/location";
import { chat_strings as strings } from "../../strings/chat";
import { formatDate, formatDateTime } from "../../ui/format";
import { titleOf } from "./messages";

export type ExportFormat = "markdown" | "json";

/** The whole chat, oldest question first. */
export async function loadChat(
  id: string,
): Promise<{ readonly chat: Chat; readonly messages: readonly Message[] }> {
  const [chat, newest_first] = await Promise.all([
    fetchChat(id),
    fetchAll<Message>(`/chats/${id}/messages`),
  ]);
  return { chat, messages: [...newest_first].reverse() };
}

/** Downloads a chat as a file. @throws ApiProblem */
export async function saveChat(id: string, format: ExportFormat): Promise<void> {
  const chat_and_messages = await loadChat(id);
  const name = fileNameOf(titleOf(chat_and_messages.chat));
  if (format === "markdown") save(`${name}.md`, "text/markdown", markdownOf(chat_and_messages));
  else save(`${name}.json`, "application/json", `${JSON.stringify(chat_and_messages, null, 2)}\n`);
}

/** A file name valid on every file system. */
export const fileNameOf = (name: string): string =>
  name
    .replace(/[\p{Cc}<>:"/\\|?*]+/gu, " ")
    .replace(/\s+/g, " ")
    .replace(/^[\s.]+|[\s.]+$/g, "")
    .slice(0, 100)
    .trim() || strings.title;

function save(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** Questions as headings, answers unchanged, and below each answer its quotes with their pages. */
function markdownOf({
  chat,
  messages,
}: Pick<Awaited<ReturnType<typeof loadChat>>, "chat" | "messages">): string {
  const parts = [
    `# ${onOneLine(titleOf(chat))}`,
    strings.exported_from(formatDate(new Date().toISOString())),
    ...messages.flatMap(turnOf),
  ];
  return `${parts.join("\n\n")}\n`;
}

const onOneLine = (text: string): string => text.replace(/\s+/g, " ").trim();
const quoted = (text: string): string => text.replace(/^/gm, "> ");

function turnOf({ text, result, error, created_at }: Message): string[] {
  const [heading, ...further_lines] = text.trim().split("\n");
  return [
    `## ${onOneLine(heading!)}`,
    ...(further_lines.length > 0 ? [quoted(text.trim())] : []),
    `*${formatDateTime(created_at)}*`,
    result?.answer ?? error?.message ?? "",
    ...(result && result.citations.length > 0
      ? [`### ${strings.sources}`, ...result.citations.map(sourceOf)]
      : []),
  ];
}

const sourceOf = (citation: Citation): string =>
  [
    `**[${citation.id}]** ${onOneLine(citationText(citation))}`,
    ...(citation.quote === "" ? [strings.stale_gone] : [quoted(citation.quote)]),
  ].join("\n\n");
