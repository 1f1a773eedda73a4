/** The database as the stores hand it out: without the ways of Kysely to begin a transaction. */
import { Kysely } from "kysely";

/** All writes go through `Store.inTransaction`, because only that opens a scope. */
export class DatabaseRoot extends Kysely<any> {
  /** @throws Error always */
  override transaction(): never {
    throw new Error("use `inTransaction`, not `db.transaction()`");
  }
  /** @throws Error always */
  override startTransaction(): never {
    throw new Error("use `inTransaction`, not `db.startTransaction()`");
  }
  /** @throws Error always: statements outside transactions may run on any connection */
  override connection(): never {
    throw new Error("use the database or `inTransaction`, not `db.connection()`");
  }
}
