/** One folder: its documents, its subfolders, and ways to add to it. */
import { useCallback, useRef, useState } from "preact/hooks";
import { Link, useLocation } from "wouter-preact";
import { apiUrl, ApiProblem } from "../../api/client";
import { useFolders } from "../../api/queries";
import type { Folder } from "../../api/types";
import type { PageParams } from "../../app/page";
import { Panels } from "../../plugin/panels";
import { Button, ButtonLink } from "../../ui/button";
import { formatNumber } from "../../ui/format";
import { Icon } from "../../ui/icons";
import { Menu, type MenuItem } from "../../ui/menu";
import { PageHeader } from "../../ui/page-header";
import { ErrorView, Skeleton } from "../../ui/states";
import { Tag } from "../../ui/tag";
import { folder_strings } from "../../strings/folders";
import { common_strings as shared } from "../../strings/common";
import { PasteDialog } from "./document-dialogs";
import { Documents } from "./documents";
import { useDropTarget } from "./dragging";
import { DropOverlay, DropZone, FileInput, useDrop } from "./drop-zone";
import { DeleteFolderDialog, EditFolderDialog, NewFolderDialog } from "./folder-dialogs";
import { UploadPanel } from "./upload-panel";
import { SampleQuestions } from "./sample";
import { uploadTree } from "./tree-upload";
import type { FileWithPath } from "./upload-plan";

const strings = folder_strings.page;

export default function FolderPage({ params }: { readonly params: PageParams }) {
  const folders = useFolders();
  const folder = folders.data?.find(({ id }) => id === params.id);
  if (folder) return <FolderView key={folder.id} folder={folder} folders={folders.data!} />;
  const crumbs = [{ label: folder_strings.title, href: "/folders" }];
  if (folders.error || folders.data) {
    const missing = new ApiProblem(404, "not_found", shared.errors.missing.next);
    return (
      <>
        <PageHeader title={folder_strings.folder} crumbs={crumbs} />
        <ErrorView
          error={folders.error ?? missing}
          onRetry={() => void folders.refetch()}
          home="/folders"
        />
      </>
    );
  }
  return (
    <>
      <PageHeader title={folder_strings.folder} crumbs={crumbs} />
      <Skeleton rows={5} />
    </>
  );
}

type OpenDialog = "paste" | "edit" | "delete" | "new" | null;

interface FolderProps {
  readonly folder: Folder;
  readonly folders: readonly Folder[];
}

const parentOf = ({ folder, folders }: FolderProps): Folder | undefined =>
  folders.find(({ id }) => id === folder.parentId);

function FolderView({ folder, folders }: FolderProps) {
  const [dialog, setDialog] = useState<OpenDialog>(null);
  const input = useRef<HTMLInputElement>(null);
  const directory = useRef<HTMLInputElement>(null);
  const upload = useCallback(
    (files: readonly FileWithPath[]) => void uploadTree(folder, files),
    [folder.id, folder.parentId],
  );
  const is_dragged_over = useDrop(upload);
  const choose = {
    onChoose: () => input.current?.click(),
    onDirectory: () => directory.current?.click(),
  };
  const parent = parentOf({ folder, folders });
  const crumbs = [
    { label: folder_strings.title, href: "/folders" },
    ...(parent ? [{ label: parent.name, href: `/folders/${parent.id}` }] : []),
  ];
  return (
    <>
      <PageHeader
        title={folder.name}
        crumbs={crumbs}
        text={<Summary folder={folder} />}
        actions={<Actions folder={folder} {...choose} onDialog={setDialog} />}
      />
      <FileInput input={input} onFiles={upload} />
      <FileInput input={directory} directory onFiles={upload} />
      <Subfolders folders={folders.filter(({ parentId }) => parentId === folder.id)} />
      <SampleQuestions folder={folder} />
      <UploadPanel page={folder.id} />
      <Documents folder_id={folder.id} empty={<DropZone large {...choose} />} />
      {folder.document_count > 0 && <DropZone large={false} {...choose} />}
      <Panels where="folder" record={folder} />
      {is_dragged_over && <DropOverlay text={strings.drop_over(folder.name)} />}
      <Dialogs folder={folder} folders={folders} dialog={dialog} onClose={() => setDialog(null)} />
    </>
  );
}

function Actions({
  folder,
  onChoose,
  onDirectory,
  onDialog,
}: {
  readonly folder: Folder;
  readonly onChoose: () => void;
  readonly onDirectory: () => void;
  readonly onDialog: (dialog: OpenDialog) => void;
}) {
  const items: readonly MenuItem[] = [
    ...(folder.parentId === null
      ? [
          {
            label: folder_strings.new_subfolder,
            icon: "folder-plus" as const,
            run: () => onDialog("new"),
          },
        ]
      : []),
    { label: folder_strings.edit, icon: "edit", run: () => onDialog("edit") },
    { label: strings.upload_directory, icon: "upload", run: onDirectory },
    {
      label: folder_strings.actions_of_document.zip,
      icon: "download",
      href: apiUrl(`/folders/${folder.id}/documents.zip`),
      download: true,
    },
    {
      label: folder_strings.archive.export,
      icon: "download",
      href: apiUrl(`/folders/${folder.id}/export`),
      download: true,
    },
    "separator",
    { label: folder_strings.delete, icon: "trash", danger: true, run: () => onDialog("delete") },
  ];
  return (
    <>
      <Button kind="primary" icon="upload" data-shortcut="n" onClick={onChoose}>
        {strings.upload}
      </Button>
      <Button icon="file-text" onClick={() => onDialog("paste")}>
        {strings.paste}
      </Button>
      <ButtonLink icon="chat" href={`/chats?folder=${folder.id}`}>
        {strings.ask}
      </ButtonLink>
      <Menu label={strings.more} items={items} small={false} />
    </>
  );
}

function Dialogs({
  folder,
  folders,
  dialog,
  onClose,
}: FolderProps & { readonly dialog: OpenDialog; readonly onClose: () => void }) {
  const [, navigate] = useLocation();
  const parent = parentOf({ folder, folders });
  if (dialog === "paste") return <PasteDialog folder_id={folder.id} onClose={onClose} />;
  if (dialog === "new")
    return <NewFolderDialog folders={folders} parent={folder} onClose={onClose} />;
  if (dialog === "edit") return <EditFolderDialog folder={folder} onClose={onClose} />;
  if (dialog !== "delete") return null;
  return (
    <DeleteFolderDialog
      folder={folder}
      folders={folders}
      onClose={onClose}
      onDeleted={() => navigate(parent ? `/folders/${parent.id}` : "/folders")}
    />
  );
}

/** The description, the number of documents, and how many are not ready. */
function Summary({
  folder: { description, document_count, status_counts, vectors_pending },
}: {
  readonly folder: Folder;
}) {
  return (
    <span class="summary">
      {description && <span>{description}</span>}
      <span class="row row-wrap" aria-live="polite">
        <span>{folder_strings.documents(document_count)}</span>
        {status_counts.syncing > 0 && (
          <Tag tone="run">{folder_strings.indexing(status_counts.syncing)}</Tag>
        )}
        {status_counts.sync_failed > 0 && (
          <Tag tone="bad">{folder_strings.failed(status_counts.sync_failed)}</Tag>
        )}
        {vectors_pending > 0 && (
          <span class="small muted">{folder_strings.vectors_pending(vectors_pending)}</span>
        )}
      </span>
    </span>
  );
}

function Subfolders({ folders }: { readonly folders: readonly Folder[] }) {
  if (folders.length === 0) return null;
  return (
    <nav aria-label={strings.subfolders}>
      <ul class="subfolders">
        {folders.map((folder) => (
          <Subfolder key={folder.id} folder={folder} />
        ))}
      </ul>
    </nav>
  );
}

function Subfolder({ folder: { id, name, document_count } }: { readonly folder: Folder }) {
  const { over, attributes } = useDropTarget(id, name);
  return (
    <li {...attributes}>
      <Link href={`/folders/${id}`} class="subfolder" data-over={over || undefined}>
        <Icon name="folder" />
        <span class="clip grow">{name}</span>
        <span class="count">{formatNumber(document_count)}</span>
      </Link>
    </li>
  );
}
