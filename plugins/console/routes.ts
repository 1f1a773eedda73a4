/** The HTTP face of the console itself: its page at the root of the server, and what the page asks about plugins. */
import { route, t, type HandlersOf } from "../../core/sdk";
import { console_root, type ConsolePage } from "./contract";
import { modulePath, type Site } from "./site";

const PageRecord = t.Object({
  path: t.String({ description: "The page's address below `/console/`." }), title: t.String(),
  group: t.Union([t.Literal("work"), t.Literal("developer"), t.Literal("admin")]),
  module: t.String({ description: "The path of its ES module." }),
});
const html = (description: string) => ({ description, media_type: "text/html" });

export const routes = {
  root: route.get("/", { summary: "Leads to the console", tag: "Pages", operation: "showRoot", root: true, answers: { 302: { description: "To the console." } } }),
  console: route.get(console_root, { summary: "Leads to the console", tag: "Pages", operation: "showConsoleRoot", root: true, answers: { 302: { description: "To the console." } } }),
  site: route.get(`${console_root}/*`, { summary: "The console and its files", tag: "Pages", operation: "showConsole", root: true, answers: { 200: html("The page, or a file of it.") } }),
  pages: route.get("/pages", {
    summary: "List the pages that plugins add", tag: "Console", operation: "listPages", surface: "console",
    description: "In the order of their titles; those for administrators are shown to administrators only.",
    answers: { 200: { description: "The pages.", schema: t.Array(PageRecord), example: [{ path: "activity", title: "Activity", group: "work", module: `${console_root}/plugins/activity.js` }] } },
  }),
};

export const handlers = (site: Site, pages: () => readonly ConsolePage[]): HandlersOf<typeof routes> => ({
  root: toConsole,
  // A router may take both spellings for one.
  console: ({ request }) => pathOf(request) === console_root ? toConsole() : site(request, pathOf(request)),
  site: ({ request }) => site(request, pathOf(request)),
  pages: ({ caller }) => pages().filter(({ group }) => group !== "admin" || caller.admin).toSorted((a, b) => a.title.localeCompare(b.title))
    .map((page) => ({ path: page.path, title: page.title, group: page.group, module: modulePath(page) })),
});

const pathOf = (request: Request): string => new URL(request.url).pathname;
const toConsole = (): Response => new Response(null, { status: 302, headers: { location: `${console_root}/`, "cache-control": "no-store" } });
