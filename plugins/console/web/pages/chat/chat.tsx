/** One chat: questions and answers, what they come from, and the cited passage beside them. */
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { useLocation, useSearch } from "wouter-preact";
import {
  cancelMessage,
  changeChat,
  createChat,
  isRunning,
  newRequestId,
  restoreChat,
  sendMessage,
  useChat,
  useMessages,
  type Chat,
  type Message,
} from "../../api/chats";
import { ApiProblem } from "../../api/client";
import { keys, queries, refresh, useFolders } from "../../api/queries";
import type { Page } from "../../api/types";
import type { PageParams } from "../../app/page";
import { useDocument } from "../../reader/content";
import { SourcePanel } from "../../reader/source-panel";
import { Button, ButtonLink } from "../../ui/button";
import { Menu } from "../../ui/menu";
import { PageHeader } from "../../ui/page-header";
import { Empty, ErrorView, Skeleton } from "../../ui/states";
import { toastError } from "../../ui/toast";
import { chat_strings as strings } from "../../strings/chat";
import { Composer } from "./composer";
import type { OpenedPassage } from "./answer";
import { Conversation, type Outgoing } from "./conversation";
import { deleteWithUndo, RenameChatDialog } from "./chat-actions";
import type { Scope } from "./scope";

export default function ChatPage({ params }: { readonly params: PageParams }) {
  const id = params["id"]!;
  return id === "new" ? <NewChat /> : <OpenChat id={id} />;
}

/**
 * The chat is made with its first question, so that nobody collects empty ones. `?folder=`,
 * `?prompt=` and `?document=` choose what it begins with.
 */
function NewChat() {
  const [, navigate] = useLocation();
  const asked = new URLSearchParams(useSearch());
  const folders = useFolders();
  const [scope, setScope] = useState<Scope>({
    folders: asked.getAll("folder"),
    prompts: asked.getAll("prompt"),
  });
  const [outgoing, setOutgoing] = useState<Outgoing | null>(null);
  const about = useDocument(asked.get("document"));
  const roots = folders.data?.filter(({ parentId }) => parentId === null);
  useEffect(() => {
    if (scope.folders.length === 0 && roots?.length === 1)
      setScope({ ...scope, folders: [roots[0]!.id] });
  }, [folders.data]);
  const send = async (text: string) => {
    const message = fresh(text);
    setOutgoing({ message, error: null });
    try {
      const chat = await createChat({
        name: nameFor(text),
        usedFolders: scope.folders,
        usedPrompts: scope.prompts,
      });
      await sendMessage(chat.id, text, message.requestId);
      remember(chat.id, message);
      navigate(`/chats/${chat.id}`, { replace: true });
    } catch (error) {
      setOutgoing({ message, error });
    }
  };
  const changeScope = async (next: Scope) => setScope(next);
  return (
    <Frame
      chat={null}
      scope={scope}
      onScope={changeScope}
      messages={[]}
      outgoing={outgoing}
      onSend={send}
      onOutgoing={setOutgoing}
      begun={about.data && strings.about(about.data.name)}
    />
  );
}

function OpenChat({ id }: { readonly id: string }) {
  const chat = useChat(id);
  const messages = useMessages(id);
  const [outgoing, setOutgoing] = useState<Outgoing | null>(null);
  const shown = useMemo(() => inOrder(messages.data?.pages ?? []), [messages.data]);
  const send = async (text: string) => {
    const message = fresh(text);
    setOutgoing({ message, error: null });
    try {
      await sendMessage(id, text, message.requestId);
      remember(id, message);
      setOutgoing(null);
    } catch (error) {
      setOutgoing({ message, error });
    }
  };
  const error = chat.error ?? messages.error;
  if (error instanceof ApiProblem && error.status === 410) return <Gone id={id} />;
  if (error && !chat.data)
    return (
      <Instead>
        <ErrorView error={error} onRetry={() => void refresh("chat", "message")} home="/chats" />
      </Instead>
    );
  if (!chat.data || !messages.data)
    return (
      <Instead>
        <Skeleton rows={6} />
      </Instead>
    );
  const { usedFolders, usedPrompts } = chat.data;
  return (
    <Frame
      chat={chat.data}
      scope={{ folders: usedFolders, prompts: usedPrompts }}
      onScope={({ folders, prompts }) =>
        changeChat(id, { usedFolders: folders, usedPrompts: prompts })
      }
      messages={shown}
      outgoing={outgoing}
      onSend={send}
      onOutgoing={setOutgoing}
      onEarlier={messages.hasNextPage ? () => void messages.fetchNextPage() : undefined}
    />
  );
}

const fresh = (text: string): Message => ({
  requestId: newRequestId(),
  text,
  status: "PENDING",
  created_at: new Date().toISOString(),
  completed_at: null,
  result: null,
  error: null,
});
/** The beginning of the question, up to a whole word. */
function nameFor(text: string): string {
  const line = text.trim().split("\n", 1)[0]!;
  if (line.length <= 60) return line;
  return `${line.slice(0, 60).replace(/\s+\S*$/, "")} …`;
}

/** Oldest first; pages move while messages are added, so one may come twice. */
function inOrder(pages: readonly Page<Message>[]): readonly Message[] {
  const by_id = new Map(
    pages.flatMap(({ data }) => data).map((message) => [message.requestId, message]),
  );
  return [...by_id.values()].reverse();
}

/** Shows what was sent before the server is asked for it. */
function remember(chat_id: string, message: Message): void {
  queries.setQueryData<{ pages: Page<Message>[]; pageParams: unknown[] }>(
    keys.messages(chat_id),
    (known) => {
      const [first, ...rest] = known?.pages ?? [];
      const pagination = first?.pagination ?? {
        count: 1,
        total: 1,
        per_page: 50,
        total_pages: 1,
        next_page: null,
        previous_page: null,
      };
      return {
        pages: [{ data: [message, ...(first?.data ?? [])], pagination }, ...rest],
        pageParams: known?.pageParams ?? [1],
      };
    },
  );
}

function Gone({ id }: { readonly id: string }) {
  const restore = () => restoreChat(id).catch(toastError);
  return (
    <Instead>
      <Empty
        icon="trash"
        title={strings.gone_title}
        actions={
          <>
            <Button kind="primary" icon="restore" onClick={restore}>
              {strings.restore}
            </Button>
            <ButtonLink href="/chats">{strings.gone_back}</ButtonLink>
          </>
        }
      >
        {strings.gone_text}
      </Empty>
    </Instead>
  );
}

/** What stands where the chat would be. */
const Instead = ({ children }: { readonly children: ComponentChildren }) => (
  <div class="wrap chat-pad">
    <PageHeader title={strings.title} crumbs={[{ label: strings.open_chats, href: "/chats" }]} />
    {children}
  </div>
);

interface FrameProps {
  readonly chat: Chat | null;
  readonly scope: Scope;
  readonly onScope: (scope: Scope) => Promise<unknown>;
  readonly messages: readonly Message[];
  readonly outgoing: Outgoing | null;
  readonly onSend: (text: string) => Promise<void>;
  readonly onOutgoing: (outgoing: Outgoing | null) => void;
  readonly onEarlier?: (() => void) | undefined;
  /** The beginning of the first question. */
  readonly begun?: string | undefined;
}

function Frame({
  chat,
  scope,
  onScope,
  messages,
  outgoing,
  onSend,
  onOutgoing,
  onEarlier,
  begun,
}: FrameProps) {
  const [opened, setOpened] = useState<OpenedPassage | null>(null);
  const [draft, setDraft] = useState("");
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    if (begun) setDraft((before) => before || begun);
  }, [begun]);
  const running = messages.findLast(isRunning);
  const close = () => {
    const { from } = opened!;
    setOpened(null);
    requestAnimationFrame(() => from?.isConnected && from.focus());
  };
  const stop =
    chat && running
      ? () =>
          cancelMessage(chat.id, running.requestId)
            .catch(toastError)
            .finally(() => void refresh("message"))
      : undefined;
  const begin = (text: string) => {
    setDraft(text);
    field.current?.focus();
  };
  return (
    <div class={opened ? "chat-page chat-open" : "chat-page"}>
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
          onAsk={onSend}
          onOutgoing={onOutgoing}
          onEarlier={onEarlier}
          onBegin={begin}
        />
        <Composer
          field={field}
          draft={draft}
          onDraft={setDraft}
          scope={scope}
          onScope={(next) =>
            onScope(next).catch((error: unknown) => {
              toastError(error);
              throw error;
            })
          }
          onSend={onSend}
          onStop={stop}
          busy={outgoing !== null && outgoing.error === null}
        />
      </div>
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

function ChatHead({ chat }: { readonly chat: Chat | null }) {
  const [, navigate] = useLocation();
  const [renaming, setRenaming] = useState(false);
  const title = chat ? (chat.name ?? strings.untitled) : strings.new_chat;
  const actions = chat && (
    <Menu
      label={strings.actions_of(title)}
      small={false}
      items={[
        { label: strings.rename, icon: "edit", run: () => setRenaming(true) },
        { label: strings.new_chat, icon: "plus", run: () => navigate("/chats/new") },
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
