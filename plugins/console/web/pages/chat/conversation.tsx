/**
 * The questions of a chat with their answers, oldest first; scrolls along with new text unless the
 * user has scrolled up.
 */
import { Component } from "preact";
import { useCallback } from "preact/hooks";
import { isRunning, type Message } from "../../api/chats";
import { Button } from "../../ui/button";
import { Problem } from "../../ui/note";
import { chat_strings as strings } from "../../strings/chat";
import { AnswerView, Unanswered } from "./answer";
import { useAnswerStream } from "./answer-stream";
import type { OpenedPassage } from "./closest-passages";
import { Earlier } from "./earlier";
import { useFollowedEnd } from "./follow-end";
import type { Outgoing } from "./messages";
import { Question } from "./question";
import type { Scope } from "./scope";
import { Starters } from "./starters";

export interface ConversationProps {
  readonly chat_id: string | null;
  readonly scope: Scope;
  readonly messages: readonly Message[];
  readonly outgoing: Outgoing | null;
  readonly opened: OpenedPassage | null;
  readonly onOpen: (opened: OpenedPassage) => void;
  readonly onAsk: (text: string) => Promise<void>;
  readonly onOutgoing: (outgoing: Outgoing | null) => void;
  readonly onEarlier: (() => Promise<unknown>) | undefined;
}
type TurnProps = Pick<ConversationProps, "scope" | "opened" | "onOpen" | "onAsk"> & {
  readonly chat_id: string;
  readonly message: Message;
  readonly last: boolean;
};

/** The turns of a chat, and the question that is being sent. */
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
}: ConversationProps) {
  const { scroller, content, onScroll, away, toEnd } = useFollowedEnd(
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
        {onEarlier && <Earlier first={messages[0]?.requestId} onEarlier={onEarlier} />}
        {messages.length === 0 && !outgoing && <Starters scope={scope} onAsk={onAsk} />}
        {chat_id !== null &&
          messages.map((message, index) => (
            <Turn
              key={message.requestId}
              chat_id={chat_id}
              scope={scope}
              message={message}
              last={index === messages.length - 1}
              opened={opened?.request_id === message.requestId ? opened : null}
              onOpen={onOpen}
              onAsk={onAsk}
            />
          ))}
        {outgoing &&
          !messages.some(({ requestId }) => requestId === outgoing.message.requestId) && (
            <Sending outgoing={outgoing} onAsk={onAsk} onOutgoing={onOutgoing} />
          )}
      </div>
      {away && (
        <div class="chat-latest">
          <Button small icon="arrow-down" onClick={toEnd}>
            {strings.to_latest}
          </Button>
        </div>
      )}
    </div>
  );
}

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

/** Memoized: a chat may have hundreds of turns. */
class Turn extends Component<TurnProps> {
  override shouldComponentUpdate(next: TurnProps): boolean {
    return (Object.keys(next) as (keyof TurnProps)[]).some(
      (name) => next[name] !== this.props[name],
    );
  }
  override render() {
    return <TurnView {...this.props} />;
  }
}

function TurnView({ message, onOpen, ...shared_props }: TurnProps) {
  const openInTurn = useCallback(
    (opened: OpenedPassage) => onOpen({ ...opened, request_id: message.requestId }),
    [onOpen, message.requestId],
  );
  const props = { ...shared_props, message, onOpen: openInTurn };
  return (
    <div class="turn">
      <Question text={message.text} onAsk={shared_props.onAsk} />
      {isRunning(message) ? (
        <RunningAnswer {...props} />
      ) : message.result ? (
        <AnswerView result={message.result} {...props} />
      ) : (
        <Unanswered message={message} onAsk={shared_props.onAsk} />
      )}
    </div>
  );
}

function RunningAnswer({ message, chat_id, ...shared_props }: TurnProps) {
  const partial = useAnswerStream(chat_id, message.requestId);
  const view_props = { ...shared_props, chat_id, message };
  if (partial.result) return <AnswerView result={partial.result} {...view_props} />;
  if (partial.text === "")
    return (
      <Working
        text={
          partial.status === "PENDING"
            ? strings.waiting
            : strings.searching(shared_props.scope.all ? 0 : shared_props.scope.folders.length)
        }
      />
    );
  return (
    <>
      <p class="vh" role="status">
        {strings.writing}
      </p>
      <AnswerView result={null} text={partial.text} citations={partial.citations} {...view_props} />
    </>
  );
}
