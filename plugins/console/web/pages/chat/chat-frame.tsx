/**
 * The parts common to every chat: its heading, the conversation, the composer, and the source
 * panel.
 */
import { useCallback, useRef, useState } from "preact/hooks";
import { useLocation } from "wouter-preact";
import { cancelMessage, isRunning, type Chat, type Message } from "../../api/chats";
import { refresh } from "../../api/queries";
import { Panels, useHasPanels } from "../../plugin/panels";
import { SourcePanel } from "../../reader/source-panel";
import { Menu } from "../../ui/menu";
import { PageHeader } from "../../ui/page-header";
import { toastError } from "../../ui/toast";
import { chat_strings as strings } from "../../strings/chat";
import { part_strings } from "../../strings/plugin-parts";
import { deleteWithUndo, exportItems, pin, RenameChatDialog } from "./chat-actions";
import type { OpenedPassage } from "./closest-passages";
import { Composer } from "./composer";
import { Conversation } from "./conversation";
import { titleOf, type Outgoing } from "./messages";
import type { Scope } from "./scope";

interface ChatFrameProps {
  readonly chat: Chat | null;
  readonly scope: Scope;
  readonly onScope: (scope: Scope) => Promise<unknown>;
  readonly messages: readonly Message[];
  readonly outgoing: Outgoing | null;
  readonly onSend: (text: string) => Promise<void>;
  readonly onOutgoing: (outgoing: Outgoing | null) => void;
  readonly onEarlier?: (() => Promise<unknown>) | undefined;
  /** The initial text of the first question. */
  readonly initial_text?: string | undefined;
}

/** The passage that is open; closing it returns the focus to the element that opened it. */
function useOpenedPassage() {
  const [opened, setOpened] = useState<OpenedPassage | null>(null);
  const close = () => {
    const opener = opened?.opener;
    setOpened(null);
    requestAnimationFrame(() => opener?.isConnected && opener.focus());
  };
  return { opened, setOpened, close };
}

/** A stable function that calls the latest one it was given. */
function useStable<A extends readonly unknown[], R>(run: (...args: A) => R): (...args: A) => R {
  const latest = useRef(run);
  latest.current = run;
  return useCallback((...args: A) => latest.current(...args), []);
}

async function stop(chat: Chat, { requestId }: Message): Promise<void> {
  await cancelMessage(chat.id, requestId).catch(toastError);
  void refresh("message");
}

function toastAndThrow(error: unknown): never {
  toastError(error);
  throw error;
}

/** A chat, or with `chat` null the form for a new one. */
export function ChatFrame({
  chat,
  scope,
  onScope,
  messages,
  outgoing,
  onSend,
  onOutgoing,
  onEarlier,
  initial_text,
}: ChatFrameProps) {
  const { opened, setOpened, close } = useOpenedPassage();
  const has_panels = useHasPanels("chat") && chat !== null;
  const running = messages.findLast(isRunning);
  const ask = useStable(onSend);
  return (
    <div class={classOf(opened !== null, has_panels)}>
      <div class="chat-column">
        <div class="chat-head">
          <ChatHead chat={chat} />
        </div>
        <Conversation
          chat_id={chat?.id ?? null}
          scope={scope}
          messages={messages}
          outgoing={outgoing}
          opened={opened}
          onOpen={setOpened}
          onAsk={ask}
          onOutgoing={onOutgoing}
          onEarlier={onEarlier}
        />
        <Composer
          initial_text={initial_text}
          scope={scope}
          onScope={(next) => onScope(next).catch(toastAndThrow)}
          onSend={onSend}
          onStop={chat && running ? () => void stop(chat, running) : undefined}
          busy={outgoing !== null && outgoing.error === null}
        />
      </div>
      {chat && has_panels && (
        <aside class="chat-panels stack" aria-label={part_strings.panels}>
          <Panels where="chat" record={chat} />
        </aside>
      )}
      {opened && (
        <SourcePanel
          passages={opened.passages}
          at={opened.at}
          onAt={(at) => setOpened({ ...opened, at })}
          onClose={close}
        />
      )}
    </div>
  );
}

const classOf = (open: boolean, has_panels: boolean): string =>
  ["chat-page", open && "chat-open", has_panels && "chat-panelled"].filter(Boolean).join(" ");

function ChatHead({ chat }: { readonly chat: Chat | null }) {
  const [, navigate] = useLocation();
  const [renaming, setRenaming] = useState(false);
  const title = chat ? titleOf(chat) : strings.new_chat;
  const actions = chat && (
    <Menu
      label={strings.actions_of(title)}
      small={false}
      items={[
        {
          label: chat.pinned ? strings.unpin : strings.pin,
          icon: "pin",
          run: () => void pin(chat, !chat.pinned),
        },
        { label: strings.rename, icon: "edit", run: () => setRenaming(true) },
        { label: strings.new_chat, icon: "plus", run: () => navigate("/chats/new") },
        "separator",
        ...exportItems(chat, navigate),
        "separator",
        {
          label: strings.delete,
          icon: "trash",
          danger: true,
          run: () =>
            void deleteWithUndo(chat).then((done) => {
              if (done) navigate("/chats");
            }),
        },
      ]}
    />
  );
  return (
    <>
      <PageHeader
        title={title}
        crumbs={[{ label: strings.title, href: "/chats" }]}
        actions={actions}
      />
      {renaming && chat && <RenameChatDialog chat={chat} onClose={() => setRenaming(false)} />}
    </>
  );
}
