/** The page of one record: shows its heading while the record is loading, and when that fails. */
import type { ComponentChildren } from "preact";
import { PageHeader, type Crumb } from "./page-header";
import { Loading, type Loaded } from "./states";

interface RecordPageProps<T> {
  readonly query: Loaded<T>;
  /** The heading until the record is loaded. */
  readonly title: string;
  readonly crumbs?: readonly Crumb[];
  /** The whole page, with its own heading. */
  readonly children: (data: T) => ComponentChildren;
}

/** Its children, once the record is loaded. */
export function RecordPage<T>({ query, title, crumbs = [], children }: RecordPageProps<T>) {
  if (query.data !== undefined) return <>{children(query.data)}</>;
  return (
    <>
      <PageHeader title={title} crumbs={crumbs} />
      <section class="card">
        <Loading query={query}>{children}</Loading>
      </section>
    </>
  );
}
