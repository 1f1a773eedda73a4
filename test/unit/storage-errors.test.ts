/** Responses to requests when the storage or the operating system fails. */
import { expect, test } from "bun:test";
import { HttpError } from "../../core/base/errors";
import { errorFor } from "../../core/http/problem";
import { translateError } from "../../core/store/storage-errors";

const coded = (code: string) => Object.assign(new Error(code), { code });
const ofPostgres = (errno: string) =>
  Object.assign(new Error(errno), { code: "ERR_POSTGRES_SERVER_ERROR", errno });
const routes: Readonly<Record<string, any>> = {
  read: { method: "GET" },
  search: { method: "POST", scope: "read" },
  change: { method: "POST" },
};

test.each([
  ["a read is not told about saving", coded("EMFILE"), "read", 503, false],
  ["nor is a search, although it is a POST", coded("EMFILE"), "search", 503, false],
  ["a change is", coded("EMFILE"), "change", 503, true],
  ["a search without the database", ofPostgres("57P01"), "search", 503, false],
  ["a change without the database", ofPostgres("57P01"), "change", 503, true],
  ["a change on a full disk", coded("ENOSPC"), "change", 507, true],
  ["a change on a full disk of PostgreSQL", ofPostgres("53100"), "change", 507, true],
] as const)("%s", (_, error, route, status, is_told) => {
  const shown_error = errorFor(translateError(error), routes[route]) as HttpError;
  expect(shown_error).toBeInstanceOf(HttpError);
  expect(shown_error.status).toBe(status);
  expect(shown_error.detail.includes("Nothing was saved.")).toBe(is_told);
});

test("a full disk of PostgreSQL is not said to be freed by deleting", () => {
  const { detail } = translateError(ofPostgres("53100")) as HttpError;
  expect(detail).toContain("nothing can be deleted");
});
