/** The pages of the documentation, in the order of the navigation. */
import changelog from "../../CHANGELOG.md" with { type: "text" };
import contributing from "../../CONTRIBUTING.md" with { type: "text" };
import agents from "../../docs/agents.md" with { type: "text" };
import api from "../../docs/api.md" with { type: "text" };
import architecture from "../../docs/architecture.md" with { type: "text" };
import clients from "../../docs/clients.md" with { type: "text" };
import configuration from "../../docs/configuration.md" with { type: "text" };
import console from "../../docs/console.md" with { type: "text" };
import events from "../../docs/events.md" with { type: "text" };
import models from "../../docs/models.md" with { type: "text" };
import operations from "../../docs/operations.md" with { type: "text" };
import scale from "../../docs/scale.md" with { type: "text" };
import plugins from "../../docs/plugins.md" with { type: "text" };
import index from "../../docs/README.md" with { type: "text" };
import start from "../../docs/start.md" with { type: "text" };
import security from "../../SECURITY.md" with { type: "text" };

/** The source of a page. */
export interface Page {
  /** Below `/docs/`; empty for the first page, which is `/docs` itself. */
  readonly slug: string;
  /** Relative to the root of the project, so that relative links can be resolved. */
  readonly path: string;
  readonly markdown: string;
}

const page = (path: string, markdown: string): Page => ({
  path,
  markdown,
  slug:
    path === "docs/README.md"
      ? ""
      : path
          .replace(/^docs\//, "")
          .slice(0, -3)
          .toLowerCase(),
});

export const pages: readonly Page[] = [
  page("docs/README.md", index),
  page("docs/start.md", start),
  page("docs/console.md", console),
  page("docs/api.md", api),
  page("docs/events.md", events),
  page("docs/clients.md", clients),
  page("docs/agents.md", agents),
  page("docs/configuration.md", configuration),
  page("docs/models.md", models),
  page("docs/operations.md", operations),
  page("docs/scale.md", scale),
  page("docs/plugins.md", plugins),
  page("docs/architecture.md", architecture),
  page("CONTRIBUTING.md", contributing),
  page("SECURITY.md", security),
  page("CHANGELOG.md", changelog),
];
