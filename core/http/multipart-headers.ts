/**
 * Parses two headers of a multipart form: Content-Type for the boundary of the body, and
 * Content-Disposition for the names of a part. Header values are byte strings.
 */

/** The boundary between parts; undefined when the media type names none. */
export const boundaryOf = (content_type: string | null): string | undefined => {
  const match = /;\s*boundary=(?:"([^"]{1,200})"|([^\s;,"]{1,200}))/i.exec(content_type ?? "");
  return match?.[1] ?? match?.[2];
};

/** The names of a part; undefined where the header doesn't contain one. */
export interface Disposition {
  readonly name: string | undefined;
  readonly file_name: string | undefined;
}

/**
 * `form-data; name="file"; filename="…"`, in the quoting of browsers (`%22`) and of other clients
 * (`\"`).
 */
export function dispositionOf(header: string | undefined): Disposition {
  const value = header ?? "";
  if (!/^form-data\s*(;|$)/i.test(value)) return { name: undefined, file_name: undefined };
  return {
    name: parameter(value, "name"),
    file_name: extendedFileName(value) ?? parameter(value, "filename"),
  };
}

function parameter(header: string, name: string): string | undefined {
  const start = new RegExp(`;\\s*${name}=`, "i").exec(header);
  if (!start) return undefined;
  const value = header.slice(start.index + start[0].length);
  const quoted = /^"((?:[^"\\]|\\.)*)"\s*(?:;|$)/.exec(value);
  if (quoted) return decodedUtf8(quoted[1]!.replaceAll(/\\(["\\])/g, "$1"));
  // A Windows path may end in a backslash, which is no escape then.
  return decodedUtf8((/^"([^"]*)"/.exec(value) ?? /^([^\s;"]*)/.exec(value))![1]!);
}

/** RFC 8187, which some clients still send: `filename*=UTF-8''caf%C3%A9.txt`. */
function extendedFileName(header: string): string | undefined {
  const match = /;\s*filename\*=utf-8'[^']*'([^\s;"]+)/i.exec(header);
  if (!match) return undefined;
  try {
    return decodeURIComponent(match[1]!);
  } catch {
    return undefined;
  }
}

const decodedUtf8 = (bytes: string): string => Buffer.from(bytes, "latin1").toString("utf8");
