/** All folders: two levels, with their content and state. */
import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { Link, useLocation } from "wouter-preact";
import { apiUrl } from "../../api/client";
import { useFolders } from "../../api/queries";
import type { Folder } from "../../api/types";
import { Button } from "../../ui/button";
import { TextField } from "../../ui/field";
import { formatNumber } from "../../ui/format";
import { Icon } from "../../ui/icons";
import { Menu } from "../../ui/menu";
import { PageHeader } from "../../ui/page-header";
import { Empty, Loading } from "../../ui/states";
import { Table, type Column } from "../../ui/table";
import { Tag } from "../../ui/tag";
import { Tooltip } from "../../ui/tooltip";
import { Time } from "../../ui/time";
import { folder_strings as strings } from "../../strings/folders";
import { DeleteFolderDialog, EditFolderDialog, NewFolderDialog } from "./folder-dialogs";
import { DropOverlay, FileInput, useDrop } from "./drop-zone";
import { ArchiveInput, FolderImportPanel } from "./folder-import-panel";
import { matching, subtreeOf, treeOf, type Branch } from "./tree";
import { SampleButton } from "./sample";
import { uploadTree } from "./tree-upload";
import { UploadPanel } from "./upload-panel";
import type { FileWithPath } from "./upload-plan";
import { all_folders } from "./uploads";

type OpenDialog =
  | { readonly kind: "new"; readonly parent: Folder | null }
  | { readonly kind: "edit" | "delete"; readonly folder: Folder };
interface Row {
  readonly folder: Folder;
  readonly subfolders: readonly Folder[];
  readonly is_subfolder: boolean;
  readonly open: boolean;
}

/** With fewer folders there is no search field. */
const search_from = 8;

export default function Folders() {
  const folders = useFolders();
  const [query, setQuery] = useState("");
  const [dialog, setDialog] = useState<OpenDialog | null>(null);
  const [, navigate] = useLocation();
  const create = <CreateButtons onNew={() => setDialog({ kind: "new", parent: null })} />;
  const is_dragged_over = useDrop(uploadRoots);
  const all = folders.data ?? [];
  const close = () => setDialog(null);
  return (
    <>
      <PageHeader
        title={strings.title}
        text={strings.text}
        actions={all.length > 0 ? create : undefined}
      />
      {all.length >= search_from && (
        <TextField
          label={strings.search}
          label_hidden
          icon="search"
          type="search"
          placeholder={strings.search}
          value={query}
          onValue={setQuery}
          data-shortcut="/"
        />
      )}
      <FolderImportPanel />
      <UploadPanel page={all_folders} />
      {is_dragged_over && <DropOverlay text={strings.drop_directories} />}
      <section class="card">
        <Loading query={folders} rows={5}>
          {(list) =>
            list.length === 0 ? (
              <NoFolders create={create} />
            ) : (
              <Tree
                branches={matching(treeOf(list), query)}
                all={list}
                query={query}
                onQuery={setQuery}
                onDialog={setDialog}
              />
            )
          }
        </Loading>
      </section>
      {dialog?.kind === "new" && (
        <NewFolderDialog
          folders={all}
          parent={dialog.parent}
          onClose={close}
          onCreated={({ id }) => navigate(`/folders/${id}`)}
        />
      )}
      {dialog?.kind === "edit" && <EditFolderDialog folder={dialog.folder} onClose={close} />}
      {dialog?.kind === "delete" && (
        <DeleteFolderDialog folder={dialog.folder} folders={all} onClose={close} />
      )}
    </>
  );
}

const NoFolders = ({ create }: { readonly create: ComponentChildren }) => (
  <Empty
    icon="folder"
    title={strings.empty_title}
    actions={
      <>
        {create}
        <SampleButton />
      </>
    }
  >
    {strings.empty_text}
  </Empty>
);

const uploadRoots = (files: readonly FileWithPath[]) => void uploadTree(null, files);

/** A new folder, a directory of this computer, or an exported folder. */
function CreateButtons({ onNew }: { readonly onNew: () => void }) {
  const archive = useRef<HTMLInputElement>(null);
  const directory = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button kind="primary" icon="folder-plus" data-shortcut="n" onClick={onNew}>
        {strings.new_folder}
      </Button>
      <Button icon="upload" onClick={() => directory.current?.click()}>
        {strings.page.upload_directory}
      </Button>
      <Button
        icon="archive"
        title={strings.archive.import_hint}
        onClick={() => archive.current?.click()}
      >
        {strings.archive.import}
      </Button>
      <ArchiveInput input={archive} />
      <FileInput input={directory} directory onFiles={uploadRoots} />
    </>
  );
}

function Tree({
  branches,
  all,
  query,
  onQuery,
  onDialog,
}: {
  readonly branches: readonly Branch[];
  readonly all: readonly Folder[];
  readonly query: string;
  readonly onQuery: (query: string) => void;
  readonly onDialog: (dialog: OpenDialog) => void;
}) {
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const toggle = (id: string) => {
    const next = new Set(closed);
    if (!next.delete(id)) next.add(id);
    setClosed(next);
  };
  if (branches.length === 0)
    return (
      <Empty
        icon="search"
        title={strings.none_found(query)}
        actions={<Button onClick={() => onQuery("")}>{strings.clear}</Button>}
      />
    );
  return (
    <Table
      label={strings.label}
      columns={columns(all, toggle, onDialog)}
      rows={branches.flatMap((branch) =>
        rowsOf(branch, query !== "" || !closed.has(branch.folder.id)),
      )}
      row_key={({ folder }) => folder.id}
    />
  );
}

/** A folder and, while it is expanded, its subfolders. */
const rowsOf = ({ folder, subfolders }: Branch, open: boolean): readonly Row[] => [
  { folder, subfolders, is_subfolder: false, open },
  ...(open
    ? subfolders.map((sub) => ({ folder: sub, subfolders: [], is_subfolder: true, open: false }))
    : []),
];

const columns = (
  all: readonly Folder[],
  onToggle: (id: string) => void,
  onDialog: (dialog: OpenDialog) => void,
): readonly Column<Row>[] => [
  {
    key: "folder",
    header: strings.folder,
    kind: "main",
    cell: (row) => <Name row={row} onToggle={() => onToggle(row.folder.id)} />,
  },
  {
    key: "count",
    header: strings.count,
    kind: "end",
    cell: ({ folder }) => <Count folder={folder} all={all} />,
  },
  { key: "state", header: strings.state, cell: ({ folder }) => <FolderState folder={folder} /> },
  {
    key: "updated",
    header: strings.updated,
    cell: ({ folder }) => <Time value={folder.updated_at} />,
    wide_only: true,
  },
  {
    key: "actions",
    header: strings.actions,
    kind: "actions",
    cell: ({ folder }) => <FolderMenu folder={folder} onDialog={onDialog} />,
  },
];

function FolderMenu({
  folder,
  onDialog,
}: {
  readonly folder: Folder;
  readonly onDialog: (dialog: OpenDialog) => void;
}) {
  return (
    <Menu
      label={strings.actions_of(folder.name)}
      items={[
        ...(folder.parentId === null
          ? [
              {
                label: strings.new_subfolder,
                icon: "folder-plus" as const,
                run: () => onDialog({ kind: "new", parent: folder }),
              },
            ]
          : []),
        { label: strings.edit, icon: "edit", run: () => onDialog({ kind: "edit", folder }) },
        {
          label: strings.archive.export,
          icon: "download",
          href: apiUrl(`/folders/${folder.id}/export`),
          download: true,
        },
        "separator",
        {
          label: strings.delete,
          icon: "trash",
          danger: true,
          run: () => onDialog({ kind: "delete", folder }),
        },
      ]}
    />
  );
}

function Name({
  row: { folder, subfolders, is_subfolder, open },
  onToggle,
}: {
  readonly row: Row;
  readonly onToggle: () => void;
}) {
  return (
    <div class={is_subfolder ? "folder-name folder-below" : "folder-name"}>
      {subfolders.length > 0 ? (
        <button
          type="button"
          class="twist"
          aria-expanded={open}
          aria-label={open ? strings.collapse(folder.name) : strings.expand(folder.name)}
          onClick={onToggle}
        >
          <Icon name={open ? "chevron-down" : "chevron-right"} size={16} />
        </button>
      ) : (
        <span class="twist" />
      )}
      <Icon name="folder" />
      <span class="two-lines">
        <Link href={`/folders/${folder.id}`} class="title-link clip">
          {folder.name}
        </Link>
        {folder.description && <span class="clip">{folder.description}</span>}
      </span>
    </div>
  );
}

/** A folder's own documents; with subfolders, the total. */
function Count({ folder, all }: { readonly folder: Folder; readonly all: readonly Folder[] }) {
  const { subfolders, documents } = subtreeOf(folder, all);
  if (subfolders.length === 0 || documents === folder.document_count)
    return <>{formatNumber(folder.document_count)}</>;
  return (
    <Tooltip text={strings.with_subfolders(documents)}>
      {formatNumber(documents)}{" "}
      <span class="muted small nowrap">({strings.here(folder.document_count)})</span>
    </Tooltip>
  );
}

function FolderState({ folder: { status_counts, document_count } }: { readonly folder: Folder }) {
  const { syncing, sync_failed } = status_counts;
  if (document_count === 0) return null;
  return (
    <span class="row row-wrap">
      {syncing > 0 && <Tag tone="run">{strings.indexing(syncing)}</Tag>}
      {sync_failed > 0 && <Tag tone="bad">{strings.failed(sync_failed)}</Tag>}
      {syncing === 0 && sync_failed === 0 && <Tag tone="ok">{strings.ready}</Tag>}
    </span>
  );
}
