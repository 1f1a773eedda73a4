/**
 * A page of one record: its heading is there while the record is on its way, and when it does not
 * come.
 */
import type { ComponentChildren } from "preact";
import { PageHeader, type Crumb } from "./page-header";
import { Loading, type Loaded } from "./states";

interface RecordPageProps<T> {
  readonly query: Loaded<T>;
  /** The heading until the record tells its own. */
  readonly title: string;
  readonly crumbs?: readonly Crumb[];
  /** The whole page, with its own heading. */
  readonly children: (data: T) => ComponentChildren;
}

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
