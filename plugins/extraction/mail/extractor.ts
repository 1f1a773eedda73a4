/**
 * Mail messages: headers and body are read in a child, then each attachment by the extractor of its
 * format.
 */
import { counted } from "../../../core/lib/counted";
import { rm } from "node:fs/promises";
import type { ExtractionContext } from "../context";
import {
  ExtractionFailure,
  type Extracted,
  type Extraction,
  type ExtractionOptions,
  type ExtractionSource,
  type Extractor,
} from "../contract";
import { readInChild, withOutputs } from "../server/child-run";
import { MessageText } from "./message-text";
import type { MailAttachment, MailOutput } from "./reader";

/** The most attachments per message, including those of attached messages. */
const attachments_max = 100;
/** The nesting limit of attached messages. */
const depth_max = 5;

/** The remaining budget of a message and everything attached to it. */
interface Budget {
  depth: number;
  attachments: number;
  characters: number;
  /** On the monotonic clock, milliseconds. */
  readonly ends_ms: number;
}

/** Attachments share the limits of the message, and may be messages themselves. */
export class MailExtractor implements Extractor {
  readonly rank = 30;
  readonly recognises: Extractor["recognises"] = (head, _tail, source) => isMail(head, source);
  /** The budgets of attached messages, by their source. */
  private readonly budgets = new WeakMap<ExtractionSource, Budget>();

  /** `extraction` reads the attachments. */
  constructor(
    private readonly ctx: ExtractionContext,
    private readonly extraction: Extraction,
  ) {}

  async extract(source: ExtractionSource, options: ExtractionOptions): Promise<Extracted> {
    const limits = this.ctx.limits();
    const budget = this.budgets.get(source) ?? {
      depth: depth_max,
      attachments: attachments_max,
      characters: limits.characters_max,
      ends_ms: performance.now() + limits.timeout_max_ms,
    };
    return withOutputs(this.ctx, (newOutput) => this.readAll(source, options, budget, newOutput()));
  }

  /** `output`: where to collect the text. */
  private async readAll(
    source: ExtractionSource,
    options: ExtractionOptions,
    budget: Budget,
    output: string,
  ): Promise<Extracted> {
    const files: string[] = [];
    try {
      await using message = await MessageText.create(output, budget.characters);
      const mail = await message.add((takeLong) =>
        this.readMessage(source, { ...options, takeLong }, budget, files),
      );
      for (const [index, attachment] of mail.attachments.entries()) {
        budget.characters = message.characters_left;
        await this.attach(message, attachment, options, budget);
        options.onProgress((index + 1) / mail.attachments.length);
      }
      if (mail.left_out > 0) warnLeftOut(message, mail.left_out);
      return await message.result(options.takeLong);
    } finally {
      await Promise.all(files.map((file) => rm(file, { force: true })));
    }
  }

  /** Adds to `files` the paths that the child may write attachments to. */
  private readMessage(
    source: ExtractionSource,
    options: ExtractionOptions,
    budget: Budget,
    files: string[],
  ): Promise<MailOutput & { readonly text: string }> {
    return readInChild(this.ctx, source, options, (input, run_options) => {
      for (let count = 1; count <= attachments_max; count++) files.push(`${input.output}-${count}`);
      const allowed = budget.depth > 0 ? budget.attachments : 0;
      return this.ctx.isolate("mail", { ...input, attachments_max: allowed }, run_options);
    });
  }

  private async attach(
    message: MessageText,
    { path, name, media_type, size_bytes }: MailAttachment,
    options: ExtractionOptions,
    budget: Budget,
  ): Promise<void> {
    const source: ExtractionSource = { path, size_bytes, name, declared_type: media_type };
    const nested: Budget = {
      ...budget,
      depth: budget.depth - 1,
      attachments: --budget.attachments,
    };
    this.budgets.set(source, nested);
    const left_ms = budget.ends_ms - performance.now();
    if (left_ms <= 0) return warnUnreadable(message, name, too_slow);
    const timeout = AbortSignal.timeout(Math.ceil(left_ms));
    try {
      const signal = AbortSignal.any([options.signal, timeout]);
      const onProgress = (): void => {};
      await message.attach(name, (takeLong) =>
        this.extraction.extract(source, { signal, onProgress, takeLong }),
      );
      budget.attachments = nested.attachments;
    } catch (error) {
      options.signal.throwIfAborted();
      if (timeout.aborted) return warnUnreadable(message, name, too_slow);
      if (!(error instanceof ExtractionFailure)) throw error;
      warnUnreadable(message, name, `has no readable text. ${error.message}`);
    }
  }
}

const too_slow = "was not read, because reading the message took too long.";
const warnUnreadable = (message: MessageText, name: string, reason: string): void =>
  message.warn("attachment_unreadable", `The attachment “${name}” ${reason}`);
const warnLeftOut = (message: MessageText, count: number): void =>
  message.warn(
    "attachment_left_out",
    `${counted(count, "attachment was", "attachments were")} left out: at most ` +
      `${attachments_max} are read, and messages in messages up to ${depth_max} deep.`,
  );

/** Headers that hardly any other text file begins with. */
const mail_headers = new Set([
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
const header_lines_max = 500;

/**
 * Whether the file begins with mail headers: at least two if its name or declared type says that it
 * is mail, otherwise three.
 */
export function isMail(
  head: Uint8Array,
  { name, declared_type }: Pick<ExtractionSource, "name" | "declared_type">,
): boolean {
  const start = Buffer.from(head.buffer, head.byteOffset, head.length)
    .toString("latin1")
    .replace(/^ï»¿/, "");
  const addresses = new Set<string>();
  let headers = 0;
  for (const line of start.split(/\r?\n/, header_lines_max)) {
    if (line === "") break;
    if (/^[ \t]/.test(line) && headers > 0) continue;
    const key = /^([!-9;-~]{1,76})[ \t]*:/.exec(line)?.[1]?.toLowerCase();
    if (key === undefined) return false;
    headers++;
    if (mail_headers.has(key)) addresses.add(key);
  }
  const named =
    /\.(?:eml|mht|mhtml)$/i.test(name) ||
    /^(?:message\/rfc822|multipart\/related)\b/i.test(declared_type ?? "");
  return (
    addresses.size >= (named ? 2 : 3) &&
    (named || addresses.has("from") || addresses.has("received"))
  );
}
