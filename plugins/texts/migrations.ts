/** The tables of texts: their pieces, and the texts that are unreferenced. */
import { rowKey, type Migration } from "../../core/sdk";

export const migrations: readonly Migration[] = [
  {
    id: "0001_texts",
    up: async (tx) => {
      await tx.schema
        .createTable("texts_pieces")
        .addColumn("id", rowKey(), (c) => c.primaryKey())
        .addColumn("first_unit", "integer", (c) => c.notNull())
        .addColumn("first_point", "integer", (c) => c.notNull())
        .addColumn("data", "text", (c) => c.notNull())
        .execute();
      // Being written, or waiting to be deleted.
      await tx.schema
        .createTable("texts_unused")
        .addColumn("id", rowKey(), (c) => c.primaryKey())
        .addColumn("units", "integer", (c) => c.notNull())
        .execute();
    },
  },
  {
    id: "0002_unused_node",
    up: async (tx) => {
      await tx.schema
        .alterTable("texts_unused")
        .addColumn("node", "text", (c) => c.notNull().defaultTo(""))
        .execute();
    },
  },
];
