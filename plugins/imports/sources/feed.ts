/** A feed: the pages that its entries lead to. */
import { t } from "../../../core/sdk";
import type { ImportSource } from "../contract";
import { items_max } from "../limits";
import { absolute, readInChild, type ChildParts } from "./reading";

const feed_bytes_max = 50 * 2 ** 20;

export const feedSource = ({ isolate }: ChildParts): ImportSource<{ readonly url: string }> => ({
  type: "feed",
  description: "A feed (RSS, Atom or JSON Feed): the pages that its entries lead to.",
  schema: t.Object({ url: t.String({ description: "Where it lies." }) }),
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
