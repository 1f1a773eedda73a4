/** The pages as served: rendered once, compressed once, revalidated by ETag. */
import { nextTurn } from "../../core/lib/chunked-work";
import { ServedText } from "../../core/lib/served-text";
import { basePathOf } from "../../core/sdk";
import { addressOf, missingHtml, page_policy, pageHtml, searchHtml, type Site } from "./layout";
import { renderPage, type RenderedPage } from "./markdown";
import { pages } from "./pages";
import style from "./style.css" with { type: "text" };

const html = "text/html; charset=utf-8";
const sitemap = "http://www.sitemaps.org/schemas/sitemap/0.9";
const query_letters_max = 200;

/** Serves the pages, the search and the files that they need. */
export class DocumentationSite {
  private readonly site: Site;
  private readonly served: ReadonlyMap<string, ServedText>;

  /** Renders all pages; requests are served between two of them. */
  static async open(public_url: string): Promise<DocumentationSite> {
    const base = basePathOf(public_url);
    const slugs = new Map(pages.map(({ path, slug }) => [path, slug]));
    const address = (path: string): string | null => {
      const slug = slugs.get(path);
      return slug === undefined ? null : addressOf(base, slug);
    };
    const rendered: RenderedPage[] = [];
    for (const page of pages) {
      await nextTurn();
      rendered.push(renderPage(page, address));
    }
    return new DocumentationSite({ base, pages: rendered }, public_url);
  }

  private constructor(site: Site, public_url: string) {
    this.site = site;
    const { base } = site;
    const map = pages.map(
      ({ slug }) => `<url><loc>${new URL(addressOf(base, slug), public_url)}</loc></url>`,
    );
    this.served = new Map([
      ...this.site.pages.map(
        (page) => [page.slug, new ServedText(pageHtml(this.site, page), html)] as const,
      ),
      ["style.css", new ServedText(style, "text/css; charset=utf-8")],
      [
        "sitemap.xml",
        new ServedText(
          `<?xml version="1.0" encoding="UTF-8"?>\n` +
            `<urlset xmlns="${sitemap}">${map.join("")}</urlset>\n`,
          "application/xml",
        ),
      ],
    ]);
  }

  /** Handles a GET of `/docs` or of a path below it. */
  async show(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    const slug = pathname.replace(/^\/docs\/?/, "");
    const served = this.served.get(slug);
    if (served) return withPolicy(await served.respond(request));
    if (slug === "search") {
      const query = (searchParams.get("q") ?? "").slice(0, query_letters_max);
      return this.respond(200, searchHtml(this.site, query));
    }
    return this.respond(404, missingHtml(this.site));
  }

  private respond(status: number, body: string): Response {
    const headers = { "content-type": html, "cache-control": "no-store" };
    return withPolicy(new Response(body, { status, headers }));
  }
}

function withPolicy(response: Response): Response {
  response.headers.set("content-security-policy", page_policy);
  return response;
}
