/**
 * Routes of the console itself, at the root of the server: its page and files, the modules of
 * plugins, and the stream of changes.
 */
import {
  OneOf,
  event_stream_headers,
  lastEventId,
  named,
  route,
  t,
  type HandlersOf,
} from "../../core/sdk";
import { console_root } from "./contract";
import type { ChangeFeed } from "./change-feed";
import type { AddedModules } from "./plugin-modules";
import type { StaticFiles } from "./static-files";

const module_options = { description: "The path of its ES module." };
const plugin_options = { description: "The plugin that provides it." };
const PageRecord = named(
  "ConsolePage",
  t.Object({
    plugin: t.String(plugin_options),
    path: t.String({ description: "The page's address below `/console/`." }),
    title: t.String(),
    group: OneOf(["work", "developer", "admin"]),
    module: t.String(module_options),
  }),
);
const PanelRecord = t.Object({
  plugin: t.String(plugin_options),
  id: t.String(),
  where: OneOf(["document", "folder", "chat", "signin"], {
    description: "The kind of page that it is shown on.",
  }),
  title: t.String(),
  module: t.String(module_options),
});
const html = (description: string) => ({ description, media_type: "text/html" });

const change_example = {
  kind: "document",
  id: "doc_01KAJ2Z9Q4W7N8X5R3T6V1Y0BC",
  folder_id: "fld_01KAJ2Z9Q4W7N8X5R3T6V1Y0BC",
  action: "changed",
};
const stream_example = `id: 6f9619ff-7\nevent: change\ndata: ${JSON.stringify(change_example)}\n\n`;

export const routes = {
  root: route.get("/", {
    summary: "Redirect to the console",
    tag: "Pages",
    operation: "showRoot",
    root: true,
    answers: { 302: { description: "Redirects to the console." } },
  }),
  console: route.get(console_root, {
    summary: "Redirect to the console",
    tag: "Pages",
    operation: "showConsoleRoot",
    root: true,
    answers: { 302: { description: "Redirects to the console." } },
  }),
  site: route.get(`${console_root}/*`, {
    summary: "The console and its files",
    tag: "Pages",
    operation: "showConsole",
    root: true,
    answers: { 200: html("The page, or a file of it.") },
  }),
  pages: route.get("/pages", {
    summary: "List the pages that plugins add",
    tag: "Console",
    operation: "listPages",
    surface: "console",
    description:
      "In the order of their titles; those for administrators are shown to administrators only.",
    answers: {
      200: {
        description: "The pages.",
        schema: t.Array(PageRecord),
        example: [
          {
            plugin: "activity",
            path: "activity",
            title: "Activity",
            group: "work",
            module: `${console_root}/modules/pages/activity.js`,
          },
        ],
      },
    },
  }),
  panels: route.get("/panels", {
    summary: "List the panels that plugins add",
    tag: "Console",
    operation: "listPanels",
    surface: "console",
    public: true,
    description:
      "In the order of their titles. Whoever is not signed in is shown those of the sign-in page.",
    answers: {
      200: {
        description: "The panels.",
        schema: t.Array(PanelRecord),
        example: [
          {
            plugin: "outline",
            id: "outline",
            where: "document",
            title: "Outline",
            module: `${console_root}/modules/panels/outline/outline.js`,
          },
        ],
      },
    },
  }),
  changes: route.get("/changes", {
    summary: "Watch for changes",
    tag: "Console",
    operation: "watchChanges",
    surface: "console",
    description:
      "Server-sent events about the caller's records. `ready`: changes from now on follow. " +
      "`change`: `{kind, id, folder_id, action}`, where `action` is created, changed or " +
      "deleted.\n`reset`: some were missed, look at everything again. `closed`: the " +
      "session has ended. Every event has an id; `Last-Event-ID` goes on after it. A silent " +
      "stream sends a comment every 15 s.",
    query: t.Object({
      last_event_id: t.Optional(
        t.String({
          description: "The same as the header, for clients that can't send it.",
          examples: ["1"],
        }),
      ),
    }),
    request_headers: { "Last-Event-ID": "The last event that was seen." },
    answers: {
      200: {
        description: "The stream.",
        media_type: "text/event-stream",
        schema: t.String(),
        example: stream_example,
      },
    },
    errors: { 429: { too_many_streams: "The caller watches too many streams already." } },
  }),
};

/** What the routes of the console serve: files, pages and panels of plugins, and changes. */
export interface ConsoleRoutesOptions {
  readonly files: StaticFiles;
  readonly added: AddedModules;
  readonly feed: ChangeFeed;
}

export const handlers = ({
  files,
  added,
  feed,
}: ConsoleRoutesOptions): HandlersOf<typeof routes> => ({
  root: toConsole,
  // A router may treat `/console` and `/console/` as one path.
  console: ({ request }) =>
    pathOf(request) === console_root ? toConsole() : files.serve(request, pathOf(request)),
  site: ({ request }) => files.serve(request, pathOf(request)),
  pages: ({ caller, client }) =>
    added
      .pages()
      .filter(({ group }) => group !== "admin" || caller.admin)
      .map(({ plugin, path, title, group, module_path }) => ({
        plugin,
        path,
        title,
        group,
        module: client.base_path + module_path,
      })),
  panels: ({ caller, client }) =>
    added
      .panels()
      .filter(({ where }) => (where === "signin") === (caller.owner_id === ""))
      .map(({ plugin, id, where, title, module_path }) => ({
        plugin,
        id,
        where,
        title,
        module: client.base_path + module_path,
      })),
  changes: async ({ caller, isAllowed, query, request, stopping }) =>
    new Response(
      await feed.open({
        owner_id: caller.owner_id,
        isAllowed,
        last_event_id: lastEventId(request, query.last_event_id),
        signals: [request.signal, stopping],
      }),
      { headers: event_stream_headers },
    ),
});

const pathOf = (request: Request): string => new URL(request.url).pathname;
const toConsole = (): Response =>
  new Response(null, {
    status: 302,
    headers: { location: `${console_root}/`, "cache-control": "no-store" },
  });
