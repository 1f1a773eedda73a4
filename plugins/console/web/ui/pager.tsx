/** Which part of a long list is shown, and the way to the rest. */
import type { Pagination } from "../api/types";
import { words } from "../words/en";
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
  const first = (page - 1) * per_page + 1;
  return (
    <nav class="pager" aria-label={words.pages}>
      <span aria-live="polite">
        {count === 0 ? words.no_rows(total) : words.rows(first, first + count - 1, total)}
      </span>
      <span class="row">
        <Button
          small
          icon="chevron-left"
          disabled={page <= 1}
          onClick={() => onPage(Math.min(page - 1, Math.max(1, total_pages)))}
        >
          {words.previous}
        </Button>
        <Button small disabled={page >= total_pages} onClick={() => onPage(page + 1)}>
          {words.next}
        </Button>
      </span>
    </nav>
  );
}
