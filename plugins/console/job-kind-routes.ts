/** The queue by kinds of jobs, for administrators: how many wait, run and failed, and why. */
import { route, rfc3339OrNull, t, type Context, type HandlersOf } from "../../core/sdk";

const surface = "console";
const KindRecord = t.Object({
  plugin: t.String(),
  name: t.String(),
  ready: t.Integer({ description: "Waiting, those for a later time too." }),
  running: t.Integer(),
  failed: t.Integer({ description: "Failed for good, as long as they are kept." }),
  first_run_at: t.Union([t.String({ format: "date-time" }), t.Null()], {
    description: "When the first of those that wait was, or is, to run.",
  }),
  reasons: t.Array(t.Object({ error: t.String(), jobs: t.Integer() }), {
    description: "Why jobs of this kind failed, the most frequent first; five at most.",
  }),
});
const KindBody = t.Object({
  plugin: t.String({ description: "As in the list." }),
  name: t.String({ description: "As in the list." }),
});
const Retried = t.Object({
  retried: t.Integer({ description: "Run again, or what they were for is at work again." }),
  left: t.Integer({ description: "Can't be run again; what they were for says how." }),
  more: t.Boolean({
    description: "There are more than one call takes: ask again, as long as some are retried.",
  }),
});

export const jobKindRoutes = {
  jobKinds: route.get("/system/job-kinds", {
    summary: "Count jobs by kind",
    tag: "System",
    operation: "listJobKinds",
    surface,
    admin: true,
    answers: {
      200: {
        description: "Kinds with jobs that wait, run or failed.",
        schema: t.Array(KindRecord),
        example: [
          {
            plugin: "documents",
            name: "documents.index",
            ready: 12,
            running: 2,
            failed: 1,
            first_run_at: "2026-11-21T09:30:00.000Z",
            reasons: [{ error: "The reader was silent for too long.", jobs: 1 }],
          },
        ],
      },
    },
  }),
  retryKind: route.post("/system/job-kinds/retry", {
    summary: "Run the failed jobs of a kind again",
    tag: "System",
    operation: "retryJobKind",
    surface,
    admin: true,
    body: KindBody,
    example: { plugin: "documents", name: "documents.index" },
    answers: {
      200: {
        description: "What became of them.",
        schema: Retried,
        example: { retried: 12, left: 0, more: false },
      },
    },
  }),
};

export const jobKindHandlers = ({
  operations,
}: Pick<Context, "operations">): HandlersOf<typeof jobKindRoutes> => ({
  jobKinds: async () => {
    const [counts, reasons] = await Promise.all([
      operations.jobs.kinds(),
      operations.jobs.reasons(),
    ]);
    const kinds = Map.groupBy(counts, ({ plugin, name }) => `${plugin}/${name}`);
    return [...kinds.values()].map((of_kind) => {
      const { plugin, name } = of_kind[0]!;
      const at = (state: string) => of_kind.find((one) => one.state === state);
      return {
        plugin,
        name,
        ready: at("ready")?.jobs ?? 0,
        running: at("running")?.jobs ?? 0,
        failed: at("failed")?.jobs ?? 0,
        first_run_at: rfc3339OrNull(at("ready")?.first_run_at ?? null),
        reasons: reasons
          .filter((one) => one.plugin === plugin && one.name === name)
          .slice(0, 5)
          .map(({ error, jobs }) => ({ error, jobs })),
      };
    });
  },
  retryKind: ({ body }) => operations.jobs.retryKind(body),
});
