/** All chats of the user, and the deleted ones. */
import { useState } from "preact/hooks";
import { Link, Redirect, useLocation, useSearch } from "wouter-preact";
import { useChats, type Chat } from "../../api/chats";
import { useFolders } from "../../api/queries";
import { Button, ButtonLink, IconButton } from "../../ui/button";
import { Time } from "../../ui/format";
import { Menu } from "../../ui/menu";
import { PageHeader } from "../../ui/page-header";
import { Pager } from "../../ui/pager";
import { Empty, Loading } from "../../ui/states";
import { Table, type Column } from "../../ui/table";
import { Tabs } from "../../ui/tabs";
import { chat_strings as strings } from "../../strings/chat";
import { DeleteForGoodDialog, deleteWithUndo, RenameChatDialog, restore } from "./chat-actions";

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
  const [removing, setRemoving] = useState<Chat | null>(null);
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
                  <Chats
                    chats={data}
                    deleted={deleted}
                    onRename={setRenaming}
                    onRemove={setRemoving}
                  />
                  <Pager page={page} pagination={pagination} onPage={setPage} />
                </>
              )
            }
          </Loading>
        </div>
      </Tabs>
      {renaming && <RenameChatDialog chat={renaming} onClose={() => setRenaming(null)} />}
      {removing && <DeleteForGoodDialog chat={removing} onClose={() => setRemoving(null)} />}
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
  onRemove,
}: {
  readonly chats: readonly Chat[];
  readonly deleted: boolean;
  readonly onRename: (chat: Chat) => void;
  readonly onRemove: (chat: Chat) => void;
}) {
  const folders = useFolders();
  const folderName = (id: string) => folders.data?.find((folder) => folder.id === id)?.name;
  return (
    <Table
      label={deleted ? strings.deleted_list : strings.list}
      columns={deleted ? deletedColumns(folderName, onRemove) : openColumns(folderName, onRename)}
      rows={chats}
      row_key={({ id }) => id}
    />
  );
}

type FolderName = (id: string) => string | undefined;

/** The columns between the name of a chat and its actions. */
const detailColumns = (folderName: FolderName): readonly Column<Chat>[] => [
  {
    key: "folders",
    header: strings.column_folders,
    wide_only: true,
    cell: (chat) => <span class="muted clip chat-folders">{foldersOf(chat, folderName)}</span>,
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
];

const openColumns = (
  folderName: FolderName,
  onRename: (chat: Chat) => void,
): readonly Column<Chat>[] => [
  {
    key: "name",
    header: strings.column_name,
    kind: "main",
    cell: (chat) => (
      <Link class="title-link clip" href={`/chats/${chat.id}`}>
        {nameOf(chat)}
      </Link>
    ),
  },
  ...detailColumns(folderName),
  {
    key: "actions",
    header: strings.column_actions,
    kind: "actions",
    cell: (chat) => (
      <Menu
        label={strings.actions_of(nameOf(chat))}
        items={[
          { label: strings.rename, icon: "edit", run: () => onRename(chat) },
          {
            label: strings.delete,
            icon: "trash",
            danger: true,
            run: () => void deleteWithUndo(chat),
          },
        ]}
      />
    ),
  },
];

const deletedColumns = (
  folderName: FolderName,
  onRemove: (chat: Chat) => void,
): readonly Column<Chat>[] => [
  {
    key: "name",
    header: strings.column_name,
    kind: "main",
    cell: (chat) => <span class="strong clip">{nameOf(chat)}</span>,
  },
  ...detailColumns(folderName),
  {
    key: "actions",
    header: strings.column_actions,
    kind: "actions",
    cell: (chat) => (
      <>
        <Button small icon="restore" onClick={() => void restore(chat)}>
          {strings.restore}
        </Button>
        <IconButton
          icon="trash"
          label={strings.delete_for_good_of(nameOf(chat))}
          onClick={() => onRemove(chat)}
        />
      </>
    ),
  },
];

/** The first folders of a chat by name, and how many more there are. */
function foldersOf({ usedFolders }: Chat, folderName: FolderName): string {
  const names = usedFolders.flatMap((id) => folderName(id) ?? []);
  if (names.length === 0) return strings.no_folders;
  return names.length <= 2
    ? names.join(", ")
    : `${names.slice(0, 2).join(", ")} ${strings.more_folders(names.length - 2)}`;
}
