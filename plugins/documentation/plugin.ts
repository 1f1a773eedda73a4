/**
 * `/docs`: the documentation that is built into this executable. It needs no sign-in and no script.
 */
import { definePlugin, route, t } from "../../core/sdk";
import type { DocumentationSite } from "./site";

const html = (description: string) => ({
  description,
  schema: t.String(),
  media_type: "text/html; charset=utf-8",
});

const routes = {
  index: route.get("/docs", {
    summary: "The documentation",
    tag: "Pages",
    operation: "showDocumentation",
    root: true,
    answers: { 200: html("Its first page.") },
  }),
  page: route.get("/docs/*", {
    summary: "A page of the documentation",
    tag: "Pages",
    operation: "showDocumentationPage",
    root: true,
    answers: { 200: html("The page, its style, the search or the site map."), 404: html("None.") },
  }),
};

export default definePlugin({
  name: "documentation",
  version: "1.0.0",
  routes,
  setup: ({ public_url }) => {
    let opened: Promise<DocumentationSite> | undefined;
    const show = async ({ request }: { readonly request: Request }): Promise<Response> => {
      // Rendered on first use, so that the server starts faster.
      opened ??= import("./site").then((site) => site.DocumentationSite.open(public_url()));
      return (await opened).show(request);
    };
    return { routes: { index: show, page: show } };
  },
});
