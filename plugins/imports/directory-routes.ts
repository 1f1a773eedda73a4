/** The route that lists the directories allowed for imports. */
import { named, route, t, type HandlersOf } from "../../core/sdk";
import { offeredDirectories } from "./sources/directory";

export const directoryRoutes = {
  directories: route.get("/import-directories", {
    summary: "List directories that may be imported",
    tag: "Imports",
    operation: "listImportDirectories",
    description:
      "Those of this server that the operator allows (`imports.directories`) and that are there, " +
      "each followed by the directories right below it. Those below these may be imported, too.",
    answers: {
      200: {
        description: "Absolute paths; none when no directory is allowed.",
        schema: named("ImportDirectories", t.Object({ directories: t.Array(t.String()) })),
        example: { directories: ["/srv/reports", "/srv/reports/2026"] },
      },
    },
  }),
};

export const directoryHandlers = (
  allowed: readonly string[],
): HandlersOf<typeof directoryRoutes> => ({
  directories: async () => ({ directories: await offeredDirectories(allowed) }),
});
