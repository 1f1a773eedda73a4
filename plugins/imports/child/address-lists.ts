/** Runs in the child: extracts the addresses of a sitemap or a feed. */
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { scanXml, type Tag, type XmlHandler } from "../../../core/lib/xml";
import { decodeText, InvalidInput } from "./input";

/** A downloaded list. Times and sizes are limited, because it may be hostile. */
export interface ListInput {
  readonly path: string;
  readonly charset: string | null;
  /** Uncompressed. */
  readonly bytes_max: number;
  /** Further entries are only counted, as `omitted`. */
  readonly entries_max: number;
}
/** `null`: an entry without an address. */
export interface Listed {
  readonly url: string | null;
  readonly title: string | null;
}
/** The addresses of a sitemap, and of the sitemaps that it refers to. */
export interface Sitemap {
  readonly pages: readonly string[];
  readonly sitemaps: readonly string[];
  readonly omitted: number;
}
/** The entries of a feed. Relative addresses are relative to `base`. */
export interface Feed {
  readonly entries: readonly Listed[];
  readonly base: string | null;
  readonly omitted: number;
}

/** @throws with code `unfit` when it is not a sitemap. */
export async function readSitemap(input: ListInput): Promise<Sitemap> {
  const text = textOf(input);
  if (!text.includes("<")) return plainSitemap(text, input.entries_max);
  const addresses: Record<"url" | "sitemap", string[]> = { url: [], sitemap: [] };
  const open: string[] = [];
  let is_sitemap = false;
  let omitted = 0;
  let loc = "";
  scanXml(text, {
    open: (tag) => {
      const name = localName(tag.name);
      if (open.length === 0) is_sitemap = name === "urlset" || name === "sitemapindex";
      if (open.length < depth_max) open.push(name);
      if (name === "loc") loc = "";
    },
    text: (piece) => {
      if (open.at(-1) === "loc") loc += piece;
    },
    close: (full_name) => {
      const name = localName(full_name);
      const parent = open.at(-2);
      if (
        name === "loc" &&
        open.at(-1) === "loc" &&
        (parent === "url" || parent === "sitemap") &&
        loc.trim() !== ""
      ) {
        if (addresses.url.length + addresses.sitemap.length < input.entries_max)
          addresses[parent].push(loc.trim());
        else omitted++;
      }
      closeIn(open, name);
    },
  });
  if (!is_sitemap)
    throw new InvalidInput("This is not a sitemap: its root is neither urlset nor sitemapindex.");
  return { pages: addresses.url, sitemaps: addresses.sitemap, omitted };
}

/** A sitemap may be a plain list of addresses. */
function plainSitemap(text: string, entries_max: number): Sitemap {
  const lines = text
    .split(/\r\n|\r|\n/)
    .map((line) => line.trim())
    .filter((line) => line !== "");
  if (!lines.every((line) => /^https?:\/\//i.test(line)))
    throw new InvalidInput("This is not a sitemap: it is neither XML nor a list of addresses.");
  return {
    pages: lines.slice(0, entries_max),
    sitemaps: [],
    omitted: Math.max(0, lines.length - entries_max),
  };
}

/** @throws with code `unfit` when it is not a feed. */
export async function readFeed(input: ListInput): Promise<Feed> {
  const text = textOf(input);
  const feed = /^\s*\{/.test(text) ? jsonFeed(text) : xmlFeed(text);
  if (feed === null)
    throw new InvalidInput("This is not a feed: it is neither RSS nor Atom nor a JSON feed.");
  return {
    ...feed,
    entries: feed.entries.slice(0, input.entries_max),
    omitted: Math.max(0, feed.entries.length - input.entries_max),
  };
}
type ParsedFeed = Omit<Feed, "omitted">;

function jsonFeed(text: string): ParsedFeed | null {
  let feed: unknown;
  try {
    feed = JSON.parse(text);
  } catch {
    return null;
  }
  const items = typeof feed === "object" && feed !== null && "items" in feed ? feed.items : null;
  if (!Array.isArray(items)) return null;
  const string = (value: unknown): string | null =>
    typeof value === "string" && value.trim() !== "" ? value.trim() : null;
  return {
    base: null,
    entries: items.map((item) => ({
      url: string(item?.url) ?? string(item?.external_url),
      title: string(item?.title),
    })),
  };
}

function xmlFeed(text: string): ParsedFeed | null {
  const reader = new FeedReader();
  scanXml(text, reader);
  return reader.feed();
}

/** What an entry of a feed has said so far. */
interface OpenEntry extends Record<FeedText, string> {
  /** The address of a link to the entry itself. */
  alternate: string | null;
  readonly depth: number;
}
type FeedText = "link" | "guid" | "title";
const feed_roots: readonly (string | null)[] = ["rss", "rdf", "feed"];

/** RSS 2 and 1 have `item` with the address as text, Atom has `entry` with it as an attribute. */
class FeedReader implements XmlHandler {
  private readonly entries: Listed[] = [];
  /** The names of the open elements. */
  private readonly path: string[] = [];
  private root: string | null = null;
  private base: string | null = null;
  private entry: OpenEntry | null = null;
  /** What the text belongs to. */
  private into: FeedText | null = null;

  /** Null when it was none. */
  feed(): ParsedFeed | null {
    const { root, base, entries } = this;
    return feed_roots.includes(root) ? { entries, base } : null;
  }

  open(tag: Tag): void {
    const { path } = this;
    const name = localName(tag.name);
    if (this.root === null) {
      this.root = name;
      this.base = attributeOf(tag, "base") ?? null;
    }
    if (path.length < depth_max) path.push(name);
    if (isEntry(name))
      this.entry = { link: "", guid: "", alternate: null, title: "", depth: path.length };
    else if (this.entry !== null && this.isDirectlyInside(this.entry))
      this.openField(name, tag, this.entry);
  }

  text(piece: string): void {
    if (this.entry === null || this.into === null || !this.isDirectlyInside(this.entry)) return;
    this.entry[this.into] += piece;
  }

  close(full_name: string): void {
    const name = localName(full_name);
    if (this.entry !== null && isEntry(name)) {
      this.entries.push(listedOf(this.entry));
      this.entry = null;
    }
    if (this.path.length === (this.entry?.depth ?? 0) + 1) this.into = null;
    closeIn(this.path, name);
  }

  private openField(name: string, tag: Tag, entry: OpenEntry): void {
    this.into = name === "link" || name === "title" ? name : null;
    if (name === "guid" && attributeOf(tag, "ispermalink")?.toLowerCase() !== "false") {
      this.into = "guid";
      entry.guid = "";
    }
    if (name === "link" && (attributeOf(tag, "rel") ?? "alternate") === "alternate")
      entry.alternate ??= attributeOf(tag, "href") ?? null;
  }

  private isDirectlyInside({ depth }: OpenEntry): boolean {
    return this.path.length === depth + 1;
  }
}
const isEntry = (name: string): boolean => name === "item" || name === "entry";

function listedOf({ link, guid, alternate, title }: OpenEntry): Listed {
  const address = guid.trim();
  return {
    url: link.trim() || alternate || (/^https?:\/\//i.test(address) ? address : null),
    title: title.replace(/<[^<>]*>/g, "").trim() || null,
  };
}

/** A name without its prefix, in lower case. */
const localName = (name: string): string => name.slice(name.indexOf(":") + 1).toLowerCase();
/** The value of an attribute, whatever its prefix and case. */
function attributeOf(tag: Tag, name: string): string | undefined {
  const attributes = tag.attributes();
  for (let at = 0; at < attributes.length; at += 2)
    if (localName(attributes[at]!) === name) return tag.get(attributes[at]!);
  return undefined;
}

/** Deeper elements are ignored. */
const depth_max = 64;
function closeIn(open: string[], name: string): void {
  const at = open.lastIndexOf(name);
  if (at >= 0) open.length = at;
}

function textOf({ path, charset, bytes_max }: ListInput): string {
  const bytes = readFileSync(path);
  const decoded = (plain: Uint8Array): string =>
    decodeText(plain, charset) ?? new TextDecoder("windows-1252").decode(plain);
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return decoded(bytes);
  try {
    return decoded(gunzipSync(bytes, { maxOutputLength: bytes_max }));
  } catch (error) {
    throw new InvalidInput(
      (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE"
        ? `Unpacked, it is larger than the limit of ${bytes_max} bytes.`
        : "It can't be unpacked: it is damaged.",
    );
  }
}
