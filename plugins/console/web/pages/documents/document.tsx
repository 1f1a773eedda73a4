/** One document: its preview, its state, its details and its folders. */
import { useQuery } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { useLocation, useSearch } from "wouter-preact";
import { useHistoryState } from "wouter-preact/use-browser-location";
import { apiUrl } from "../../api/client";
import { getDocument } from "../../api/documents";
import { keys, useFolders, vectors_every_ms } from "../../api/queries";
import type { Document } from "../../api/types";
import type { PageParams } from "../../app/page";
import { passageHref } from "../../reader/location";
import { PassageSteps } from "../../reader/passage-steps";
import { SourceView } from "../../reader/source-view";
import { viewsOf } from "../../reader/views";
import { trailIn, trailOf, type Trail } from "../../reader/trail";
import { Panels } from "../../plugin/panels";
import { forPeople } from "../../ui/sentence";
import { Button, ButtonLink } from "../../ui/button";
import { Menu, type MenuItem } from "../../ui/menu";
import { Note } from "../../ui/note";
import { PageHeader } from "../../ui/page-header";
import { ErrorView, Skeleton } from "../../ui/states";
import { folder_strings } from "../../strings/folders";
import { selectionOf } from "../folders/selection";
import { PlaceDialog, RenameDialog } from "../folders/document-dialogs";
import { canRetry, reindex, removeFromFolder } from "../folders/document-actions";
import { DocumentStatus } from "../folders/status";
import { Details, FolderLinks, Warnings } from "./details";
import { useHighlight } from "./highlight";

const strings = folder_strings.one;
const action_strings = folder_strings.actions_of_document;

export default function DocumentPage({ params }: { readonly params: PageParams }) {
  const id = params.id ?? "";
  const document = useQuery({
    queryKey: keys.document(id),
    queryFn: ({ signal }) => getDocument(id, signal),
    refetchInterval: ({ state }) =>
      state.data?.indexing.vectors === "pending" ? vectors_every_ms : false,
  });
  if (document.data) return <DocumentView key={id} document={document.data} />;
  return (
    <>
      <PageHeader
        title={strings.title}
        crumbs={[{ label: folder_strings.title, href: "/folders" }]}
      />
      {document.error ? (
        <ErrorView error={document.error} onRetry={() => void document.refetch()} home="/folders" />
      ) : (
        <Skeleton rows={6} />
      )}
    </>
  );
}

type OpenDialog = "rename" | "place" | null;

function DocumentView({ document }: { readonly document: Document }) {
  const fields = new URLSearchParams(useSearch());
  const folders = useFolders().data ?? [];
  const [dialog, setDialog] = useState<OpenDialog>(null);
  const highlight = useHighlight(document, fields);
  const trail = trailIn(useHistoryState(), document.id, fields.get("start"));
  const folder_id =
    document.folder_ids.find((id) => id === fields.get("folder")) ?? document.folder_ids[0] ?? null;
  const folder = folders.find(({ id }) => id === folder_id);
  // Nothing of it can be shown; the note above says why.
  const is_unread =
    document.status === "sync_failed" &&
    document.synced_at === null &&
    viewsOf(document)[0] === "text";
  const crumbs = [
    { label: folder_strings.title, href: "/folders" },
    ...(folder ? [{ label: folder.name, href: `/folders/${folder.id}` }] : []),
  ];
  return (
    <>
      <PageHeader
        title={document.name}
        crumbs={crumbs}
        actions={<Actions document={document} folder_id={folder_id} onDialog={setDialog} />}
      />
      <IndexingNote document={document} />
      <div class={is_unread ? "document-layout document-unread" : "document-layout"}>
        {!is_unread && (
          <section class="card document-view" aria-label={strings.preview}>
            <SourceView
              document={document}
              highlight={highlight.passage}
              has_passage={highlight.has_passage}
              steps={trail && <TrailSteps trail={trail} />}
              page={highlight.page}
              heading_level={2}
            />
          </section>
        )}
        <div class="stack">
          <Warnings document={document} />
          <FolderLinks document={document} folders={folders} onAdd={() => setDialog("place")} />
          <Details document={document} />
          <Panels where="document" record={document} />
        </div>
      </div>
      {dialog === "rename" && <RenameDialog document={document} onClose={() => setDialog(null)} />}
      {dialog === "place" && (
        <PlaceDialog
          chosen={selectionOf([document])}
          folder_id={folder_id}
          onClose={() => setDialog(null)}
        />
      )}
    </>
  );
}

/**
 * The next citation may be in another document. It replaces this history entry, so that back leads
 * to the chat.
 */
function TrailSteps({ trail: { passages, at } }: { readonly trail: Trail }) {
  const [, navigate] = useLocation();
  const goTo = (next: number) =>
    navigate(passageHref(passages[next]!), { replace: true, state: trailOf(passages, next) });
  return <PassageSteps at={at} count={passages.length} onAt={goTo} />;
}

function Actions({
  document,
  folder_id,
  onDialog,
}: {
  readonly document: Document;
  /** The folder it was opened from; null if it is in none. */
  readonly folder_id: string | null;
  readonly onDialog: (dialog: OpenDialog) => void;
}) {
  const [, navigate] = useLocation();
  const remove = async (from: string) => {
    await removeFromFolder(selectionOf([document]), from);
    navigate(`/folders/${from}`);
  };
  const items: readonly MenuItem[] = [
    { label: action_strings.rename, icon: "edit", run: () => onDialog("rename") },
    { label: action_strings.place, icon: "folder", run: () => onDialog("place") },
    {
      label: action_strings.reindex,
      icon: "refresh",
      run: () => void reindex(selectionOf([document])),
    },
  ];
  const removal: readonly MenuItem[] = folder_id
    ? [
        "separator",
        {
          label: action_strings.remove,
          icon: "remove",
          danger: true,
          run: () => void remove(folder_id),
        },
      ]
    : [];
  return (
    <>
      {folder_id && document.synced_at !== null && (
        <ButtonLink
          kind="primary"
          icon="chat"
          href={`/chats?folder=${folder_id}&document=${document.id}`}
        >
          {strings.ask}
        </ButtonLink>
      )}
      <a class="button" href={apiUrl(`/documents/${document.id}/file`)} download={document.name}>
        {strings.download}
      </a>
      <Menu label={strings.more} small={false} items={[...items, ...removal]} />
    </>
  );
}

/** Why indexing failed and what to do about it, or that it is still in progress. */
function IndexingNote({ document }: { readonly document: Document }) {
  const { status, error, synced_at } = document;
  if (status === "syncing" && synced_at === null)
    return (
      <Note title={strings.indexing_title}>
        <div class="stack-small">
          <p>{strings.indexing_text}</p>
          <DocumentStatus document={document} />
        </div>
      </Note>
    );
  if (status !== "sync_failed") return null;
  return (
    <Note
      tone="bad"
      title={strings.failed_title}
      actions={
        canRetry(document) && (
          <Button small icon="refresh" onClick={() => void reindex(selectionOf([document]))}>
            {action_strings.retry}
          </Button>
        )
      }
    >
      <p>{error && forPeople(error.message)}</p>
      <p>
        {error && strings.failed_next[error.code]}
        {synced_at !== null && ` ${strings.still_answers}`}
      </p>
    </Note>
  );
}
