/**
 * Answers greetings, and questions about what there is, with the names and main headings of the
 * documents instead of their content.
 */
import { evidence_max, overview_code, type Answered, type Cited } from "../chats/contract";
import type { OutlinedDocument, OutlinedHeading, Overview } from "../documents/contract";
import type { SmallTalk } from "./small-talk";

/** The maximum number of documents, and of headings of each. */
export const overview_limits = { documents: 10, headings: 4 } as const;

const greeting = "Hello! Ask a question, and it is answered with quotes from your documents.";
const nothing_there =
  "The selected folders have no searchable documents yet. Add documents, then ask about them.";
const what_next = "Ask about something in them.";
const names_only = "This answer lists what the folders contain. It does not quote the documents.";

type OverviewAnswer = Pick<
  Answered,
  "answer" | "outcome" | "grounded" | "citations" | "related" | "warnings"
>;

export function overviewAnswer(kind: SmallTalk, overview: Overview): OverviewAnswer {
  const { lines, citations } = documentList(overview);
  const is_empty = overview.documents.length === 0;
  const parts = [
    ...(kind === "greeting" ? [greeting] : []),
    ...(is_empty
      ? [nothing_there]
      : [`The selected folders contain ${documentCount(overview)}:`, lines.join("\n"), what_next]),
  ];
  return {
    answer: parts.join("\n\n"),
    outcome: is_empty ? "no_answer" : "answered",
    grounded: false,
    citations,
    related: [],
    warnings: [{ code: overview_code, message: names_only }],
  };
}

/** A line for each document; the first heading of the first few is cited. */
function documentList({ documents, count, all_counted }: Overview): {
  lines: string[];
  citations: Cited[];
} {
  const citations: Cited[] = [];
  const lines = documents.map((document) => {
    const headings = document.headings.map((heading, at) => {
      if (at > 0 || citations.length === evidence_max) return plain(heading.text);
      citations.push(citationOf(document, heading, citations.length + 1));
      return `${plain(heading.text)} [${citations.length}]`;
    });
    return `- ${plain(document.name)}${headings.length === 0 ? "" : `: ${headings.join("; ")}`}`;
  });
  const more = count - documents.length;
  if (more > 0) lines.push(`- and ${all_counted ? more : `more than ${more}`} more`);
  return { lines, citations };
}

const documentCount = ({ count, all_counted }: Overview): string =>
  `${all_counted ? count : `more than ${count}`} ${count === 1 ? "document" : "documents"}`;

/** On one line, without anything that looks like a marker or a link. */
const plain = (text: string): string =>
  text.replace(/\s+/g, " ").replaceAll("[", "(").replaceAll("]", ")").trim();

const citationOf = (
  { id: document_id, name, current_version, folder_id }: OutlinedDocument,
  { text, start, end, page, page_label }: OutlinedHeading,
  id: number,
): Cited => ({
  id,
  document_id,
  document_name: name,
  document_version: current_version,
  folder_id,
  quote: text,
  start,
  end,
  page,
  page_end: page,
  page_label,
  time_start: null,
  time_end: null,
  heading: null,
  score: 0,
  verified: true,
  stale: false,
  url: `/api/dev/v1/documents/${document_id}`,
});
