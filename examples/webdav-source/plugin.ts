/**
 * WebDAV: imports a folder of Nextcloud, ownCloud, Apache, a NAS or any other WebDAV server, with
 * its subfolders. A complete plugin in one file. To use it, add it with `dossier plugin add`,
 * restart Dossier, and send `POST /api/dev/v1/imports` with the body
 *
 *     {
 *       "folder_id": "…",
 *       "source": {
 *         "type": "webdav", "url": "https://cloud.example.com/remote.php/dav/files/ada/Reports/",
 *         "username": "ada", "password": "an app password"
 *       }
 *     }
 *
 * The password is stored encrypted. A file whose entity tag has not changed since the last import
 * is not read again, and one that no longer exists counts as gone. Hidden files are left out. Only
 * public hosts are contacted, and those that `imports.allow_networks` allows.
 */
import { definePlugin, fill, requireTarget, Secret, t, type Static } from "dossier";
import {
  ImportSources,
  SourceFailure,
  type ImportSource,
  type SourceAnswer,
  type SourceItem,
  type SourceTools,
} from "dossier/contracts";

const schema = t.Object({
  url: t.String({
    description:
      "The address of the folder. For Nextcloud, " +
      "`https://HOST/remote.php/dav/files/USER/FOLDER/`.",
  }),
  username: t.Optional(t.String({ minLength: 1, maxLength: 200, pattern: "^[^:]+$" })),
  password: t.Optional(
    Secret({ description: "For Nextcloud, an app password. It is stored encrypted." }),
  ),
});
type Share = Static<typeof schema>;

/** Deeper folders are not read, because a link to a parent folder would never end. */
const depth_max = 64;
/** The listing of one folder. */
const list_bytes_max = 1024 * 1024 * 1024;
/** The entry of one file, in UTF-16 units. */
const entry_length_max = 64 * 1024;

// --- Requests ------------------------------------------------------------------------------------

const wanted =
  '<?xml version="1.0" encoding="utf-8"?><d:propfind xmlns:d="DAV:"><d:prop><d:resourcetype/>' +
  "<d:getetag/><d:getcontentlength/><d:getlastmodified/></d:prop></d:propfind>";

const authorization = ({ username, password }: Share): Record<string, string> =>
  username === undefined
    ? {}
    : { authorization: `Basic ${Buffer.from(`${username}:${password ?? ""}`).toString("base64")}` };

/** The listing of a folder. @throws SourceFailure unless the response is one. */
async function askForList(share: Share, url: string, tools: SourceTools): Promise<SourceAnswer> {
  const answer = await tools.request(url, {
    method: "PROPFIND",
    headers: { ...authorization(share), depth: "1", "content-type": "application/xml" },
    body: wanted,
    bytes_max: list_bytes_max,
  });
  if (answer.status === 207) return answer;
  await answer.release();
  throw refusal(share, url, answer);
}

/** A sentence for the user who started the import. */
function refusal(
  { username }: Share,
  url: string,
  { status, headers }: SourceAnswer,
): SourceFailure {
  const { host, pathname } = new URL(url);
  if (status === 401 && /^\s*digest\b/i.test(headers.get("www-authenticate") ?? ""))
    return new SourceFailure(
      `${host} requires an authentication that is not supported (Digest). Its administrator ` +
        "has to allow Basic over HTTPS.",
      "credentials_refused",
    );
  if (status === 401)
    return new SourceFailure(
      username === undefined
        ? `${host} requires a user name and a password. Enter username and password.`
        : `${host} rejected the user name or the password. Correct them; with two-factor ` +
            "authentication, Nextcloud requires an app password.",
      "credentials_refused",
    );
  if (status === 403) return new SourceFailure(`${host} does not let you read ${pathname}.`);
  if (status === 404)
    return new SourceFailure(
      `${host} has no folder at ${pathname}. Correct the address; Nextcloud's is ` +
        "https://HOST/remote.php/dav/files/USER/FOLDER/.",
    );
  const to = URL.parse(headers.get("location") ?? "", url);
  if (status >= 300 && status < 400 && to !== null)
    return new SourceFailure(
      `${host} redirects to ${to.origin}${to.pathname}. Enter that address.`,
    );
  return new SourceFailure(
    `${host} responds, but not as a WebDAV server would (${status}). Correct the address; ` +
      "Nextcloud's is https://HOST/remote.php/dav/files/USER/FOLDER/.",
  );
}

// --- The listing of a folder ---------------------------------------------------------------------
// It may be long, so it is parsed as it arrives, entry by entry.

interface Entry {
  /** Decoded. */
  readonly path: string;
  readonly is_folder: boolean;
  readonly etag: string;
  readonly size_bytes: number;
}

async function* entriesOf(answer: SourceAnswer, url: string): AsyncGenerator<Entry> {
  const decoder = new TextDecoder();
  const closing = /<\/(?:[\w.-]+:)?response\s*>/g;
  let text = "";
  let is_list = false;
  for await (const bytes of answer.bytes()) {
    text += decoder.decode(bytes, { stream: true });
    let from = 0;
    while (closing.test(text)) {
      const piece = text.slice(from, (from = closing.lastIndex));
      const start = piece.search(/<(?:[\w.-]+:)?response[\s>]/);
      const entry = start < 0 ? null : entryOf(piece.slice(start));
      if (entry !== null) yield entry;
      is_list = true;
    }
    text = text.slice(from);
    if (text.length > entry_length_max) break;
  }
  is_list ||= /<(?:[\w.-]+:)?multistatus/.test(text);
  if (!is_list || text.length > entry_length_max)
    throw new SourceFailure(`${new URL(url).host} responds, but not as a WebDAV server would.`);
}

type Node = Readonly<Record<string, unknown>>;
/** The elements with this name, whatever their namespace prefix. */
const within = (node: unknown, name: string): unknown[] =>
  Object.entries(typeof node === "object" && node !== null ? (node as Node) : {})
    .filter(([key]) => key.replace(/^.*:/, "") === name)
    .flatMap(([, value]) => value);
const textOf = (node: unknown): string =>
  typeof node === "string" ? node : String((node as Node | undefined)?.["#text"] ?? "");

/** Null if it can't be parsed. */
function entryOf(xml: string): Entry | null {
  let response: unknown;
  try {
    [response] = within(Bun.XML.parse(xml), "response");
  } catch {
    return null;
  }
  // Some servers send a full address, and some leave a `#` unescaped.
  const href = textOf(within(response, "href")[0]).trim();
  const propstat_found = within(response, "propstat").find((propstat) =>
    / 2\d\d /.test(`${textOf(within(propstat, "status")[0])} `),
  );
  if (propstat_found === undefined) return null;
  const of = (name: string): unknown => within(within(propstat_found, "prop")[0], name)[0];
  const size_bytes = Number(textOf(of("getcontentlength")));
  return {
    path: decoded(href.replace(/^https?:\/\/[^/]*/i, "")),
    is_folder: within(of("resourcetype"), "collection").length > 0,
    etag: textOf(of("getetag")) || `${textOf(of("getlastmodified"))} ${size_bytes}`,
    size_bytes,
  };
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
const encoded = (path: string): string => path.split("/").map(encodeURIComponent).join("/");

// --- The source ----------------------------------------------------------------------------------

/** `a/b/c.txt` becomes `b/c.txt` in the subfolder `a`: folders have two levels. */
function itemOf(uri: string, inside: string, entry: Entry, bytes_max: number): SourceItem {
  if (entry.size_bytes > bytes_max)
    return { uri, error: `The file is larger than the limit of ${bytes_max} bytes.` };
  const [folder, ...subpath] = inside.split("/");
  return {
    uri,
    etag: entry.etag,
    ...(subpath.length === 0 ? { name: folder! } : { folder: folder!, name: subpath.join("/") }),
  };
}

const source: ImportSource<Share> = {
  type: "webdav",
  description:
    "A folder of Nextcloud or of another WebDAV server. Its folders become subfolders; " +
    "deeper paths become part of the names in them.",
  schema,

  check: async ({ url }) => {
    requireTarget(url, "/source/url");
  },

  async *items(share, tools) {
    const { origin, pathname } = new URL(share.url);
    const root = `${decoded(pathname).replace(/\/+$/, "")}/`;
    const folders = [root];
    let is_complete = true;
    for (let folder; (folder = folders.pop()) !== undefined;) {
      const url = origin + encoded(folder);
      try {
        const answer = await askForList(share, url, tools);
        for await (const entry of entriesOf(answer, url)) {
          const path = entry.path.replace(/\/+$/, "");
          const name = path.slice(folder.length);
          // The listing includes the folder itself.
          if (!path.startsWith(folder) || name === "" || /^\.|\//.test(name)) continue;
          if (!entry.is_folder)
            yield itemOf(
              origin + encoded(path),
              path.slice(root.length),
              entry,
              tools.upload_bytes_max,
            );
          else if (path.split("/").length - root.split("/").length < depth_max)
            folders.push(`${path}/`);
        }
      } catch (error) {
        if (!(error instanceof SourceFailure) || folder === root) throw error;
        is_complete = false;
        yield { uri: url, error: `This folder was not read. ${error.message}` };
      }
    }
    if (is_complete) tools.listingComplete();
  },

  async read({ uri, name }, share, tools) {
    const answer = await tools.request(uri, { headers: authorization(share) });
    if (answer.status === 200) {
      const type = answer.headers.get("content-type")?.split(";")[0]!.trim().toLowerCase();
      return {
        name: name!,
        media_type: type || null,
        bytes: answer.bytes(),
        release: () => answer.release(),
      };
    }
    await answer.release();
    throw answer.status === 404 || answer.status === 410
      ? new SourceFailure("The file no longer exists.", "gone")
      : refusal(share, uri, answer);
  },
};

export default definePlugin({
  name: "webdav",
  version: "1.0.0",
  setup: () => ({ fills: [fill(ImportSources, source)] }),
});
