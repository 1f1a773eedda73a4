/**
 * The questions of a chat with their answers, oldest first; it scrolls along with new text unless
 * somebody reads further up.
 */
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { isRunning, type Message } from "../../api/chats";
import { useFolders } from "../../api/queries";
import { Button, ButtonLink } from "../../ui/button";
import { Problem } from "../../ui/note";
import { chat_strings as strings } from "../../strings/chat";
import { AnswerView, Unanswered } from "./answer";
import type { OpenedPassage } from "./closest-passages";
import type { Outgoing } from "./messages";
import type { Scope } from "./scope";
import { useAnswerStream } from "./answer-stream";

export interface ConversationProps {
  readonly chat_id: string | null;
  readonly scope: Scope;
  readonly messages: readonly Message[];
  readonly outgoing: Outgoing | null;
  readonly opened: OpenedPassage | null;
  readonly onOpen: (opened: OpenedPassage) => void;
  readonly onAsk: (text: string) => Promise<void>;
  readonly onOutgoing: (outgoing: Outgoing | null) => void;
  readonly onEarlier: (() => void) | undefined;
  /** Puts the beginning of a question into the field. */
  readonly onBegin: (text: string) => void;
}
type TurnProps = Pick<ConversationProps, "scope" | "opened" | "onOpen" | "onAsk"> & {
  readonly chat_id: string;
  readonly message: Message;
  readonly last: boolean;
};

/** Closer to the end than this counts as at the end, CSS pixels. */
const near_end_px = 80;

export function Conversation({
  chat_id,
  scope,
  messages,
  outgoing,
  opened,
  onOpen,
  onAsk,
  onOutgoing,
  onEarlier,
  onBegin,
}: ConversationProps) {
  const { scroller, content, onScroll } = useStickToEnd(
    messages[0]?.requestId,
    (outgoing?.message ?? messages.at(-1))?.requestId,
  );
  const running = messages.some(isRunning);
  return (
    <div
      ref={scroller}
      class="chat-log"
      role="log"
      aria-live="polite"
      aria-busy={running}
      aria-label={strings.conversation}
      tabIndex={0}
      onScroll={onScroll}
    >
      <div ref={content} class="chat-turns">
        {onEarlier && (
          <div class="chat-earlier">
            <Button small onClick={onEarlier}>
              {strings.earlier}
            </Button>
          </div>
        )}
        {messages.length === 0 && !outgoing && <Starters scope={scope} onBegin={onBegin} />}
        {chat_id !== null &&
          messages.map((message, at) => (
            <Turn
              key={message.requestId}
              chat_id={chat_id}
              scope={scope}
              message={message}
              last={at === messages.length - 1}
              opened={opened}
              onOpen={onOpen}
              onAsk={onAsk}
            />
          ))}
        {outgoing &&
          !messages.some(({ requestId }) => requestId === outgoing.message.requestId) && (
            <Sending outgoing={outgoing} onAsk={onAsk} onOutgoing={onOutgoing} />
          )}
      </div>
    </div>
  );
}

/**
 * Scrolls along with the end while that is in sight, and keeps what is looked at in its place when
 * earlier messages are loaded above it.
 */
function useStickToEnd(first: string | undefined, last: string | undefined) {
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const following = useRef(true);
  const toEnd = () => {
    if (scroller.current) scroller.current.scrollTop = scroller.current.scrollHeight;
  };
  const height = useRef(0);
  useLayoutEffect(() => {
    const box = scroller.current!;
    if (!following.current) box.scrollTop += box.scrollHeight - height.current;
  }, [first]);
  useLayoutEffect(() => {
    following.current = true;
    toEnd();
  }, [last]);
  useLayoutEffect(() => {
    height.current = scroller.current!.scrollHeight;
  });
  useEffect(() => {
    const observer = new ResizeObserver(() => {
      if (following.current) toEnd();
    });
    observer.observe(content.current!);
    observer.observe(scroller.current!);
    return () => observer.disconnect();
  }, []);
  const onScroll = () => {
    const box = scroller.current!;
    following.current = box.scrollHeight - box.scrollTop - box.clientHeight < near_end_px;
  };
  return { scroller, content, onScroll };
}

function Starters({ scope, onBegin }: Pick<ConversationProps, "scope" | "onBegin">) {
  const folders = useFolders();
  return (
    <div class="starters">
      <h2>{strings.starters_title}</h2>
      <p class="muted">
        {folders.data?.length === 0
          ? strings.no_folders_yet
          : strings.starters_text(scope.folders.length)}
      </p>
      {folders.data?.length === 0 ? (
        <ButtonLink kind="primary" href="/folders">
          {strings.make_folder}
        </ButtonLink>
      ) : (
        <div class="row row-wrap starter-row">
          {strings.starters.map((text) => (
            <Button key={text} small onClick={() => onBegin(`${text} `)}>
              {text} …
            </Button>
          ))}
        </div>
      )}
    </div>
  );
}

const Question = ({ text }: { readonly text: string }) => (
  <h2 class="question">
    <span class="vh">{strings.you}: </span>
    {text}
  </h2>
);

function Sending({
  outgoing: { message, error },
  onAsk,
  onOutgoing,
}: Pick<ConversationProps, "onAsk" | "onOutgoing"> & { readonly outgoing: Outgoing }) {
  return (
    <div class="turn">
      <Question text={message.text} />
      {error === null ? (
        <Working text={strings.waiting} />
      ) : (
        <div class="stack-small">
          <Problem error={error} />
          <div class="row">
            <Button small icon="refresh" onClick={() => void onAsk(message.text)}>
              {strings.try_again}
            </Button>
            <Button small kind="ghost" onClick={() => onOutgoing(null)}>
              {strings.dismiss}
            </Button>
          </div>
        </div>
      )}
    </div>
  );
}

const Working = ({ text }: { readonly text: string }) => (
  <p class="working" role="status">
    <span class="working-dots" aria-hidden="true">
      <i />
      <i />
      <i />
    </span>
    {text}
  </p>
);

function Turn({ message, ...rest }: TurnProps) {
  return (
    <div class="turn">
      <Question text={message.text} />
      {isRunning(message) ? (
        <RunningAnswer message={message} {...rest} />
      ) : message.result ? (
        <AnswerView result={message.result} message={message} {...rest} />
      ) : (
        <Unanswered message={message} onAsk={rest.onAsk} />
      )}
    </div>
  );
}

function RunningAnswer({ message, chat_id, ...rest }: TurnProps) {
  const partial = useAnswerStream(chat_id, message.requestId);
  if (partial.result) return <AnswerView result={partial.result} message={message} {...rest} />;
  if (partial.text === "")
    return (
      <Working
        text={
          partial.status === "PENDING"
            ? strings.waiting
            : strings.searching(rest.scope.folders.length)
        }
      />
    );
  return (
    <>
      <p class="vh" role="status">
        {strings.writing}
      </p>
      <AnswerView
        result={null}
        text={partial.text}
        citations={partial.citations}
        message={message}
        {...rest}
      />
    </>
  );
}
