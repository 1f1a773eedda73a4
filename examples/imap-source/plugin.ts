/**
 * IMAP: imports the messages of a mail folder, with their attachments. To use it, bundle it with
 * the package that it imports, and add the resulting file to a server:
 *
 *     dossier plugin pack examples/imap-source imap.js
 *     dossier plugin add imap.js
 *
 * Then restart that server, and send `POST /api/dev/v1/imports` with the body
 *
 *     {
 *       "folder_id": "…",
 *       "source": {
 *         "type": "imap", "host": "imap.example.com", "username": "ada@example.com",
 *         "password": "an app password", "folder": "Archive/Contracts", "since": "2026-01-01"
 *       }
 *     }
 *
 * The password is stored encrypted. Messages never change, so each is read once; a message that is
 * no longer in the folder counts as gone. The folder is opened read-only: nothing is marked as
 * read, and nothing is deleted. Only public hosts are contacted, and those that
 * `imports.allow_networks` allows.
 */
import { isIP } from "node:net";
import { badRequest, definePlugin, fill, InvalidUrl, parseTarget, Secret, t } from "dossier";
import type { Static } from "dossier";
import {
  ImportSources,
  SourceFailure,
  type ImportSource,
  type SourceItem,
  type SourceTools,
} from "dossier/contracts";
import { ImapFlow, type FetchMessageObject, type ListResponse } from "imapflow";

const schema = t.Object({
  host: t.String({
    minLength: 1,
    maxLength: 253,
    description: "The name or address of the IMAP server.",
  }),
  port: t.Optional(t.Integer({ minimum: 1, maximum: 65_535 })),
  security: t.Optional(
    t.Union([t.Literal("tls"), t.Literal("starttls"), t.Literal("none")], {
      default: "tls",
      description:
        "The port is 993 for `tls`, otherwise 143. `none` sends the password unencrypted.",
    }),
  ),
  username: t.String({ minLength: 1, maxLength: 320 }),
  password: Secret({ description: "With two-factor authentication, an app password." }),
  folder: t.Optional(t.String({ default: "INBOX", minLength: 1, maxLength: 500 })),
  since: t.Optional(
    t.String({ format: "date", description: "Only messages received on this day or later." }),
  ),
});
type Mailbox = Static<typeof schema>;

const connect_ms_max = 15_000;
/** Messages fetched per request. */
const batch_messages = 500;
/** The most folders named in an error message. */
const names_max = 10;

// --- The connection ------------------------------------------------------------------------------

const portOf = ({ port, security = "tls" }: Mailbox): number =>
  port ?? (security === "tls" ? 993 : 143);

/** An open folder, with the validity of its UIDs. */
interface Opened {
  readonly client: ImapFlow;
  readonly validity: string;
}
/** One connection for all messages read with these tools. */
const opened = new WeakMap<SourceTools, Promise<Opened>>();

function open(mailbox: Mailbox, tools: SourceTools): Promise<Opened> {
  const opened_mailbox = opened.get(tools);
  if (opened_mailbox !== undefined) return opened_mailbox;
  const opening = openNew(mailbox, tools);
  opened.set(tools, opening);
  return opening;
}

async function openNew(mailbox: Mailbox, tools: SourceTools): Promise<Opened> {
  const { host, security = "tls", username, password, folder = "INBOX" } = mailbox;
  const [address] = await tools.resolve(host);
  // Connects to the checked address, and verifies the certificate against the name.
  const name = isIP(host) === 0 ? { servername: host } : {};
  const client = new ImapFlow({
    host: address!,
    ...name,
    port: portOf(mailbox),
    secure: security === "tls",
    doSTARTTLS: security === "tls" ? undefined : security === "starttls",
    tls: { rejectUnauthorized: true, ...name },
    auth: { user: username, pass: password },
    logger: false,
    disableAutoIdle: true,
    connectionTimeout: Math.min(connect_ms_max, tools.timeout_ms),
    greetingTimeout: Math.min(connect_ms_max, tools.timeout_ms),
    // How long the server may send nothing.
    socketTimeout: tools.timeout_ms,
  });
  // A connection that breaks between two commands would otherwise raise an unhandled error.
  client.on("error", () => opened.delete(tools));
  const close = (): void => client.close();
  tools.signal.addEventListener("abort", close, { once: true });
  tools.atEnd(async () => {
    tools.signal.removeEventListener("abort", close);
    close();
  });
  try {
    await client.connect();
  } catch (error) {
    throw failureOf(error, mailbox, tools);
  }
  try {
    const { uidValidity } = await client.mailboxOpen(folder, { readOnly: true });
    return { client, validity: String(uidValidity) };
  } catch (error) {
    if (!client.usable) throw failureOf(error, mailbox, tools);
    throw await missing(client, folder);
  }
}

async function missing(client: ImapFlow, folder: string): Promise<SourceFailure> {
  const folders: ListResponse[] = await client.list().catch(() => []);
  const names = folders.map(({ path }) => path);
  const listed = `${names.slice(0, names_max).join(", ")}${names.length > names_max ? ", …" : ""}`;
  return new SourceFailure(
    `The mailbox has no folder ${folder}${listed === "" ? "" : `. It has ${listed}`}.`,
  );
}

/** A sentence for the user who started the import. */
function failureOf(error: unknown, mailbox: Mailbox, { signal }: SourceTools): unknown {
  signal.throwIfAborted();
  if (error instanceof SourceFailure || !(error instanceof Error)) return error;
  const { code = "", authenticationFailed } = error as Error & {
    readonly code?: string;
    readonly authenticationFailed?: boolean;
  };
  const at = `${mailbox.host}:${portOf(mailbox)}`;
  if (authenticationFailed === true)
    return new SourceFailure(
      `${mailbox.host} rejected the user name or the password. Correct them; many providers ` +
        "require an app password, and IMAP must be enabled in their settings.",
      "credentials_refused",
    );
  if (/CERT|SELF_SIGNED|ALTNAME|VERIFY/i.test(code))
    return new SourceFailure(
      `The certificate of ${at} was not accepted (${code}). It must be valid for this name; ` +
        "if your own authority issued it, set NODE_EXTRA_CA_CERTS in the environment of this " +
        "server.",
      "certificate_refused",
    );
  if (/TIMEOUT/i.test(code))
    return new SourceFailure(
      `${at} is not responding. Correct host, port and security (tls: 993, starttls: 143).`,
      "timeout",
    );
  if (/TLS|SSL|WRONG_VERSION/i.test(`${code} ${error.message}`))
    return new SourceFailure(
      `${at} does not use TLS in this way. Correct port and security: tls is 993, starttls ` +
        "is 143.",
      "unreachable",
    );
  return new SourceFailure(
    `${at} could not be reached, or closed the connection ` +
      `(${code || error.message.slice(0, 100)}). Correct host, port and security.`,
    "unreachable",
  );
}

// --- The source ----------------------------------------------------------------------------------

/** In the notation of RFC 5092. */
function uriOf(
  { host, username, folder = "INBOX" }: Mailbox,
  validity: string,
  uid: number,
): string {
  const place = folder.split("/").map(encodeURIComponent).join("/");
  return (
    `imap://${encodeURIComponent(username)}@${host.toLowerCase()}/${place};` +
    `UIDVALIDITY=${validity}/;UID=${uid}`
  );
}

function itemOf(
  uri: string,
  locator: string,
  message: FetchMessageObject,
  bytes_max: number,
): SourceItem {
  if ((message.size ?? 0) > bytes_max)
    return {
      uri,
      error: `The message is larger than the limit of ${bytes_max} bytes.`,
    };
  const subject = (message.envelope?.subject ?? "").replace(/[\s\p{Cc}]+/gu, " ").trim();
  const day = new Date(message.internalDate ?? 0).toISOString().slice(0, 10);
  return { uri, locator, etag: locator, name: subject || `Message of ${day}` };
}

const source: ImportSource<Mailbox> = {
  type: "imap",
  description: "The messages in a folder of a mailbox, with their attachments.",
  schema,

  async check({ host, port }) {
    try {
      parseTarget(`https://${host.includes(":") ? `[${host}]` : host}:${port ?? 993}/`);
    } catch (error) {
      if (error instanceof InvalidUrl)
        throw badRequest("The host must be the name or the address of a server.", "/source/host");
      throw error;
    }
  },

  async *items(mailbox, tools) {
    const { client, validity } = await open(mailbox, tools);
    try {
      const since = mailbox.since === undefined ? {} : { since: new Date(mailbox.since) };
      const uids = (await client.search({ all: true, ...since }, { uid: true })) || [];
      for (let at = 0; at < uids.length; at += batch_messages) {
        const batch = uids.slice(at, at + batch_messages).join(",");
        const query = { uid: true, size: true, envelope: true, internalDate: true };
        for await (const message of client.fetch(batch, query, { uid: true })) {
          const uri = uriOf(mailbox, validity, message.uid);
          const locator = `${validity}/${message.uid}`;
          yield itemOf(uri, locator, message, tools.upload_bytes_max);
        }
      }
    } catch (error) {
      throw failureOf(error, mailbox, tools);
    }
    tools.listingComplete();
  },

  async read({ locator, name }, mailbox, tools) {
    const { client, validity } = await open(mailbox, tools);
    const [of, uid] = locator!.split("/");
    if (of !== validity)
      throw new SourceFailure("The folder was recreated meanwhile. Import it again.", "gone");
    try {
      const { content } = await client.download(uid!, undefined, { uid: true });
      if (!content) throw new SourceFailure("The message no longer exists.", "gone");
      const release = async (): Promise<void> => {
        content.destroy();
      };
      return { name: name!, media_type: "message/rfc822", bytes: content, release };
    } catch (error) {
      throw failureOf(error, mailbox, tools);
    }
  },
};

export default definePlugin({
  name: "imap",
  version: "1.0.0",
  setup: () => ({ fills: [fill(ImportSources, source)] }),
});
