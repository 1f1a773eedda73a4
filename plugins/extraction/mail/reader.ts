/**
 * Runs in the child: extracts the headers and body of a mail message as text, and its attachments
 * as files.
 */
import PostalMime, { type Attachment, type Email } from "postal-mime";
import { messageOf } from "../../../core/lib/error-message";
import { assemble } from "../child/text-assembly";
import { paragraph, type Block, type Page } from "../child/blocks";
import { writeOutput, type ReaderInput } from "../child/output";
import { ExtractionFailure, type HeadingSpan } from "../contract";
import { readPage } from "../html/page";

/** The message to read. */
export interface MailInput extends ReaderInput {
  /** Further attachments are left out. */
  readonly attachments_max: number;
}
/** An attachment in a file of its own. */
export interface MailAttachment {
  readonly path: string;
  readonly name: string;
  readonly media_type: string;
  readonly size_bytes: number;
}
/** What the child returns besides the text of the body. */
export interface MailOutput {
  readonly headings: readonly HeadingSpan[];
  readonly attachments: readonly MailAttachment[];
  /** The number of attachments beyond those. */
  readonly left_out: number;
}

/**
 * Writes attachments beside the output: `<output>-1`, `<output>-2` and so on.
 * @throws ExtractionFailure
 */
export async function readMail({
  path,
  output,
  characters_max,
  attachments_max,
}: MailInput): Promise<MailOutput> {
  const email = await parse(await Bun.file(path).arrayBuffer());
  const { text, headings } = assemble([bodyOf(email)], characters_max);
  writeOutput(output, text);
  const attached = email.attachments.filter((attachment) => !isDecoration(attachment, email));
  const attachments = attached
    .slice(0, attachments_max)
    .map((mail_attachment, index): MailAttachment => {
      const content = mail_attachment.content as ArrayBuffer;
      const attachment = {
        path: `${output}-${index + 1}`,
        name: nameOf(mail_attachment, index),
        media_type: mail_attachment.mimeType,
        size_bytes: content.byteLength,
      };
      writeOutput(attachment.path, new Uint8Array(content));
      return attachment;
    });
  return { headings, attachments, left_out: attached.length - attachments.length };
}

async function parse(bytes: ArrayBuffer): Promise<Email> {
  try {
    return await PostalMime.parse(bytes, {
      forceRfc822Attachments: true,
      attachmentEncoding: "arraybuffer",
    });
  } catch (error) {
    const reason = messageOf(error);
    throw reason.startsWith("Maximum ")
      ? new ExtractionFailure(
          "too_large",
          "This mail message has longer headers, or deeper nested parts, than can be read.",
        )
      : new ExtractionFailure("corrupt", `This mail message can't be read: ${reason}`);
  }
}

/**
 * The subject as a heading, the other headers, the body. For a page that a browser saved as a mail
 * message, only the page.
 */
function bodyOf(email: Email): Page {
  const saved =
    email.headers.some(({ key }) => key === "snapshot-content-location") ||
    /^<?saved by/i.test(header(email, "from"));
  const body = isBlank(email.text) ? readPage(email.html ?? "") : paragraphsOf(email.text!);
  if (saved) return { page: null, blocks: email.html ? readPage(email.html) : body };
  const lines = [
    ["From", addresses([email.from])],
    ["To", addresses(email.to)],
    ["Cc", addresses(email.cc)],
    ["Date", header(email, "date")],
  ]
    .filter(([, value]) => value !== "")
    .map(([name, value]) => `${name}: ${value}`);
  const subject = (email.subject ?? "").replace(/\s+/g, " ").trim();
  return {
    page: null,
    blocks: [
      ...(subject === "" ? [] : [{ ...paragraph(subject, 1), label: "Subject: " }]),
      ...(lines.length === 0 ? [] : [paragraph(lines.join("\n"))]),
      ...body,
    ],
  };
}
const isBlank = (text: string | undefined): boolean => text === undefined || !/\S/.test(text);
const header = (email: Email, name: string): string =>
  (email.headers.find(({ key }) => key === name)?.value ?? "").replace(/\s+/g, " ").trim();

type Addresses = readonly (NonNullable<Email["from"]> | undefined)[] | undefined;
const addresses = (list: Addresses): string =>
  (list ?? [])
    .flatMap((mailbox) => {
      if (mailbox === undefined) return [];
      if (mailbox.group !== undefined)
        return mailbox.group.length === 0
          ? [mailbox.name]
          : [`${mailbox.name}: ${addresses(mailbox.group)}`];
      return mailbox.name === "" || mailbox.name === mailbox.address
        ? [mailbox.address]
        : [`${mailbox.name} <${mailbox.address}>`];
    })
    .filter((name) => name.trim() !== "")
    .join(", ");

const paragraphsOf = (text: string): Block[] =>
  text
    .replace(/\r\n?/g, "\n")
    .split(/\n[ \t]*\n\s*/)
    .map((part) => part.replace(/[ \t]+$/gm, "").replace(/^\n+|\s+$/g, ""))
    .filter((part) => part !== "")
    .map((part) => paragraph(part));

const styles_and_scripts = /^(?:text\/(?:css|javascript)|application\/(?:x-)?javascript)$/;
const digital_signatures = /^application\/(?:pgp-signature|(?:x-)?pkcs7-signature)$/;
/** Signatures, and images, styles and scripts that belong to the HTML body. */
const isDecoration = ({ mimeType, related, contentId }: Attachment, email: Email): boolean =>
  styles_and_scripts.test(mimeType) ||
  digital_signatures.test(mimeType) ||
  (/^(?:image|font|audio|video)\//.test(mimeType) &&
    (related === true ||
      (contentId !== undefined && (email.html ?? "").includes(contentId.replace(/[<>]/g, "")))));

const nameOf = ({ filename, mimeType }: Attachment, index: number): string =>
  (filename ?? "")
    .replace(/[\p{Cc}\u2028\u2029]/gu, " ")
    .replace(/^.*[/\\]/, "")
    .trim()
    .slice(0, 255) || `${mimeType === "message/rfc822" ? "message" : "attachment"} ${index + 1}`;
