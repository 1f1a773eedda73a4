/** The columns of the documents of a folder, and of those removed from it. */
import { apiUrl } from "../../api/client";
import type { Document } from "../../api/types";
import { Button } from "../../ui/button";
import { fileTypeOf } from "../../ui/file-type";
import { formatBytes } from "../../ui/format";
import { Menu } from "../../ui/menu";
import type { Column } from "../../ui/table";
import { Time } from "../../ui/time";
import { folder_strings } from "../../strings/folders";
import { selectionOf, type DocumentSelection } from "./selection";
import { canRetry, reindex, removeFromFolder, restore } from "./document-actions";
import { DocumentName, type Renaming } from "./document-name";
import { DocumentStatus } from "./status";

const strings = folder_strings.page;
const action_strings = folder_strings.actions_of_document;

interface ColumnOptions {
  readonly folder_id: string;
  readonly renaming: Renaming;
  /** Names that occur more than once. */
  readonly clashing: ReadonlySet<string>;
  /** Opens the dialog that asks for the target folder. */
  readonly onPlace: (chosen: DocumentSelection) => void;
}

function DocumentMenu({
  document,
  folder_id,
  renaming,
  onPlace,
}: ColumnOptions & { readonly document: Document }) {
  const chosen = selectionOf([document]);
  return (
    <Menu
      label={folder_strings.actions_of(document.name)}
      items={[
        { label: action_strings.rename, icon: "edit", run: () => renaming.begin(document.id) },
        { label: action_strings.place, icon: "folder", run: () => onPlace(chosen) },
        { label: action_strings.reindex, icon: "refresh", run: () => void reindex(chosen) },
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
          run: () => void removeFromFolder(chosen, folder_id),
        },
      ]}
    />
  );
}

const type_and_size: readonly Column<Document>[] = [
  {
    key: "type",
    header: strings.type,
    kind: "tight",
    sort: "type",
    cell: fileTypeOf,
    wide_only: true,
    roomy_only: true,
  },
  {
    key: "size",
    header: strings.size,
    kind: "end",
    sort: "size",
    cell: ({ size_bytes }) => formatBytes(size_bytes),
    wide_only: true,
  },
];

/** The columns of the documents of a folder. */
export const documentColumns = (options: ColumnOptions): readonly Column<Document>[] => [
  {
    key: "document",
    header: strings.document,
    kind: "main",
    sort: "name",
    cell: (document) => (
      <DocumentName
        document={document}
        folder_id={options.folder_id}
        renaming={options.renaming}
        clashes={options.clashing.has(document.name)}
      />
    ),
  },
  ...type_and_size,
  {
    key: "status",
    header: strings.status,
    sort: "status",
    cell: (document) => (
      <span class="row">
        <DocumentStatus document={document} />
        {canRetry(document) && (
          <Button
            small
            aria-label={action_strings.retry_label(document.name)}
            onClick={() => void reindex(selectionOf([document]))}
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
    kind: "tight",
    sort: "updated",
    cell: ({ updated_at }) => <Time value={updated_at} />,
    wide_only: true,
  },
  {
    key: "actions",
    header: strings.actions,
    kind: "actions",
    cell: (document) => <DocumentMenu document={document} {...options} />,
  },
];

/** The columns of the documents removed from a folder. */
export const removedColumns = ({
  folder_id,
  clashing,
}: ColumnOptions): readonly Column<Document>[] => [
  {
    key: "document",
    header: strings.document,
    kind: "main",
    sort: "name",
    cell: (document) => (
      <DocumentName
        document={document}
        folder_id={folder_id}
        clashes={clashing.has(document.name)}
      />
    ),
  },
  ...type_and_size,
  {
    key: "updated",
    header: strings.updated,
    kind: "tight",
    sort: "updated",
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
