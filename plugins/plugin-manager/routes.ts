/** The console's routes for plugins; administrators only. */
import {
  forbidden,
  Nullable,
  plugin_bytes_max,
  receiveFile,
  reply,
  route,
  t,
  type Context,
  type HandlersOf,
  named,
} from "../../core/sdk";
import type { PluginDetails, PluginManager } from "./service";

const tag = "Plugins";
const surface = "console";
const one_of = <T extends string>(values: readonly T[]) => values.map((value) => t.Literal(value));

const row_fields = {
  name: t.String(),
  version: Nullable(t.String(), "Null when its file can't be imported, or was not."),
  built_in: t.Boolean(),
  file: Nullable(t.String(), "Where it was loaded from; null when it is built in."),
  sha256: Nullable(t.String(), "Of the file as it is now; null when it is gone."),
  status: named(
    "PluginState",
    t.Union(one_of(["loaded", "failing", "left_out", "disabled", "not_loaded"]), {
      description: "`not_loaded`: its file came after the server was started.",
    }),
  ),
  reason: Nullable(t.String(), "Why it does not run, or what it complains of."),
  next_start: Nullable(
    named("NextStart", t.Union(one_of(["added", "replaced", "removed", "enabled", "disabled"]))),
    "What the next start of the server changes.",
  ),
};
const PluginRecord = named("Plugin", t.Object(row_fields));
const row_example = {
  name: "activity",
  version: "1.0.0",
  built_in: false,
  file: "/var/lib/dossier/plugins/activity.ts",
  sha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  status: "loaded",
  reason: null,
  next_start: null,
};
const Names = t.Array(t.String());
const DetailsRecord = t.Object({
  ...row_fields,
  section: Nullable(t.String(), "Of its settings: those of `GET /settings` with it before a dot."),
  needs: Names,
  provides: Names,
  reads: t.Array(t.String(), { description: "Slots that it reads." }),
  fills: t.Array(t.String(), { description: "Slots that it fills, once for each value." }),
  routes: t.Array(t.Object({ method: t.String(), path: t.String(), summary: t.String() })),
  jobs: t.Array(t.String(), { description: "Jobs that it does, and events that it follows." }),
  schedules: t.Array(t.Object({ cron: t.String(), job: t.String() })),
  events: t.Array(t.String(), { description: "Events that it tells of." }),
  tables: t.Array(t.Object({ name: t.String(), rows: t.Integer() })),
  commands: Names,
});

const params = { pluginName: row_example.name };
const overruled = { overruled: "dossier.toml or the environment says what is disabled." };
const not_allowed = {
  not_allowed: "Plugins are neither added nor removed in the console of this server.",
};

export const routes = {
  list: route.get("/plugins", {
    summary: "List plugins",
    tag,
    operation: "listPlugins",
    surface,
    admin: true,
    description: "Built-in ones too, by name.",
    answers: {
      200: {
        description: "The plugins.",
        schema: t.Object({
          data: t.Array(PluginRecord),
          directory: t.String({ description: "Where plugin files lie." }),
          installs: t.Boolean({
            description:
              "Files may be added, replaced and removed here: `plugins.install_in_console`.",
          }),
        }),
        example: {
          data: [row_example],
          directory: "/var/lib/dossier/plugins",
          installs: false,
        },
      },
    },
  }),
  get: route.get("/plugins/:pluginName", {
    params,
    summary: "What a plugin is made of",
    tag,
    operation: "getPlugin",
    surface,
    admin: true,
    description:
      "One that is not loaded is tried out for this, on scratch data. Its settings are those of " +
      "`GET /settings` and can be set before it is loaded.",
    answers: {
      200: {
        description: "The plugin.",
        schema: DetailsRecord,
        example: {
          ...row_example,
          section: "activity",
          needs: ["documents"],
          provides: [],
          reads: [],
          fills: ["documents.uses", "console.pages"],
          routes: [
            { method: "GET", path: "/api/dev/v1/activity", summary: "List recent activity" },
          ],
          jobs: ["documents.settled", "activity.prune"],
          schedules: [{ cron: "17 3 * * *", job: "activity.prune" }],
          events: [],
          tables: [{ name: "activity", rows: 12 }],
          commands: [],
        },
      },
    },
  }),
  enable: route.post("/plugins/:pluginName/enable", {
    params,
    summary: "Enable a plugin",
    tag,
    operation: "enablePlugin",
    surface,
    admin: true,
    description: "The next start of the server loads it.",
    answers: { 204: { description: "It is enabled." } },
    errors: { 409: overruled },
  }),
  disable: route.post("/plugins/:pluginName/disable", {
    params,
    summary: "Disable a plugin",
    tag,
    operation: "disablePlugin",
    surface,
    admin: true,
    description: "Also one that is built in. The next start of the server runs without it.",
    answers: { 204: { description: "It is disabled." } },
    errors: {
      409: { ...overruled, needed: "Others need it." },
    },
  }),
  add: route.post("/plugins", {
    summary: "Add a plugin",
    tag,
    operation: "addPlugin",
    surface,
    admin: true,
    description:
      "A multipart body with one part `file`: a plugin in one file, `.ts` or `.js`. It is tried " +
      "out on scratch data first; the next start of the server loads it. Refused unless " +
      "`plugins.install_in_console` is set, which only whoever starts the server can do.",
    query: t.Object({
      replace: t.Optional(
        t.Boolean({ default: false, description: "In the place of the one with the same name." }),
      ),
      sha256: t.Optional(
        t.String({
          pattern: "^[0-9a-fA-F]{64}$",
          description: "What the file must have.",
          examples: [row_example.sha256],
        }),
      ),
    }),
    body: { multipart: { part: "file", description: "The plugin." } },
    body_bytes_max: plugin_bytes_max + 2 ** 20,
    answers: {
      201: {
        description: "It is there, and waits for the next start.",
        schema: t.Object({
          name: t.String(),
          version: t.String(),
          file: t.String(),
          sha256: t.String(),
        }),
        example: {
          name: row_example.name,
          version: row_example.version,
          file: row_example.file,
          sha256: row_example.sha256,
        },
      },
    },
    errors: {
      400: { bad_plugin: "It can't run here.", wrong_sha256: "It is another file." },
      403: not_allowed,
      409: { name_taken: "A plugin has this name already." },
    },
  }),
  remove: route.delete("/plugins/:pluginName", {
    params,
    summary: "Remove a plugin",
    tag,
    operation: "removePlugin",
    surface,
    admin: true,
    description: "Takes its file away. Its data stays; `dossier plugin remove --purge` deletes it.",
    answers: { 204: { description: "Its file is gone; it runs until the server is restarted." } },
    errors: {
      403: not_allowed,
      409: { built_in: "It is built in." },
    },
  }),
};

/** What the routes need besides `Context`. */
export interface ManagerRoutesContext extends Pick<Context, "files" | "operations"> {
  readonly manager: PluginManager;
  /** Whether plugin files may be changed here. */
  readonly installs: () => boolean;
}

export function managerHandlers({
  files,
  operations,
  manager,
  installs,
}: ManagerRoutesContext): HandlersOf<typeof routes> {
  const requireInstalls = (): void => {
    if (!installs())
      throw forbidden(
        "Adding and removing plugins in the console is off. Use `dossier plugin`, or set " +
          "plugins.install_in_console in dossier.toml and restart the server.",
        "not_allowed",
      );
  };
  return {
    list: async () => ({
      data: await manager.list("server"),
      directory: operations.plugin_files.directory,
      installs: installs(),
    }),
    get: async ({ params }) => detailsRecord(await manager.details(params.pluginName, "server")),
    enable: async ({ params }) => {
      await manager.setEnabled(params.pluginName, true);
      return reply(204);
    },
    disable: async ({ params }) => {
      await manager.setEnabled(params.pluginName, false);
      return reply(204);
    },
    add: async ({ request, query, about }) => {
      requireInstalls();
      const { received, name: shown } = await receiveFile(request, files, {
        part: "file",
        bytes_max: plugin_bytes_max,
        admit: async () => {},
      });
      try {
        const bytes = await Bun.file(received.path).bytes();
        const added = await manager.add({
          bytes,
          shown,
          replace: query.replace ?? false,
          sha256: query.sha256 ?? null,
        });
        about(added.name);
        const { name, version, file, sha256 } = added;
        return reply(201, { name, version, file, sha256 });
      } finally {
        await received.release();
      }
    },
    remove: async ({ params }) => {
      requireInstalls();
      await manager.remove(params.pluginName);
      return reply(204);
    },
  };
}

function detailsRecord({ made_of, settings: _, ...row }: PluginDetails) {
  return {
    ...row,
    section: made_of?.section ?? null,
    needs: [...(made_of?.needs ?? [])],
    provides: [...(made_of?.provides ?? [])],
    reads: [...(made_of?.reads ?? [])],
    fills: [...(made_of?.fills ?? [])],
    routes: [...(made_of?.routes ?? [])],
    jobs: [...(made_of?.jobs ?? [])],
    schedules: [...(made_of?.schedules ?? [])],
    events: [...(made_of?.events ?? [])],
    commands: [...(made_of?.commands ?? [])],
    tables: [...row.tables],
  };
}
