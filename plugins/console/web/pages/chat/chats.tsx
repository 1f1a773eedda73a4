/** All chats of the user, with search; pinned and deleted ones, and the feedback on answers. */
import { useState } from "preact/hooks";
import { Redirect, useLocation, useSearch } from "wouter-preact";
import { useChats, type Chat, type ChatFilter } from "../../api/chats";
import { useFolders } from "../../api/queries";
import { Button, ButtonLink } from "../../ui/button";
import { useDebounced } from "../../ui/debounced";
import { TextField } from "../../ui/field";
import { PageHeader } from "../../ui/page-header";
import { Pager } from "../../ui/pager";
import { Empty, Loading } from "../../ui/states";
import { Table } from "../../ui/table";
import { Tabs } from "../../ui/tabs";
import { chat_strings as strings } from "../../strings/chat";
import { DeleteForGoodDialog, RenameChatDialog } from "./chat-actions";
import { deletedColumns, openColumns } from "./chat-columns";
import { Ratings } from "./ratings";

/** `/chats?folder=…` starts a chat over that folder. */
export default function ChatList() {
  const query = useSearch();
  return new URLSearchParams(query).has("folder") ? (
    <Redirect to={`/chats/new?${query}`} replace />
  ) : (
    <ChatTabs />
  );
}

const tabs = ["open", "deleted", "ratings"] as const;

function ChatTabs() {
  const [tab, setTab] = useState<(typeof tabs)[number]>("open");
  const [, navigate] = useLocation();
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
        onActive={(key) => setTab(key as typeof tab)}
        items={tabs.map((key) => ({ key, label: strings.tab[key] }))}
      >
        {tab === "open" && <OpenChats />}
        {tab === "deleted" && <List filter={{ deleted: true }} />}
        {tab === "ratings" && <Ratings />}
      </Tabs>
    </>
  );
}

const typing_pause_ms = 250;

/** Pinned chats above the others; search results in one list. */
function OpenChats() {
  const [query_text, setQueryText] = useState("");
  const q = useDebounced(query_text.trim(), typing_pause_ms);
  const pinned = useChats({ page: 1, deleted: false, pinned: true });
  const has_pinned = (pinned.data?.pagination.total ?? 0) > 0;
  return (
    <div class="stack">
      <TextField
        label={strings.find}
        label_hidden
        placeholder={strings.find}
        icon="search"
        type="search"
        data-shortcut="/"
        value={query_text}
        onValue={setQueryText}
      />
      {q === "" && has_pinned && (
        <List title={strings.pinned_title} filter={{ deleted: false, pinned: true }} />
      )}
      {q === "" ? (
        <List
          key="others"
          {...(has_pinned && { title: strings.others_title })}
          filter={{ deleted: false, pinned: false }}
          beside_pinned={has_pinned}
        />
      ) : (
        <List key={q} filter={{ deleted: false, q }} />
      )}
    </div>
  );
}

function List({
  filter,
  title,
  beside_pinned = false,
}: {
  readonly filter: Omit<ChatFilter, "page">;
  readonly title?: string;
  /** There are pinned ones above it, so an empty list needs no hint. */
  readonly beside_pinned?: boolean;
}) {
  const [page, setPage] = useState(1);
  const [renaming, setRenaming] = useState<Chat | null>(null);
  const [removing, setRemoving] = useState<Chat | null>(null);
  const query = useChats({ ...filter, page });
  if (beside_pinned && query.data?.pagination.total === 0) return null;
  return (
    <section class="stack-small">
      {title && <h2 class="list-title">{title}</h2>}
      <div class="card">
        <Loading query={query}>
          {({ data, pagination }) =>
            data.length === 0 && page === 1 ? (
              <EmptyList filter={filter} />
            ) : (
              <>
                <Chats
                  chats={data}
                  label={filter.deleted ? strings.deleted_list : (title ?? strings.list)}
                  deleted={filter.deleted}
                  onRename={setRenaming}
                  onRemove={setRemoving}
                />
                <Pager page={page} pagination={pagination} onPage={setPage} />
              </>
            )
          }
        </Loading>
      </div>
      {renaming && <RenameChatDialog chat={renaming} onClose={() => setRenaming(null)} />}
      {removing && <DeleteForGoodDialog chat={removing} onClose={() => setRemoving(null)} />}
    </section>
  );
}

function EmptyList({ filter: { deleted, q } }: { readonly filter: Omit<ChatFilter, "page"> }) {
  if (q)
    return (
      <Empty icon="search" title={strings.none_found(q)}>
        {strings.none_found_text}
      </Empty>
    );
  return deleted ? (
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
}

function Chats({
  chats,
  label,
  deleted,
  onRename,
  onRemove,
}: {
  readonly chats: readonly Chat[];
  readonly label: string;
  readonly deleted: boolean;
  readonly onRename: (chat: Chat) => void;
  readonly onRemove: (chat: Chat) => void;
}) {
  const folders = useFolders();
  const [, navigate] = useLocation();
  const folderName = (id: string) => folders.data?.find((folder) => folder.id === id)?.name;
  return (
    <Table
      label={label}
      columns={
        deleted ? deletedColumns(folderName, onRemove) : openColumns(folderName, onRename, navigate)
      }
      rows={chats}
      row_key={({ id }) => id}
    />
  );
}
