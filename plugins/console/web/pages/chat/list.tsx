/** All chats of the user, and the deleted ones. */
import { useState } from "preact/hooks";
import { Link, Redirect, useLocation, useSearch } from "wouter-preact";
import { changeChat, deleteChat, restoreChat, useChats, type Chat } from "../../api/chats";
import { problemOf } from "../../api/client";
import { useFolders } from "../../api/queries";
import { Button, ButtonLink } from "../../ui/button";
import { FormDialog } from "../../ui/dialog";
import { TextField } from "../../ui/field";
import { Time } from "../../ui/format";
import { Menu } from "../../ui/menu";
import { PageHeader } from "../../ui/page-header";
import { Pager } from "../../ui/pager";
import { Empty, Loading } from "../../ui/states";
import { Table, type Column } from "../../ui/table";
import { Tabs } from "../../ui/tabs";
import { toast } from "../../ui/toast";
import { words } from "../../words/chat";

const nameOf = (chat: Chat): string => chat.name ?? words.untitled;

/** `/chats?folder=…` begins a chat over that folder. */
export default function ChatList() {
  const asked = useSearch();
  return new URLSearchParams(asked).has("folder") ? (
    <Redirect to={`/chats/new?${asked}`} replace />
  ) : (
    <List />
  );
}

function List() {
  const [tab, setTab] = useState<"open" | "deleted">("open");
  const [page, setPage] = useState(1);
  const [renaming, setRenaming] = useState<Chat | null>(null);
  const [, navigate] = useLocation();
  const deleted = tab === "deleted";
  const query = useChats(page, deleted);
  return (
    <>
      <PageHeader
        title={words.title}
        text={words.text}
        actions={
          <Button
            kind="primary"
            icon="plus"
            data-shortcut="n"
            onClick={() => navigate("/chats/new")}
          >
            {words.new_chat}
          </Button>
        }
      />
      <Tabs
        label={words.tabs}
        active={tab}
        onActive={(key) => {
          setTab(key as typeof tab);
          setPage(1);
        }}
        items={[
          { key: "open", label: words.open_chats },
          { key: "deleted", label: words.deleted_chats },
        ]}
      >
        <div class="card">
          <Loading query={query}>
            {({ data, pagination }) =>
              data.length === 0 && page === 1 ? (
                <None deleted={deleted} />
              ) : (
                <>
                  <Chats chats={data} deleted={deleted} onRename={setRenaming} />
                  <Pager page={page} pagination={pagination} onPage={setPage} />
                </>
              )
            }
          </Loading>
        </div>
      </Tabs>
      {renaming && <RenameDialog chat={renaming} onClose={() => setRenaming(null)} />}
    </>
  );
}

const None = ({ deleted }: { readonly deleted: boolean }) =>
  deleted ? (
    <Empty icon="trash" title={words.empty_deleted_title}>
      {words.empty_deleted_text}
    </Empty>
  ) : (
    <Empty
      icon="chat"
      title={words.empty_title}
      actions={<ButtonLink href="/chats/new">{words.new_chat}</ButtonLink>}
    >
      {words.empty_text}
    </Empty>
  );

function Chats({
  chats,
  deleted,
  onRename,
}: {
  readonly chats: readonly Chat[];
  readonly deleted: boolean;
  readonly onRename: (chat: Chat) => void;
}) {
  const folders = useFolders();
  const columns: readonly Column<Chat>[] = [
    {
      key: "name",
      header: words.column_name,
      kind: "main",
      cell: (chat) =>
        deleted ? (
          <span class="strong clip">{nameOf(chat)}</span>
        ) : (
          <Link class="title-link clip" href={`/chats/${chat.id}`}>
            {nameOf(chat)}
          </Link>
        ),
    },
    {
      key: "folders",
      header: words.column_folders,
      wide_only: true,
      cell: (chat) => (
        <span class="muted clip chat-folders">
          {foldersOf(chat, (id) => folders.data?.find((folder) => folder.id === id)?.name)}
        </span>
      ),
    },
    {
      key: "messages",
      header: words.column_messages,
      kind: "end",
      wide_only: true,
      cell: (chat) => chat.message_count,
    },
    {
      key: "last",
      header: words.column_last,
      kind: "tight",
      cell: (chat) => (
        <span class="muted">
          <Time value={chat.last_message_at} missing={words.no_message} />
        </span>
      ),
    },
    {
      key: "actions",
      header: words.column_actions,
      kind: "actions",
      cell: (chat) =>
        deleted ? (
          <Button small icon="restore" onClick={() => void restore(chat)}>
            {words.restore}
          </Button>
        ) : (
          <Menu
            label={words.actions_of(nameOf(chat))}
            items={[
              { label: words.rename, icon: "edit", run: () => onRename(chat) },
              { label: words.delete, icon: "trash", danger: true, run: () => void remove(chat) },
            ]}
          />
        ),
    },
  ];
  return (
    <Table
      label={deleted ? words.deleted_list : words.list}
      columns={columns}
      rows={chats}
      row_key={({ id }) => id}
    />
  );
}

function foldersOf({ usedFolders }: Chat, name: (id: string) => string | undefined): string {
  const names = usedFolders.flatMap((id) => name(id) ?? []);
  if (names.length === 0) return words.no_folders;
  return names.length <= 2
    ? names.join(", ")
    : `${names.slice(0, 2).join(", ")} ${words.more_folders(names.length - 2)}`;
}

/** Says what went wrong, where there is no form to say it in. */
export const complain = (error: unknown): void =>
  void toast({ text: problemOf(error).sentence, tone: "bad" });

/** Deleting can be undone, so nobody is asked first. Answers whether it worked. */
export async function remove(chat: Pick<Chat, "id" | "name">): Promise<boolean> {
  try {
    await deleteChat(chat.id);
  } catch (error) {
    complain(error);
    return false;
  }
  toast({
    text: words.deleted(chat.name ?? words.untitled),
    action: { label: words.undo, run: () => void restore(chat) },
  });
  return true;
}

async function restore(chat: Pick<Chat, "id" | "name">): Promise<void> {
  try {
    await restoreChat(chat.id);
    toast({ text: words.restored(chat.name ?? words.untitled) });
  } catch (error) {
    complain(error);
  }
}

export function RenameDialog({
  chat,
  onClose,
}: {
  readonly chat: Pick<Chat, "id" | "name">;
  readonly onClose: () => void;
}) {
  const [name, setName] = useState(chat.name ?? "");
  return (
    <FormDialog
      title={words.rename_title}
      submit_label={words.rename}
      onClose={onClose}
      onSubmit={() => changeChat(chat.id, { name: name.trim() || null })}
    >
      <TextField label={words.name} value={name} onValue={setName} maxLength={255} autofocus />
    </FormDialog>
  );
}
