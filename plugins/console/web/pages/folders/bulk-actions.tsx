/** Actions on all selected documents: those of this page, or all that match the filter. */
import { apiUrl } from "../../api/client";
import { Button, IconButton } from "../../ui/button";
import { Icon } from "../../ui/icons";
import { folder_strings } from "../../strings/folders";
import { runBulkAction } from "./bulk";
import type { DocumentSelection } from "./selection";
import { reindex, removeFromFolder } from "./document-actions";

const strings = folder_strings.actions_of_document;
/** The most documents in one archive. */
const zip_max = 50_000;
const titles = folder_strings.bulk.titles;

/** The bar above the list while documents are selected. */
export function BulkActions({
  chosen,
  folder_id,
  removed,
  all,
  total,
  onAll,
  onPlace,
  onClear,
}: {
  readonly chosen: DocumentSelection;
  readonly folder_id: string;
  readonly removed: boolean;
  /** All documents of the list are selected, including those on other pages. */
  readonly all: boolean;
  readonly total: number;
  /** Absent if there are no others to select. */
  readonly onAll: (() => void) | undefined;
  readonly onPlace: () => void;
  readonly onClear: () => void;
}) {
  const clearAfter = (work: Promise<unknown>) => void work.then(onClear);
  return (
    <div class="bulk" role="region" aria-label={strings.bulk}>
      <span class="strong nowrap" aria-live="polite">
        {all ? strings.all_selected(chosen.count) : strings.selected(chosen.count)}
      </span>
      {onAll && (
        <button type="button" class="link-button nowrap" onClick={onAll}>
          {strings.select_all(total)}
        </button>
      )}
      <span class="row row-wrap grow">
        {removed ? (
          <Button
            small
            icon="restore"
            onClick={() =>
              clearAfter(runBulkAction(chosen, { action: "restore", folder_id }, titles.restoring))
            }
          >
            {folder_strings.page.restore}
          </Button>
        ) : (
          <Actions
            chosen={chosen}
            folder_id={folder_id}
            onPlace={onPlace}
            clearAfter={clearAfter}
          />
        )}
      </span>
      <IconButton label={strings.clear} icon="close" small onClick={onClear} />
    </div>
  );
}

function Actions({
  chosen,
  folder_id,
  onPlace,
  clearAfter,
}: {
  readonly chosen: DocumentSelection;
  readonly folder_id: string;
  readonly onPlace: () => void;
  readonly clearAfter: (work: Promise<unknown>) => void;
}) {
  return (
    <>
      <Button small icon="folder" onClick={onPlace}>
        {strings.place}
      </Button>
      {chosen.count <= zip_max ? (
        <a
          class="button button-small"
          href={apiUrl(`/folders/${folder_id}/documents.zip`, chosen.query)}
          download
        >
          <Icon name="download" size={16} />
          {strings.zip}
        </a>
      ) : (
        <span class="small muted">{strings.zip_too_many(zip_max)}</span>
      )}
      <Button small icon="refresh" onClick={() => clearAfter(reindex(chosen))}>
        {strings.reindex}
      </Button>
      <Button
        small
        kind="danger"
        icon="remove"
        onClick={() => clearAfter(removeFromFolder(chosen, folder_id))}
      >
        {strings.remove}
      </Button>
    </>
  );
}
