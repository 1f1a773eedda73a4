/** The columns of the documents of a folder, and of those that were removed from it. */
import { Link } from "wouter-preact";
import { apiUrl } from "../../api/client";
import type { Document } from "../../api/types";
import { Button } from "../../ui/button";
import { formatBytes, Time } from "../../ui/format";
import { Menu } from "../../ui/menu";
import type { Column } from "../../ui/table";
import { folder_strings } from "../../strings/folders";
import { reindex, removeFromFolder, restore } from "./document-actions";
import { DocumentStatus } from "./status";

const strings = folder_strings.page;
const action_strings = folder_strings.actions_of_document;

/** A dialog that is open, and the documents it is about. */
export type OpenDialog =
  | { readonly kind: "rename"; readonly document: Document }
  | { readonly kind: "place"; readonly documents: readonly Document[] };

/** Name, and below it what it is, or why it failed. */
function Name({
  document,
  folder_id,
}: {
  readonly document: Document;
  readonly folder_id: string;
}) {
  const { name, size_bytes, page_count, warnings, status, error, id } = document;
  const facts = [
    formatBytes(size_bytes),
    page_count === null ? "" : strings.pages(page_count),
    warnings.length > 0 ? strings.warnings(warnings.length) : "",
  ]
    .filter(Boolean)
    .join(" · ");
  return (
    <span class="two-lines">
      <Link href={`/documents/${id}?folder=${folder_id}`} class="title-link clip">
        {name}
      </Link>
      <span class="document-facts">
        {status === "sync_failed" && error ? (
          <>
            <span class="nowrap">{formatBytes(size_bytes)} · </span>
            <span class="bad-text">{error.message}</span>
          </>
        ) : (
          facts
        )}
      </span>
    </span>
  );
}

function DocumentMenu({
  document,
  folder_id,
  onDialog,
}: {
  readonly document: Document;
  readonly folder_id: string;
  readonly onDialog: (dialog: OpenDialog) => void;
}) {
  return (
    <Menu
      label={folder_strings.actions_of(document.name)}
      items={[
        {
          label: action_strings.rename,
          icon: "edit",
          run: () => onDialog({ kind: "rename", document }),
        },
        {
          label: action_strings.place,
          icon: "folder",
          run: () => onDialog({ kind: "place", documents: [document] }),
        },
        { label: action_strings.reindex, icon: "refresh", run: () => void reindex([document]) },
        {
          label: action_strings.download,
          icon: "download",
          href: apiUrl(`/documents/${document.id}/file`),
          download: true,
        },
        "separator",
        {
          label: action_strings.remove,
          icon: "remove",
          danger: true,
          run: () => void removeFromFolder([document], folder_id),
        },
      ]}
    />
  );
}

export const documentColumns = (
  folder_id: string,
  onDialog: (dialog: OpenDialog) => void,
): readonly Column<Document>[] => [
  {
    key: "document",
    header: strings.document,
    kind: "main",
    cell: (document) => <Name document={document} folder_id={folder_id} />,
  },
  {
    key: "status",
    header: strings.status,
    cell: (document) => (
      <span class="row">
        <DocumentStatus document={document} />
        {document.status === "sync_failed" && (
          <Button
            small
            aria-label={action_strings.retry_label(document.name)}
            onClick={() => void reindex([document])}
          >
            {action_strings.retry}
          </Button>
        )}
      </span>
    ),
  },
  {
    key: "updated",
    header: strings.updated,
    cell: ({ updated_at }) => <Time value={updated_at} />,
    wide_only: true,
  },
  {
    key: "actions",
    header: strings.actions,
    kind: "actions",
    cell: (document) => (
      <DocumentMenu document={document} folder_id={folder_id} onDialog={onDialog} />
    ),
  },
];

export const removedColumns = (folder_id: string): readonly Column<Document>[] => [
  {
    key: "document",
    header: strings.document,
    kind: "main",
    cell: (document) => <Name document={document} folder_id={folder_id} />,
  },
  {
    key: "updated",
    header: strings.updated,
    cell: ({ updated_at }) => <Time value={updated_at} />,
  },
  {
    key: "actions",
    header: strings.actions,
    kind: "actions",
    cell: (document) => (
      <Button
        small
        icon="restore"
        aria-label={strings.restore_label(document.name)}
        onClick={() => void restore([document], folder_id)}
      >
        {strings.restore}
      </Button>
    ),
  },
];
