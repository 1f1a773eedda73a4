/** An answer: its text with the markers that open sources, the sources, and notes. */
import { useCallback, useState } from "preact/hooks";
import type { Citation, Message, MessageResult } from "../../api/chats";
import { Markdown } from "../../reader/markdown";
import { citationText } from "../../reader/location";
import { LocationLabel } from "../../reader/location-label";
import { forPeople } from "../../ui/sentence";
import { Button } from "../../ui/button";
import { CopyButton } from "../../ui/copy";
import { Icon } from "../../ui/icons";
import { Note } from "../../ui/note";
import { chat_strings as strings } from "../../strings/chat";
import { CitationMarker } from "./citation-marker";
import { ClosestPassages, type OpenedPassage } from "./closest-passages";
import { FeedbackNote, Thumbs } from "./feedback";
import { Related } from "./related";
import type { Scope } from "./scope";

interface AnswerViewProps {
  readonly chat_id: string;
  readonly message: Message;
  /** Null while it is being written: then `text` and `citations` are the part that has arrived. */
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
const no_citations: readonly Citation[] = [];
const labelled = (label: string) => ({ title: label, "aria-label": label });

/** An answer, complete or partial, with everything that belongs to it. */
export function AnswerView({
  chat_id,
  message,
  result,
  text = result?.answer ?? "",
  citations = result?.citations ?? no_citations,
  scope,
  last,
  opened,
  onOpen,
  onAsk,
}: AnswerViewProps) {
  const shown_id = opened && opened.passages === citations ? citations[opened.at]!.id : null;
  const open = useCallback(
    (id: number, from: HTMLElement) =>
      onOpen({
        passages: citations,
        at: citations.findIndex((citation) => citation.id === id),
        opener: from,
      }),
    [citations, onOpen],
  );
  const renderMarker = (id: number) => {
    if (id === 0)
      return (
        <span class="cite cite-stale cite-pending" role="img" {...labelled(strings.not_supported)}>
          ?
        </span>
      );
    const citation = citations.find((candidate) => candidate.id === id);
    if (citation)
      return (
        <CitationMarker {...{ citation, citations }} pressed={shown_id === id} onOpen={open} />
      );
    return result ? null : <span class="cite cite-pending">{id}</span>;
  };
  return (
    <article class="answer" aria-label={strings.answer}>
      <div class={result ? undefined : "writing"}>
        <Markdown text={text} marker={renderMarker} plain={result?.model === "extractive"} />
      </div>
      {result?.outcome === "no_answer" && !isOverview(result) && (
        <ClosestPassages
          question={message.text}
          scope={scope}
          at_once={last}
          opened={opened}
          onOpen={onOpen}
        />
      )}
      <Remarks result={result} citations={citations} />
      {result && citations.length > 0 && (
        <Sources citations={citations} shown={shown_id} onOpen={open} />
      )}
      {result && <Related related={result.related} opened={opened} onOpen={onOpen} />}
      {result && <Actions {...{ chat_id, message, result, onAsk }} />}
    </article>
  );
}

function Actions({
  chat_id,
  message,
  result,
  onAsk,
}: Pick<AnswerViewProps, "chat_id" | "message" | "onAsk"> & { readonly result: MessageResult }) {
  const [noting, setNoting] = useState(false);
  // A page that has just seen the end of an answer may not have its message yet.
  const rated = message.status === "COMPLETED";
  const feedback = { chat_id, message, noting, onNoting: setNoting };
  return (
    <>
      <div class="answer-actions">
        <CopyButton small text={asMarkdown(result)} />
        <Button small kind="ghost" icon="refresh" onClick={() => void onAsk(message.text)}>
          {strings.ask_again}
        </Button>
        {rated && <Thumbs {...feedback} />}
      </div>
      {noting && <FeedbackNote {...feedback} />}
    </>
  );
}

/** It describes the content of the folders, which no passage could support. */
const isOverview = ({ warnings }: MessageResult): boolean =>
  warnings.some(({ code }) => code === "overview");

/** What a reader should know before relying on the answer. */
function Remarks({ result, citations }: Required<Pick<AnswerViewProps, "result" | "citations">>) {
  return (
    <>
      {result && !result.grounded && !isOverview(result) && (
        <Note tone="warn">
          <p>{strings.not_grounded}</p>
        </Note>
      )}
      {result?.warnings.map(({ code, message }) => (
        <p key={code} class="answer-warning">
          <Icon name="info" size={16} />
          {message}
        </p>
      ))}
      {citations.some(({ stale }) => stale) && (
        <p class="answer-warning">
          <Icon name="clock" size={16} />
          {strings.stale_some}
        </p>
      )}
    </>
  );
}

type OpenById = (id: number, from: HTMLElement) => void;

function Sources({
  citations,
  shown,
  onOpen,
}: {
  readonly citations: readonly Citation[];
  readonly shown: number | null;
  readonly onOpen: OpenById;
}) {
  const [show_all, setShowAll] = useState(false);
  const visible = show_all ? citations : citations.slice(0, sources_shown);
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
        <Button small kind="ghost" onClick={() => setShowAll(true)}>
          {strings.all_sources(citations.length)}
        </Button>
      )}
    </div>
  );
}

/** The text as Markdown, with its sources below. */
function asMarkdown({ answer, citations }: MessageResult): string {
  const sources = citations.map((citation) => `[${citation.id}] ${citationText(citation)}`);
  return sources.length === 0 ? answer : `${answer}\n\n${sources.join("\n")}`;
}

/** A question without an answer: failed, or cancelled. */
export function Unanswered({ message, onAsk }: Pick<AnswerViewProps, "message" | "onAsk">) {
  const retry_button = (
    <Button small icon="refresh" onClick={() => void onAsk(message.text)}>
      {message.status === "CANCELLED" ? strings.ask_again : strings.try_again}
    </Button>
  );
  if (message.status === "CANCELLED")
    return (
      <div class="stopped">
        <p class="muted">{strings.cancelled}</p>
        {retry_button}
      </div>
    );
  return (
    <Note tone="bad" title={strings.failed} actions={retry_button}>
      <p>{message.error && forPeople(message.error.message)}</p>
    </Note>
  );
}
