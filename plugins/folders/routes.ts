/** The routes of folders: a schema in, one call to the service, a record out. */
import {
  check_errors,
  PageOf,
  PageQuery,
  reply,
  rfc3339,
  route,
  t,
  Timestamp,
  toPage,
  type HandlersOf,
  type Static,
  named,
  Nullable,
  RequiredText,
  TrimmedName,
  LimitedText,
  description_length_max,
} from "../../core/sdk";
import type { FolderService } from "./service";
import type { ListedFolder } from "./store";

const name_words = "Trimmed, not blank, at most 255 characters.";
const NewName = TrimmedName(name_words);
const Description = Nullable(
  LimitedText(description_length_max),
  "A note for people, at most 4,000 characters.",
);
const ParentId = t.Union([t.String(), t.Null()], {
  description:
    "The root folder that this one lies in; null for a root folder. Folders have two levels.",
});
const Count = (description: string) => t.Integer({ minimum: 0, description });

const NewFolder = named(
  "NewFolder",
  t.Object({
    name: NewName,
    description: t.Optional(Description),
    parentId: t.Optional(ParentId),
  }),
);
const FolderChange = named(
  "FolderChange",
  t.Object({ name: t.Optional(NewName), description: t.Optional(Description) }),
);
const FolderRecord = named(
  "Folder",
  t.Object({
    id: t.String({ description: "Opaque, starts with `fld_`." }),
    name: RequiredText(name_words),
    description: Description,
    parentId: ParentId,
    document_count: Count("Documents linked to this very folder, subfolders aside."),
    status_counts: named(
      "FolderStatusCounts",
      t.Object(
        {
          syncing: Count("Documents whose text is being indexed."),
          synced: Count("Documents that are found by search and chat."),
          sync_failed: Count("Documents whose text could not be indexed."),
        },
        { description: "The same documents by their status." },
      ),
    ),
    vectors_pending: Count(
      "Of these documents, those that wait for their vectors; until then words find them.",
    ),
    created_at: Timestamp("When it was created."),
    updated_at: Timestamp("When its name or description was last changed."),
  }),
);

const example: Static<typeof FolderRecord> = {
  id: "fld_01J9ZK3V6W8Q2T4Y5N7B1C0DEF",
  name: "Field reports",
  description: "What the crews send in.",
  parentId: null,
  document_count: 3,
  status_counts: { syncing: 1, synced: 2, sync_failed: 0 },
  vectors_pending: 1,
  created_at: "2026-03-01T09:30:00.000Z",
  updated_at: "2026-03-01T09:30:00.000Z",
};
const answer = (description: string) => ({ description, schema: FolderRecord, example });

export const routes = {
  list: route.get("/folders", {
    summary: "List folders",
    tag: "Folders",
    operation: "listFolders",
    description: "The caller's folders, root folders and subfolders alike, newest first.",
    query: PageQuery,
    answers: {
      200: {
        description: "One page of folders.",
        schema: PageOf(FolderRecord),
        example: toPage([example], 1, {}),
      },
    },
  }),
  create: route.post("/folders", {
    summary: "Create a folder",
    tag: "Folders",
    operation: "createFolder",
    description: "With `parentId` it becomes a subfolder of that root folder.",
    body: NewFolder,
    example: { name: example.name, description: example.description },
    answers: {
      201: {
        ...answer("The new folder."),
        headers: { location: "Path of the new folder." },
        links: {
          getFolder: { folderId: "id" },
          updateFolder: { folderId: "id" },
          deleteFolder: { folderId: "id" },
          listDocuments: { folder_id: "id" },
        },
      },
    },
    errors: {
      ...check_errors,
      403: { quota_exceeded: "The quota of folders is reached; the detail names it." },
      404: "The folder that `parentId` names could not be found.",
    },
  }),
  get: route.get("/folders/:folderId", {
    summary: "Get a folder",
    tag: "Folders",
    operation: "getFolder",
    answers: { 200: answer("The folder.") },
  }),
  change: route.put("/folders/:folderId", {
    summary: "Change a folder",
    tag: "Folders",
    operation: "updateFolder",
    description:
      "Replaces the fields that are given; a `description` of null is taken away. `parentId` " +
      "can't be changed.",
    body: FolderChange,
    example: { name: "Reports of the field crews" },
    answers: { 200: answer("The folder after the change.") },
  }),
  remove: route.delete("/folders/:folderId", {
    summary: "Delete a folder",
    tag: "Folders",
    operation: "deleteFolder",
    description:
      "Deletes the folder for good, with its subfolders, their search entries and every document " +
      "that is in no other folder.",
    answers: { 204: { description: "It is gone." } },
  }),
};

export const folderHandlers = (folders: FolderService): HandlersOf<typeof routes> => ({
  list: async ({ caller, query }) => {
    const { rows, total } = await folders.list(caller.owner_id, query);
    return toPage(rows.map(toRecord), total, query);
  },
  create: async ({ caller, body, request }) => {
    const folder = await folders.create(caller.owner_id, body, request.signal);
    return reply(201, toRecord(folder), { location: `/api/dev/v1/folders/${folder.id}` });
  },
  get: async ({ caller, params }) => toRecord(await folders.get(caller.owner_id, params.folderId)),
  change: async ({ caller, params, body }) =>
    toRecord(await folders.change(caller.owner_id, params.folderId, body)),
  remove: async ({ caller, params }) => {
    await folders.remove(caller.owner_id, params.folderId);
    return reply(204);
  },
});

/** The wire format of a folder. */
function toRecord({
  id,
  name,
  description,
  parent_id,
  syncing_count,
  synced_count,
  failed_count,
  vectors_pending,
  created_at,
  updated_at,
}: ListedFolder): Static<typeof FolderRecord> {
  const created = rfc3339(created_at);
  return {
    id,
    name,
    description,
    parentId: parent_id,
    document_count: syncing_count + synced_count + failed_count,
    status_counts: { syncing: syncing_count, synced: synced_count, sync_failed: failed_count },
    vectors_pending,
    created_at: created,
    updated_at: updated_at === created_at ? created : rfc3339(updated_at),
  };
}
