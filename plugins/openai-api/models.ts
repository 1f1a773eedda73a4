/**
 * Models: each folder is one, by its id or its name, and `dossier` stands for all of them. Answers
 * come from the documents of the folder, whichever answerer writes them.
 */
import { type HttpError, route, t, type HandlersOf } from "../../core/sdk";
import {
  epoch_s,
  findFolders,
  folderPath,
  getFolder,
  listFolders,
  type Asked,
  type FolderRecord,
} from "../client/contract";
import { modelNotFound } from "./problems";

/** The model that stands for all folders. */
export const all_folders = "dossier";
/** Clients list all of them at once. */
const models_max = 1_000;
const tag = "OpenAI";

interface ModelRecord {
  readonly id: string;
  readonly object: "model";
  readonly created: number;
  readonly owned_by: "dossier";
  /** The display name, which front ends show. */
  readonly name: string;
  readonly description: string | null;
}
const all: ModelRecord = {
  id: all_folders,
  object: "model",
  created: 0,
  owned_by: "dossier",
  name: "All folders",
  description: "Answers from every folder.",
};

const Model = t.Object({
  id: t.String(),
  object: t.Literal("model"),
  created: t.Integer(),
  owned_by: t.String(),
  name: t.String(),
  description: t.Union([t.String(), t.Null()]),
});

export const modelRoutes = {
  models: route.get("/v1/models", {
    summary: "List models",
    tag,
    operation: "openAiListModels",
    surface: "openai",
    answers: {
      200: {
        description: "A model for all folders, then each folder.",
        schema: t.Object({ object: t.Literal("list"), data: t.Array(Model) }),
      },
    },
  }),
  model: route.get("/v1/models/:model", {
    summary: "Get a model",
    tag,
    operation: "openAiGetModel",
    surface: "openai",
    answers: { 200: { description: "The model.", schema: Model } },
  }),
};

export const modelHandlers: HandlersOf<typeof modelRoutes> = {
  models: async (call) => {
    const folders = await listFolders(call, models_max);
    const names = new Map(folders.map(({ id, name }) => [id, name]));
    return { object: "list", data: [all, ...folders.map((folder) => toModel(folder, names))] };
  },
  model: async (call) => {
    const folder = await folderOf(call, call.params.model);
    if (folder === null) return all;
    const names = new Map<string, string>();
    if (folder.parentId !== null)
      names.set(folder.parentId, (await getFolder(call, folder.parentId)).name);
    return toModel(folder, names);
  },
};

const toModel = (folder: FolderRecord, names: ReadonlyMap<string, string>): ModelRecord => ({
  id: folder.id,
  object: "model",
  created: epoch_s(folder.created_at),
  owned_by: "dossier",
  name: folderPath(folder, names),
  description: folder.description,
});
/**
 * The folder of a model, by id, by name (ignoring case), or by `parent/name`; null: all of them.
 * @throws HttpError 404 created by `missing`.
 */
export async function folderOf(
  call: Asked,
  model: string,
  missing: (named: string, reason: string) => HttpError = modelNotFound,
): Promise<FolderRecord | null> {
  if (model === all_folders) return null;
  const folders = await findFolders(call, model);
  if (folders.length === 1) return folders[0]!;
  throw missing(
    model,
    folders.length === 0
      ? `A model is the id or name of a folder, or \`${all_folders}\` for all folders. GET ` +
          "/v1/models lists them."
      : "Several folders have this name. Use an id instead " +
          `(${folders
            .slice(0, 10)
            .map(({ id }) => id)
            .join(", ")}).`,
  );
}
