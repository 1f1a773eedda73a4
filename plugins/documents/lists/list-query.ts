/** Query parameters shared by several lists of documents. */
import { t } from "../../../core/sdk";
import { ListDirection, ListSort } from "./list-order";
import { FileType, Status } from "../record";

export const FolderQuery = t.Object({ folder_id: t.String({ description: "The folder." }) });

/** Selects documents of a folder. */
export const ListFilterQuery = t.Object({
  status: t.Optional(Status),
  type: t.Optional(FileType),
  name: t.Optional(
    t.String({
      description: "Only documents whose name contains this, in any case.",
      examples: ["survey"],
    }),
  ),
});

/** A list of the documents of a folder. */
export const ListQuery = t.Composite([
  FolderQuery,
  ListFilterQuery,
  t.Object({
    deleted: t.Optional(
      t.Boolean({
        description:
          "With `true`: the documents that were taken out of the folder and can be restored.",
      }),
    ),
    sort: t.Optional(ListSort),
    order: t.Optional(ListDirection),
  }),
]);
