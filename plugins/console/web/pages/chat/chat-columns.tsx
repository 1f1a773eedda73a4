/** The columns of the lists of chats, active and deleted. */
import { Link } from "wouter-preact";
import type { Chat } from "../../api/chats";
import { Button, IconButton } from "../../ui/button";
import { Icon } from "../../ui/icons";
import { Menu } from "../../ui/menu";
import type { Column } from "../../ui/table";
import { Time } from "../../ui/time";
import { chat_strings as strings } from "../../strings/chat";
import { titleOf } from "./messages";
import { deleteWithUndo, exportItems, pin, restore } from "./chat-actions";

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

/** The columns of the list of chats. `folderName`: the name of a folder, if it still exists. */
export const openColumns = (
  folderName: FolderName,
  onRename: (chat: Chat) => void,
  navigate: (path: string) => void,
): readonly Column<Chat>[] => [
  {
    key: "name",
    header: strings.column_name,
    kind: "main",
    cell: (chat) => (
      <span class="chat-name">
        {chat.pinned && (
          <span class="chat-pin" role="img" aria-label={strings.pinned} title={strings.pinned}>
            <Icon name="pin" size={14} />
          </span>
        )}
        <Link class="title-link clip" href={`/chats/${chat.id}`}>
          {titleOf(chat)}
        </Link>
      </span>
    ),
  },
  ...detailColumns(folderName),
  {
    key: "actions",
    header: strings.column_actions,
    kind: "actions",
    cell: (chat) => (
      <Menu
        label={strings.actions_of(titleOf(chat))}
        items={[
          {
            label: chat.pinned ? strings.unpin : strings.pin,
            icon: "pin",
            run: () => void pin(chat, !chat.pinned),
          },
          { label: strings.rename, icon: "edit", run: () => onRename(chat) },
          "separator",
          ...exportItems(chat, navigate),
          "separator",
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

/** The columns of the list of deleted chats. */
export const deletedColumns = (
  folderName: FolderName,
  onRemove: (chat: Chat) => void,
): readonly Column<Chat>[] => [
  {
    key: "name",
    header: strings.column_name,
    kind: "main",
    cell: (chat) => <span class="strong clip">{titleOf(chat)}</span>,
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
          label={strings.delete_for_good_of(titleOf(chat))}
          onClick={() => onRemove(chat)}
        />
      </>
    ),
  },
];

/** The first folders of a chat by name, and how many more there are. */
function foldersOf({ usedFolders, all_folders }: Chat, folderName: FolderName): string {
  if (all_folders) return strings.all_folders;
  const names = usedFolders.flatMap((id) => folderName(id) ?? []);
  if (names.length === 0) return strings.no_folders;
  return names.length <= 2
    ? names.join(", ")
    : `${names.slice(0, 2).join(", ")} ${strings.more_folders(names.length - 2)}`;
}
