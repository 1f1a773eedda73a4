/** The pagination envelope of every list response. */
import { Type, type TSchema } from "@sinclair/typebox";
import type { ListedInParts } from "../store/listing";
import { named, Nullable } from "./schemas";

const per_page_default = 50;
const per_page_max = 200;

/** Query fields of every list. `per_page` above the maximum is clamped, not refused. */
export const PageQuery = Type.Object({
  page: Type.Optional(
    Type.Integer({ minimum: 1, default: 1, description: "1-based page number." }),
  ),
  per_page: Type.Optional(
    Type.Integer({
      minimum: 1,
      default: per_page_default,
      description: `Items per page; above ${per_page_max} means ${per_page_max}.`,
    }),
  ),
});

/** Taken from the query; both fields are optional. */
export interface PageRequest {
  readonly page?: number | undefined;
  readonly per_page?: number | undefined;
}
/** The body of a list response. */
export interface Page<T> {
  data: T[];
  pagination: {
    count: number;
    total: number;
    per_page: number;
    total_pages: number;
    next_page: number | null;
    previous_page: number | null;
  };
}
type PaginationRecord = Page<unknown>["pagination"];

/** The position of the page: `limit` rows after `offset`. */
export const pageWindow = ({ page = 1, per_page = per_page_default }: PageRequest) => {
  const limit = Math.min(per_page, per_page_max);
  return { page, limit, offset: Math.min((page - 1) * limit, Number.MAX_SAFE_INTEGER) };
};

/** Wraps one page of rows. `total` counts the whole list. */
export const toPage = <T>(data: T[], total: number, request: PageRequest): Page<T> => ({
  data,
  pagination: toPagination(data.length, total, request),
});

function toPagination(count: number, total: number, request: PageRequest): PaginationRecord {
  const { page, limit } = pageWindow(request);
  const total_pages = Math.ceil(total / limit);
  return {
    count,
    total,
    per_page: limit,
    total_pages,
    next_page: page < total_pages ? page + 1 : null,
    previous_page: page > 1 && total_pages > 0 ? Math.min(page - 1, total_pages) : null,
  };
}

/** One page of rows that may be long: they are read, and become JSON, as the client receives it. */
export class LongPage<Row> {
  constructor(
    private readonly listed: ListedInParts<Row>,
    private readonly request: PageRequest,
    private readonly toRecord: (row: Row) => unknown,
  ) {}

  /** The same JSON as of a `Page`, in pieces. */
  async *json(): AsyncGenerator<string, void> {
    let count = 0;
    yield '{"data":[';
    for await (const rows of this.listed.parts) {
      const records = rows.map((row) => JSON.stringify(this.toRecord(row))).join(",");
      if (rows.length > 0) yield count === 0 ? records : `,${records}`;
      count += rows.length;
    }
    const pagination = toPagination(count, this.listed.total, this.request);
    yield `],"pagination":${JSON.stringify(pagination)}}`;
  }
}

const Pagination = named(
  "Pagination",
  Type.Object({
    count: Type.Integer({ minimum: 0, maximum: per_page_max, description: "Items in this page." }),
    total: Type.Integer({ minimum: 0, description: "Items in the whole list." }),
    per_page: Type.Integer({ minimum: 1, maximum: per_page_max, description: "Size in effect." }),
    total_pages: Type.Integer({ minimum: 0 }),
    next_page: Nullable(Type.Integer({ minimum: 2 })),
    previous_page: Nullable(Type.Integer({ minimum: 1 })),
  }),
);

/** The schema of a page of `item`; named after it, if that has a name: `NotePage`. */
export function PageOf<S extends TSchema>(item: S) {
  const page = Type.Object({
    data: Type.Array(item, { maxItems: per_page_max }),
    pagination: Pagination,
  });
  return item.$id === undefined ? page : named(`${item.$id}Page`, page);
}
