/** Which page of a list is shown, and the buttons for the previous and the next one. */
import type { Pagination } from "../api/types";
import { common_strings as strings } from "../strings/common";
import { Button } from "./button";

/** Nothing when there is only one page. */
export function Pager({
  page,
  pagination,
  onPage,
}: {
  readonly page: number;
  readonly pagination: Pagination;
  readonly onPage: (page: number) => void;
}) {
  const { total, per_page, total_pages, count } = pagination;
  if (total_pages <= 1 && page === 1) return null;
  const first_row = (page - 1) * per_page + 1;
  return (
    <nav class="pager" aria-label={strings.pages}>
      <span aria-live="polite">
        {count === 0
          ? strings.no_rows(total)
          : strings.rows(first_row, first_row + count - 1, total)}
      </span>
      <span class="row">
        <Button
          small
          icon="chevron-left"
          disabled={page <= 1}
          onClick={() => onPage(Math.min(page - 1, Math.max(1, total_pages)))}
        >
          {strings.previous}
        </Button>
        <Button small disabled={page >= total_pages} onClick={() => onPage(page + 1)}>
          {strings.next}
        </Button>
      </span>
    </nav>
  );
}
