/**
 * An answer: its text with the markers that open sources, the sources themselves, and what has to
 * be said about it.
 */
import { useQuery } from "@tanstack/preact-query";
import { useCallback, useState } from "preact/hooks";
import { search, type Citation, type Message, type MessageResult } from "../../api/chats";
import type { Passage } from "../../api/types";
import { Markdown } from "../../reader/markdown";
import { citationText } from "../../reader/location";
import { LocationLabel } from "../../reader/location-label";
import { Button } from "../../ui/button";
import { CopyButton } from "../../ui/copy";
import { Icon } from "../../ui/icons";
import { Note } from "../../ui/note";
import { Skeleton } from "../../ui/states";
import { chat_strings as strings } from "../../strings/chat";
import type { Scope } from "./scope";

/** A passage that is open, among those it stands with, and what opened it. */
export interface OpenedPassage {
  readonly passages: readonly Passage[];
  readonly at: number;
  readonly from: HTMLElement | null;
}

interface AnsweredProps {
  readonly message: Message;
  /** Null while it is being written: then `text` and `citations` are what there is of it. */
  readonly result: MessageResult | null;
  readonly text?: string;
  readonly citations?: readonly Citation[];
  readonly scope: Scope;
  readonly last: boolean;
  readonly opened: OpenedPassage | null;
  readonly onOpen: (opened: OpenedPassage) => void;
  readonly onAsk: (text: string) => Promise<void>;
}

const sources_shown = 5;
const none: readonly Citation[] = [];

export function Answered({
  message,
  result,
  text = result?.answer ?? "",
  citations = result?.citations ?? none,
  scope,
  last,
  opened,
  onOpen,
  onAsk,
}: AnsweredProps) {
  const shown = opened && opened.passages === citations ? citations[opened.at]!.id : null;
  const open = useCallback(
    (id: number, from: HTMLElement) =>
      onOpen({
        passages: citations,
        at: citations.findIndex((citation) => citation.id === id),
        from,
      }),
    [citations, onOpen],
  );
  const marker = (id: number) => {
    const citation = citations.find((one) => one.id === id);
    if (citation) return <Pill citation={citation} pressed={shown === id} onOpen={open} />;
    return result ? null : <span class="cite cite-pending">{id}</span>;
  };
  return (
    <article class="answer" aria-label={strings.answer}>
      <div class={result ? undefined : "writing"}>
        <Markdown text={text} marker={marker} plain={result?.model === "extractive"} />
      </div>
      {result?.outcome === "no_answer" && (
        <Closest
          question={message.text}
          scope={scope}
          at_once={last}
          opened={opened}
          onOpen={onOpen}
        />
      )}
      {result && !result.grounded && (
        <Note tone="warn">
          <p>{strings.not_grounded}</p>
        </Note>
      )}
      {result?.warnings.map(({ code, message: said }) => (
        <p key={code} class="answer-warning">
          <Icon name="info" size={16} />
          {said}
        </p>
      ))}
      {citations.some(({ stale }) => stale) && (
        <p class="answer-warning">
          <Icon name="clock" size={16} />
          {strings.stale_some}
        </p>
      )}
      {result && citations.length > 0 && (
        <Sources citations={citations} shown={shown} onOpen={open} />
      )}
      {result && (
        <div class="answer-actions">
          <CopyButton small text={copyOf(result)} />
          <Button small kind="ghost" icon="refresh" onClick={() => void onAsk(message.text)}>
            {strings.ask_again}
          </Button>
        </div>
      )}
    </article>
  );
}

type OpenById = (id: number, from: HTMLElement) => void;

function Pill({
  citation,
  pressed,
  onOpen,
}: {
  readonly citation: Citation;
  readonly pressed: boolean;
  readonly onOpen: OpenById;
}) {
  return (
    <button
      type="button"
      class={citation.stale ? "cite cite-stale" : "cite"}
      aria-pressed={pressed}
      aria-label={strings.cite(citation.id, citationText(citation))}
      title={citationText(citation)}
      onClick={(event) => onOpen(citation.id, event.currentTarget)}
    >
      {citation.id}
    </button>
  );
}

function Sources({
  citations,
  shown,
  onOpen,
}: {
  readonly citations: readonly Citation[];
  readonly shown: number | null;
  readonly onOpen: OpenById;
}) {
  const [all, setAll] = useState(false);
  const visible = all ? citations : citations.slice(0, sources_shown);
  return (
    <div class="sources" role="group" aria-label={strings.sources}>
      <ol>
        {visible.map((citation) => (
          <li key={citation.id}>
            <button
              type="button"
              class="source"
              aria-pressed={shown === citation.id}
              onClick={(event) => onOpen(citation.id, event.currentTarget)}
            >
              <span class="source-number">{citation.id}</span>
              <LocationLabel passage={citation} />
              {citation.stale && <span class="source-stale">{strings.changed}</span>}
            </button>
          </li>
        ))}
      </ol>
      {visible.length < citations.length && (
        <Button small kind="ghost" onClick={() => setAll(true)}>
          {strings.all_sources(citations.length)}
        </Button>
      )}
    </div>
  );
}

/** The text as Markdown, with its sources below. */
const copyOf = ({ answer, citations }: MessageResult): string =>
  citations.length === 0
    ? answer
    : `${answer}\n\n${citations.map((citation) => `[${citation.id}] ${citationText(citation)}`).join("\n")}`;

/**
 * What comes nearest when nothing answers. Older questions are only searched for when somebody
 * asks.
 */
function Closest({
  question,
  scope,
  at_once,
  opened,
  onOpen,
}: Pick<AnsweredProps, "scope" | "opened" | "onOpen"> & {
  readonly question: string;
  readonly at_once: boolean;
}) {
  const [wanted, setWanted] = useState(at_once);
  const query = useQuery({
    queryKey: ["closest", question, scope.folders],
    enabled: wanted && scope.folders.length > 0,
    staleTime: 60_000,
    queryFn: ({ signal }) =>
      search({ query: question, folder_ids: scope.folders, limit: 4 }, signal),
  });
  if (scope.folders.length === 0) return null;
  if (!wanted)
    return (
      <div>
        <Button small icon="search" onClick={() => setWanted(true)}>
          {strings.show_closest}
        </Button>
      </div>
    );
  if (query.error) return null;
  if (!query.data) return <Skeleton rows={2} />;
  if (query.data.length === 0) return <p class="muted">{strings.no_closest}</p>;
  const passages = query.data;
  return (
    <div class="closest" role="group" aria-label={strings.closest}>
      <p class="label">
        {strings.closest} · {strings.closest_text}
      </p>
      {passages.map((passage, at) => (
        <button
          key={`${passage.document_id}:${passage.start}`}
          type="button"
          class="passage-card"
          aria-pressed={opened?.passages === passages && opened.at === at}
          onClick={(event) => onOpen({ passages, at, from: event.currentTarget })}
        >
          <span class="passage-place">
            <Icon name="file-text" size={14} />
            <LocationLabel passage={passage} />
          </span>
          <span class="passage-text">{passage.quote}</span>
        </button>
      ))}
    </div>
  );
}

/** A question without an answer: failed, or stopped. */
export function Ended({ message, onAsk }: Pick<AnsweredProps, "message" | "onAsk">) {
  const again = (
    <Button small icon="refresh" onClick={() => void onAsk(message.text)}>
      {message.status === "CANCELLED" ? strings.ask_again : strings.try_again}
    </Button>
  );
  if (message.status === "CANCELLED")
    return (
      <div class="stopped">
        <p class="muted">{strings.cancelled}</p>
        {again}
      </div>
    );
  return (
    <Note tone="bad" title={strings.failed} actions={again}>
      <p>{message.error?.message}</p>
    </Note>
  );
}
