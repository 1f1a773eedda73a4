/** One chat: new, open, deleted or not found. */
import type { ComponentChildren } from "preact";
import { useMemo, useState } from "preact/hooks";
import { useLocation, useSearch } from "wouter-preact";
import { changeChat, createChat, restoreChat, sendMessage, useChat } from "../../api/chats";
import { ApiProblem } from "../../api/client";
import { cacheMessage, fetchEarlier, useMessages } from "../../api/messages";
import { refresh } from "../../api/queries";
import type { PageParams } from "../../app/page";
import { useDocument } from "../../reader/content";
import { Button, ButtonLink } from "../../ui/button";
import { PageHeader } from "../../ui/page-header";
import { Empty, ErrorView, Skeleton } from "../../ui/states";
import { toastError } from "../../ui/toast";
import { chat_strings as strings } from "../../strings/chat";
import { ChatFrame } from "./chat-frame";
import { chatNameFor, newMessage, type Outgoing } from "./messages";
import type { Scope } from "./scope";

export default function ChatPage({ params }: { readonly params: PageParams }) {
  const id = params["id"]!;
  return id === "new" ? <NewChat /> : <OpenChat id={id} />;
}

/**
 * The chat is created with its first question, so that there are no empty ones. `?folder=`,
 * `?prompt=` and `?document=` preset it.
 */
function NewChat() {
  const [, navigate] = useLocation();
  const params = new URLSearchParams(useSearch());
  const [scope, setScope] = useState<Scope>({
    all: !params.has("folder"),
    folders: params.getAll("folder"),
    prompts: params.getAll("prompt"),
  });
  const [outgoing, setOutgoing] = useState<Outgoing | null>(null);
  const subject = useDocument(params.get("document"));
  const send = async (text: string) => {
    const message = newMessage(text);
    setOutgoing({ message, error: null });
    try {
      const chat = await createChat({
        name: chatNameFor(text),
        usedFolders: scope.all ? [] : scope.folders,
        all_folders: scope.all,
        usedPrompts: scope.prompts,
      });
      await sendMessage(chat.id, text, message.requestId);
      cacheMessage(chat.id, message);
      navigate(`/chats/${chat.id}`, { replace: true });
    } catch (error) {
      setOutgoing({ message, error });
    }
  };
  const changeScope = async (next: Scope) => setScope(next);
  return (
    <ChatFrame
      chat={null}
      scope={scope}
      onScope={changeScope}
      messages={[]}
      outgoing={outgoing}
      onSend={send}
      onOutgoing={setOutgoing}
      initial_text={subject.data && strings.about(subject.data.name)}
    />
  );
}

function OpenChat({ id }: { readonly id: string }) {
  const chat = useChat(id);
  const messages = useMessages(id);
  const [outgoing, setOutgoing] = useState<Outgoing | null>(null);
  const scope = useMemo((): Scope => {
    const { all_folders: all = false, usedFolders = [], usedPrompts = [] } = chat.data ?? {};
    return { all, folders: usedFolders, prompts: usedPrompts };
  }, [chat.data?.all_folders, chat.data?.usedFolders, chat.data?.usedPrompts]);
  const oldest_first = useMemo(() => messages.data?.messages.toReversed() ?? [], [messages.data]);
  const send = async (text: string) => {
    const message = newMessage(text);
    setOutgoing({ message, error: null });
    try {
      await sendMessage(id, text, message.requestId);
      cacheMessage(id, message);
      setOutgoing(null);
    } catch (error) {
      setOutgoing({ message, error });
    }
  };
  const error = chat.error ?? messages.error;
  if (error instanceof ApiProblem && error.status === 410) return <DeletedChat id={id} />;
  if (error && !chat.data)
    return (
      <ChatPlaceholder>
        <ErrorView error={error} onRetry={() => void refresh("chat", "message")} home="/chats" />
      </ChatPlaceholder>
    );
  if (!chat.data || !messages.data)
    return (
      <ChatPlaceholder>
        <Skeleton rows={6} />
      </ChatPlaceholder>
    );
  return (
    <ChatFrame
      chat={chat.data}
      scope={scope}
      onScope={({ all, folders, prompts }) =>
        changeChat(id, { all_folders: all, usedFolders: folders, usedPrompts: prompts })
      }
      messages={oldest_first}
      outgoing={outgoing}
      onSend={send}
      onOutgoing={setOutgoing}
      onEarlier={
        oldest_first.length < messages.data.total
          ? () => fetchEarlier(id).catch(toastError)
          : undefined
      }
    />
  );
}

function DeletedChat({ id }: { readonly id: string }) {
  const restore = () => restoreChat(id).catch(toastError);
  return (
    <ChatPlaceholder>
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
    </ChatPlaceholder>
  );
}

/** Shown instead of the chat. */
const ChatPlaceholder = ({ children }: { readonly children: ComponentChildren }) => (
  <div class="wrap chat-pad">
    <PageHeader title={strings.title} crumbs={[{ label: strings.open_chats, href: "/chats" }]} />
    {children}
  </div>
);
