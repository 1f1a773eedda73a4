/**
 * Mail messages: headers and body are read in a child, and each attachment by whoever reads its
 * kind.
 */
import { rm } from "node:fs/promises";
import type { Isolate } from "../../../core/sdk";
import {
  ExtractionFailure,
  type Extracted,
  type Extraction,
  type ExtractionSource,
  type ExtractionWatch,
  type Extractor,
  type HeadingSpan,
  type Warning,
} from "../contract";
import { readInChild, type ChildLimits } from "../server/child-run";
import type { MailAttachment } from "./reader";
import type { ReadingParts } from "../server/deadline";
import type { tasks } from "../tasks";

export interface MailParts extends ReadingParts {
  readonly isolate: Isolate<typeof tasks>;
  readonly limits: ChildLimits & {
    /** For a message with everything in it. */
    readonly timeout_max_ms: number;
  };
  /** Reads attachments. */
  readonly extraction: Extraction;
}

/** In all, messages in messages included. */
const attachments_max = 100;
/** How deep messages in messages are read. */
const depth_max = 5;

/** What is left for a message and all that is attached to it. */
interface Budget {
  depth: number;
  attachments: number;
  characters: number;
  readonly ends_at: number;
}

const telling = new Set([
  "from",
  "to",
  "date",
  "subject",
  "message-id",
  "mime-version",
  "received",
  "return-path",
  "content-type",
  "delivered-to",
  "reply-to",
  "x-mailer",
  "dkim-signature",
]);
/**
 * A file that begins with headers. Two telling ones are asked for, three when its name does not say
 * that it is mail.
 */
export function isMail(
  head: Uint8Array,
  { name, declared_type }: Pick<ExtractionSource, "name" | "declared_type">,
): boolean {
  const start = Buffer.from(head.buffer, head.byteOffset, head.length)
    .toString("latin1")
    .replace(/^ï»¿/, "");
  const found = new Set<string>();
  for (const line of start.split(/\r?\n/, lines_seen)) {
    if (line === "") break;
    if (/^[ \t]/.test(line) && found.size > 0) continue;
    const key = /^([!-9;-~]{1,76})[ \t]*:/.exec(line)?.[1]?.toLowerCase();
    if (key === undefined) return false;
    if (telling.has(key)) found.add(key);
    else found.add("");
  }
  found.delete("");
  const named =
    /\.(?:eml|mht|mhtml)$/i.test(name) ||
    /^(?:message\/rfc822|multipart\/related)\b/i.test(declared_type ?? "");
  return found.size >= (named ? 2 : 3) && (named || found.has("from") || found.has("received"));
}
const lines_seen = 500;

export function mailExtractor(parts: MailParts): Extractor {
  /** Messages that are attached to messages, by their source. */
  const budgets = new WeakMap<ExtractionSource, Budget>();
  const extract = async (source: ExtractionSource, watch: ExtractionWatch): Promise<Extracted> => {
    const budget = budgets.get(source) ?? {
      depth: depth_max,
      attachments: attachments_max,
      characters: parts.limits.characters_max,
      ends_at: performance.now() + parts.limits.timeout_max_ms,
    };
    const files: string[] = [];
    try {
      const { text, headings, attachments, left_out } = await readInChild(
        parts,
        watch,
        (where, within) => {
          for (let count = 1; count <= attachments_max; count++)
            files.push(`${where.output}-${count}`);
          return parts.isolate(
            "mail",
            {
              path: source.path,
              attachments_max: budget.depth > 0 ? budget.attachments : 0,
              ...where,
            },
            within,
          );
        },
      );
      const message = new Message(text, headings, budget);
      for (const [index, one] of attachments.entries()) {
        await attach(message, one, watch, budget);
        watch.onProgress((index + 1) / attachments.length);
      }
      if (left_out > 0)
        message.warn(
          "attachment_left_out",
          `${left_out === 1 ? "One attachment was" : `${left_out} attachments were`} left out: at most ${attachments_max} are read, and messages in messages up to ${depth_max} deep.`,
        );
      return message.result();
    } finally {
      await Promise.all(files.map((file) => rm(file, { force: true })));
    }
  };

  async function attach(
    message: Message,
    { path, name, media_type, size_bytes }: MailAttachment,
    watch: ExtractionWatch,
    budget: Budget,
  ): Promise<void> {
    const source: ExtractionSource = { path, size_bytes, name, declared_type: media_type };
    const nested: Budget = {
      ...budget,
      depth: budget.depth - 1,
      attachments: --budget.attachments,
    };
    budgets.set(source, nested);
    const left_ms = budget.ends_at - performance.now();
    if (left_ms <= 0)
      return message.warn(
        "attachment_unreadable",
        `The attachment ${quoted(name)} was not read: the message took too long.`,
      );
    const over = AbortSignal.timeout(Math.ceil(left_ms));
    try {
      const extracted = await parts.extraction.extract(source, {
        signal: AbortSignal.any([watch.signal, over]),
        onProgress: () => {},
      });
      budget.attachments = nested.attachments;
      message.add(name, extracted);
    } catch (error) {
      watch.signal.throwIfAborted();
      if (over.aborted)
        return message.warn(
          "attachment_unreadable",
          `The attachment ${quoted(name)} was not read: the message took too long.`,
        );
      if (!(error instanceof ExtractionFailure)) throw error;
      message.warn(
        "attachment_unreadable",
        `The attachment ${quoted(name)} has no text that could be read. ${error.message}`,
      );
    }
  }

  return {
    name: "mail messages (EML)",
    rank: 30,
    recognises: (head, _tail, source) => isMail(head, source),
    extract,
  };
}
const quoted = (name: string): string => `“${name}”`;

/** The text of a message while attachments are added to it. */
class Message {
  private readonly pieces: string[] = [];
  private length = 0;
  private readonly headings: HeadingSpan[] = [];
  private readonly warnings: Warning[] = [];

  constructor(
    text: string,
    headings: readonly HeadingSpan[],
    private readonly budget: Budget,
  ) {
    this.put(text, headings, 0);
  }
  add(name: string, { text, headings = [], warnings }: Extracted): void {
    if (name.length + text.length > this.budget.characters)
      return this.warn(
        "attachment_left_out",
        `The attachment ${quoted(name)} was left out: the message would be too long with it.`,
      );
    this.put(name, [{ start: 0, end: name.length, level: 2 }], 0);
    this.put(text, headings, 2);
    for (const { code, message } of warnings)
      this.warn(code, `In the attachment ${quoted(name)}: ${message}`);
  }
  warn(code: string, message: string): void {
    this.warnings.push({ code, message, page: null });
  }
  result(): Extracted {
    return {
      text: this.pieces.join(""),
      media_type: "message/rfc822",
      pages: [],
      page_count: null,
      headings: this.headings,
      warnings: this.warnings,
    };
  }
  private put(text: string, headings: readonly HeadingSpan[], deeper: number): void {
    const separator = this.length === 0 || text === "" ? "" : "\n\n";
    const from = this.length + separator.length;
    this.pieces.push(separator, text);
    this.length = from + text.length;
    this.budget.characters -= separator.length + text.length;
    for (const { start, end, level } of headings)
      this.headings.push({ start: from + start, end: from + end, level: level + deeper });
  }
}
