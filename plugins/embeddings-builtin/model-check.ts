/** A health check: whether the models in the data directory are as they were put there. */
import { ok, type CheckResult, type SystemCheck } from "../doctor/contract";
import { missing, problemOf } from "./model-files";
import type { Models } from "./models";

/** Compares sizes; with `deep` hashes, too. */
export const modelCheck = (models: Pick<Models, "list">): SystemCheck => ({
  name: "Models",
  run: async () => examine(models, { with_hash: false }),
  deep: async () => examine(models, { with_hash: true }),
});

/** The bundled model may be missing: it is copied when it is needed. */
function examine(
  models: Pick<Models, "list">,
  options: { readonly with_hash: boolean },
): CheckResult {
  const problems = models
    .list()
    .map((model) => ({ ...model, problem: problemOf(model, options) }))
    .filter(({ source, problem }) => problem !== null && !(source && problem === missing));
  const [first] = problems;
  if (first === undefined) return ok("The models of the built-in encoder are complete.");
  return {
    status: "fail",
    detail: `${problems.map(({ path, problem }) => `${path} ${problem}`).join("; ")}.`,
    fix: problems.every(({ source }) => source !== null)
      ? "Delete the file, and restart the server, which copies it again."
      : "Add the model again: dossier model add FILE. Then restart the server.",
  };
}
