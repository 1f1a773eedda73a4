/** Sources that are lists of addresses: one that the caller sends, a sitemap, a feed. */
import { t } from "../../../core/sdk";
import { items_max } from "../limits";
import { readInChild, type ChildParts } from "../child/tasks";
import { SourceFailure, type ImportSource, type SourceItem, type SourceTools } from "../contract";
import type { Sitemap } from "../child/lists";
import { Address, Addresses, requireAddress, requireSomeAddress } from "./addresses";

/** Addresses that a caller may list. */
const urls_max = 10_000;

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

export const feedSource = ({ isolate }: ChildParts): ImportSource<{ readonly url: string }> => ({
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
    const feed = await readInChild(tools, "the feed", (within) =>
      isolate("feed", input, within),
    ).finally(() => file.release());
    const base = feed.base === null ? file.url : absolute(feed.base, file.url);
    for (const [index, entry] of feed.entries.entries()) {
      if (entry.url === null)
        yield { uri: `${url}#entry-${index + 1}`, error: "This entry of the feed has no address." };
      else
        yield {
          uri: absolute(entry.url, base),
          ...(entry.title === null ? {} : { name: entry.title }),
        };
    }
    if (feed.left > 0)
      yield {
        uri: `${url}#left`,
        error: `The feed has ${feed.left} entries more than the ${items_max} that are read.`,
      };
  },
});

/** The limit of the sitemap protocol. */
const sitemap_bytes_max = 50 * 2 ** 20;
const sitemaps_max = 1_000;

export function sitemapSource({ isolate }: ChildParts): ImportSource<{ readonly url: string }> {
  async function read(url: string, tools: SourceTools): Promise<Sitemap & { readonly at: string }> {
    const file = await tools.fetch(url, { bytes_max: sitemap_bytes_max, robots: false });
    try {
      const input = {
        path: file.path,
        charset: null,
        bytes_max: sitemap_bytes_max,
        entries_max: items_max,
      };
      return {
        ...(await readInChild(tools, "the sitemap", (within) => isolate("sitemap", input, within))),
        at: file.url,
      };
    } finally {
      await file.release();
    }
  }

  async function* pages(
    { url }: { readonly url: string },
    tools: SourceTools,
  ): AsyncGenerator<SourceItem> {
    const queue = [url];
    const seen = new Set(queue);
    for (let n = 0; n < queue.length; n++) {
      const sitemap = await read(queue[n]!, tools).catch((error: unknown) => {
        // The first one is the source itself; the others may fail each for itself.
        if (n === 0 || !(error instanceof SourceFailure)) throw error;
        return error;
      });
      if (sitemap instanceof SourceFailure) {
        yield { uri: queue[n]!, error: sitemap.message };
        continue;
      }
      for (const page of sitemap.pages) yield { uri: absolute(page, sitemap.at) };
      if (sitemap.left > 0)
        yield {
          uri: `${queue[n]!}#left`,
          error: `It lists ${sitemap.left} entries more than the ${items_max} that are read.`,
        };
      for (const next of sitemap.sitemaps.map((address) => absolute(address, sitemap.at))) {
        if (seen.has(next)) continue;
        seen.add(next);
        if (queue.length < sitemaps_max) queue.push(next);
        else
          yield {
            uri: next,
            error: `The index lists more than ${sitemaps_max} sitemaps, the most that are read.`,
          };
      }
    }
  }

  return {
    type: "sitemap",
    description: "A sitemap, packed or not, or an index of sitemaps.",
    schema: t.Object({ url: Address("Where it lies.") }),
    check: async ({ url }) => requireAddress(url, "/source/url"),
    async *items(given, tools) {
      let unread = false;
      for await (const item of pages(given, tools)) {
        unread ||= item.error !== undefined;
        yield item;
      }
      if (!unread) tools.listingComplete();
    },
  };
}

/** An address made absolute; one that can't be is left as it is, and fails as an item. */
const absolute = (address: string, base: string): string =>
  URL.canParse(address, base) ? new URL(address, base).href : address;
