/** Sources that are lists of addresses: given by the caller, a sitemap, a feed. */
import { counted } from "../../../core/lib/counted";
import { t } from "../../../core/sdk";
import { items_max } from "../limits";
import type { ChildContext } from "../child/tasks";
import { SourceFailure, type ImportSource, type SourceItem, type SourceTools } from "../contract";
import type { Listed } from "../child/address-lists";
import type { SitemapLine } from "../child/entry-writer";
import { openListing, type Listing } from "./entry-reader";
import { Address, Addresses, requireAddress, requireSomeAddress } from "./addresses";

/** The maximum number of addresses given by a caller. */
const urls_max = 10_000;

/** The source `urls`. */
export const urlsSource: ImportSource<{ readonly urls: readonly string[] }> = {
  type: "urls",
  description: "A list of web addresses.",
  schema: t.Object({
    urls: Addresses(
      urls_max,
      "Absolute http or https addresses. What is none is an item that fails, beside one that is.",
    ),
  }),
  check: async ({ urls }) => requireSomeAddress(urls, "/source/urls"),
  async *items({ urls }) {
    for (const uri of urls) yield { uri };
  },
};

const feed_bytes_max = 50 * 2 ** 20;
interface FeedHead {
  readonly base: string | null;
  readonly omitted: number;
}

/** The source `feed`. */
export const feedSource = (ctx: ChildContext): ImportSource<{ readonly url: string }> => ({
  type: "feed",
  description: "A feed (RSS, Atom or JSON Feed): the pages that its entries lead to.",
  schema: t.Object({ url: Address("Where it lies.") }),
  check: async ({ url }) => requireAddress(url, "/source/url"),
  async *items({ url }, tools) {
    const file = await tools.fetch(url, { bytes_max: feed_bytes_max, robots: false });
    const input = {
      path: file.path,
      charset: null,
      bytes_max: feed_bytes_max,
      entries_max: items_max,
    };
    const { head, lines, release } = await openListing<Listed, FeedHead>(
      ctx,
      tools,
      "the feed",
      (output, limits) => ctx.isolate("feed", { ...input, output }, limits),
    ).finally(() => file.release());
    try {
      const base = head.base === null ? file.url : absolute(head.base, file.url);
      let count = 0;
      for await (const { url: address, title } of lines) {
        count++;
        if (address === null)
          yield { uri: `${url}#entry-${count}`, error: "This entry of the feed has no address." };
        else yield { uri: absolute(address, base), ...(title === null ? {} : { name: title }) };
      }
      if (head.omitted > 0)
        yield {
          uri: `${url}#left`,
          error:
            `The feed has ${counted(head.omitted, "entry", "entries")} more than the limit of ` +
            `${items_max}.`,
        };
    } finally {
      await release();
    }
  },
});

/** The limit of the sitemap protocol. */
const sitemap_bytes_max = 50 * 2 ** 20;
const sitemaps_max = 1_000;

interface OpenSitemap extends Listing<SitemapLine, { readonly omitted: number }> {
  /** The final address. */
  readonly at: string;
}

async function openSitemap(
  ctx: ChildContext,
  url: string,
  tools: SourceTools,
): Promise<OpenSitemap> {
  const file = await tools.fetch(url, { bytes_max: sitemap_bytes_max, robots: false });
  try {
    const input = {
      path: file.path,
      charset: null,
      bytes_max: sitemap_bytes_max,
      entries_max: items_max,
    };
    const listing = await openListing<SitemapLine, OpenSitemap["head"]>(
      ctx,
      tools,
      "the sitemap",
      (output, limits) => ctx.isolate("sitemap", { ...input, output }, limits),
    );
    return { ...listing, at: file.url };
  } finally {
    await file.release();
  }
}

/** The pages of a sitemap, or of all sitemaps in an index. */
async function* pagesOf(
  ctx: ChildContext,
  { url }: { readonly url: string },
  tools: SourceTools,
): AsyncGenerator<SourceItem> {
  const queue = new Sitemaps(url);
  for (const address of queue.all) {
    const sitemap = await openSitemap(ctx, address, tools).catch((error: unknown) => {
      // The first one is the source itself; each of the others may fail on its own.
      if (address === url || !(error instanceof SourceFailure)) throw error;
      return error;
    });
    if (sitemap instanceof SourceFailure) {
      yield { uri: address, error: sitemap.message };
      continue;
    }
    const { at, head, lines, release } = sitemap;
    try {
      for await (const line of lines)
        if ("page" in line) yield { uri: absolute(line.page, at) };
        else yield* queue.add(absolute(line.sitemap, at));
      if (head.omitted > 0)
        yield {
          uri: `${address}#left`,
          error:
            `It lists ${counted(head.omitted, "entry", "entries")} more than the limit of ` +
            `${items_max}.`,
        };
    } finally {
      await release();
    }
  }
}

/** The sitemaps to read, without duplicates. More may be added during the iteration. */
class Sitemaps {
  readonly all: Set<string>;

  constructor(first: string) {
    this.all = new Set([first]);
  }

  /** Yields an item for one that is not read. */
  *add(url: string): Generator<SourceItem> {
    if (this.all.size < sitemaps_max) this.all.add(url);
    else if (!this.all.has(url))
      yield {
        uri: url,
        error: `The index lists more sitemaps than the limit of ${sitemaps_max}.`,
      };
  }
}

/** The source `sitemap`. */
export function sitemapSource(ctx: ChildContext): ImportSource<{ readonly url: string }> {
  return {
    type: "sitemap",
    description: "A sitemap, packed or not, or an index of sitemaps.",
    schema: t.Object({ url: Address("Where it lies.") }),
    check: async ({ url }) => requireAddress(url, "/source/url"),
    async *items(fields, tools) {
      let unread = false;
      for await (const item of pagesOf(ctx, fields, tools)) {
        unread ||= item.error !== undefined;
        yield item;
      }
      if (!unread) tools.listingComplete();
    },
  };
}

/** Resolves an address; an invalid one is left unchanged, and fails as an item. */
const absolute = (address: string, base: string): string =>
  URL.canParse(address, base) ? new URL(address, base).href : address;
