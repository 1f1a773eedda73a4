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
import { chat_strings as strings } from "../../strings/chat";

const nameOf = (chat: Chat): string => chat.name ?? strings.untitled;

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
        title={strings.title}
        text={strings.text}
        actions={
          <Button
            kind="primary"
            icon="plus"
            data-shortcut="n"
            onClick={() => navigate("/chats/new")}
          >
            {strings.new_chat}
          </Button>
        }
      />
      <Tabs
        label={strings.tabs}
        active={tab}
        onActive={(key) => {
          setTab(key as typeof tab);
          setPage(1);
        }}
        items={[
          { key: "open", label: strings.open_chats },
          { key: "deleted", label: strings.deleted_chats },
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
    <Empty icon="trash" title={strings.empty_deleted_title}>
      {strings.empty_deleted_text}
    </Empty>
  ) : (
    <Empty
      icon="chat"
      title={strings.empty_title}
      actions={<ButtonLink href="/chats/new">{strings.new_chat}</ButtonLink>}
    >
      {strings.empty_text}
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
      header: strings.column_name,
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
      header: strings.column_folders,
      wide_only: true,
      cell: (chat) => (
        <span class="muted clip chat-folders">
          {foldersOf(chat, (id) => folders.data?.find((folder) => folder.id === id)?.name)}
        </span>
      ),
    },
    {
      key: "messages",
      header: strings.column_messages,
      kind: "end",
      wide_only: true,
      cell: (chat) => chat.message_count,
    },
    {
      key: "last",
      header: strings.column_last,
      kind: "tight",
      cell: (chat) => (
        <span class="muted">
          <Time value={chat.last_message_at} missing={strings.no_message} />
        </span>
      ),
    },
    {
      key: "actions",
      header: strings.column_actions,
      kind: "actions",
      cell: (chat) =>
        deleted ? (
          <Button small icon="restore" onClick={() => void restore(chat)}>
            {strings.restore}
          </Button>
        ) : (
          <Menu
            label={strings.actions_of(nameOf(chat))}
            items={[
              { label: strings.rename, icon: "edit", run: () => onRename(chat) },
              { label: strings.delete, icon: "trash", danger: true, run: () => void remove(chat) },
            ]}
          />
        ),
    },
  ];
  return (
    <Table
      label={deleted ? strings.deleted_list : strings.list}
      columns={columns}
      rows={chats}
      row_key={({ id }) => id}
    />
  );
}

function foldersOf({ usedFolders }: Chat, name: (id: string) => string | undefined): string {
  const names = usedFolders.flatMap((id) => name(id) ?? []);
  if (names.length === 0) return strings.no_folders;
  return names.length <= 2
    ? names.join(", ")
    : `${names.slice(0, 2).join(", ")} ${strings.more_folders(names.length - 2)}`;
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
    text: strings.deleted(chat.name ?? strings.untitled),
    action: { label: strings.undo, run: () => void restore(chat) },
  });
  return true;
}

async function restore(chat: Pick<Chat, "id" | "name">): Promise<void> {
  try {
    await restoreChat(chat.id);
    toast({ text: strings.restored(chat.name ?? strings.untitled) });
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
      title={strings.rename_title}
      submit_label={strings.rename}
      onClose={onClose}
      onSubmit={() => changeChat(chat.id, { name: name.trim() || null })}
    >
      <TextField label={strings.name} value={name} onValue={setName} maxLength={255} autofocus />
    </FormDialog>
  );
}
