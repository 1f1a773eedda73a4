/** One folder: its documents, its subfolders, and how something gets in. */
import { useCallback, useRef, useState } from "preact/hooks";
import { Link, useLocation } from "wouter-preact";
import { ApiProblem } from "../../api/client";
import { useFolders } from "../../api/queries";
import type { Folder } from "../../api/types";
import type { PageParams } from "../../app/page";
import { Button, ButtonLink } from "../../ui/button";
import { formatNumber } from "../../ui/format";
import { Icon } from "../../ui/icons";
import { Menu } from "../../ui/menu";
import { PageHeader } from "../../ui/page-header";
import { ErrorView, Skeleton } from "../../ui/states";
import { Tag } from "../../ui/tag";
import { folder_strings } from "../../strings/folders";
import { common_strings as shared } from "../../strings/common";
import { PasteDialog } from "./document-dialogs";
import { Documents } from "./documents";
import { DropOverlay, DropZone, FileInput, useDrop } from "./drop-zone";
import { DeleteFolderDialog, EditFolderDialog, NewFolderDialog } from "./folder-dialogs";
import { UploadPanel } from "./upload-panel";
import { addUploads } from "./uploads";

const strings = folder_strings.page;

export default function FolderPage({ params }: { readonly params: PageParams }) {
  const folders = useFolders();
  const folder = folders.data?.find(({ id }) => id === params.id);
  if (folder) return <Shown key={folder.id} folder={folder} folders={folders.data!} />;
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

type Asked = "paste" | "edit" | "delete" | "new" | null;

function Shown({
  folder,
  folders,
}: {
  readonly folder: Folder;
  readonly folders: readonly Folder[];
}) {
  const [asked, setAsked] = useState<Asked>(null);
  const [, navigate] = useLocation();
  const input = useRef<HTMLInputElement>(null);
  const take = useCallback((files: readonly File[]) => addUploads(folder.id, files), [folder.id]);
  const over = useDrop(take);
  const choose = () => input.current?.click();
  const close = () => setAsked(null);
  const parent = folders.find(({ id }) => id === folder.parentId);
  const crumbs = [
    { label: folder_strings.title, href: "/folders" },
    ...(parent ? [{ label: parent.name, href: `/folders/${parent.id}` }] : []),
  ];
  const items = [
    ...(folder.parentId === null
      ? [
          {
            label: folder_strings.new_subfolder,
            icon: "folder-plus" as const,
            run: () => setAsked("new"),
          },
        ]
      : []),
    { label: folder_strings.edit, icon: "edit" as const, run: () => setAsked("edit") },
    "separator" as const,
    {
      label: folder_strings.delete,
      icon: "trash" as const,
      danger: true,
      run: () => setAsked("delete"),
    },
  ];
  return (
    <>
      <PageHeader
        title={folder.name}
        crumbs={crumbs}
        text={<Summary folder={folder} />}
        actions={
          <>
            <Button kind="primary" icon="upload" data-shortcut="n" onClick={choose}>
              {strings.upload}
            </Button>
            <Button icon="file-text" onClick={() => setAsked("paste")}>
              {strings.paste}
            </Button>
            <ButtonLink icon="chat" href={`/chats?folder=${folder.id}`}>
              {strings.ask}
            </ButtonLink>
            <Menu label={strings.more} items={items} small={false} />
          </>
        }
      />
      <FileInput input={input} onFiles={take} />
      <Subfolders folders={folders.filter(({ parentId }) => parentId === folder.id)} />
      <UploadPanel folder_id={folder.id} />
      <Documents folder_id={folder.id} empty={<DropZone large onChoose={choose} />} />
      {folder.document_count > 0 && <DropZone large={false} onChoose={choose} />}
      {over && <DropOverlay name={folder.name} />}
      {asked === "paste" && <PasteDialog folder_id={folder.id} onClose={close} />}
      {asked === "new" && <NewFolderDialog folders={folders} parent={folder} onClose={close} />}
      {asked === "edit" && <EditFolderDialog folder={folder} onClose={close} />}
      {asked === "delete" && (
        <DeleteFolderDialog
          folder={folder}
          folders={folders}
          onClose={close}
          onDeleted={() => navigate(parent ? `/folders/${parent.id}` : "/folders")}
        />
      )}
    </>
  );
}

/** Description and counts, in words. */
function Summary({
  folder: { description, document_count, status_counts },
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
      </span>
    </span>
  );
}

function Subfolders({ folders }: { readonly folders: readonly Folder[] }) {
  if (folders.length === 0) return null;
  return (
    <nav aria-label={strings.subfolders}>
      <ul class="subfolders">
        {folders.map(({ id, name, document_count }) => (
          <li key={id}>
            <Link href={`/folders/${id}`} class="subfolder">
              <Icon name="folder" />
              <span class="clip grow">{name}</span>
              <span class="count">{formatNumber(document_count)}</span>
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
