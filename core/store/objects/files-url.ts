/** Parses and checks the setting `files.url`. */
import { fileURLToPath } from "node:url";
import { ConfigError } from "../../base/config";

/** Where a bucket is, and which of its objects are files of Dossier. */
export interface BucketAddress {
  /** Without a trailing slash: `https://s3.example.com`. */
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  /** The prefix of each object's name: empty, or with a trailing slash. */
  readonly prefix: string;
  /** `https://endpoint/bucket/key`, or `https://bucket.endpoint/key`. */
  readonly style: "path" | "host";
}
/** The keys for signing requests. */
export interface Credentials {
  readonly access_key: string;
  readonly secret_key: string;
  /** Of temporary credentials; null for permanent ones. */
  readonly session_token: string | null;
}
/** The value of the setting, parsed. */
export type FilesPlace =
  | { readonly kind: "directory"; readonly path: string }
  | { readonly kind: "bucket"; readonly address: BucketAddress; readonly credentials: Credentials };

interface FilesSettings {
  readonly url: string;
  readonly access_key?: string;
  readonly secret_key?: string;
}
type Environment = Readonly<Record<string, string | undefined>>;

const known_fields = new Set(["endpoint", "region", "style"]);
const bucket_pattern = /^[a-z0-9][a-z0-9._-]{1,61}[a-z0-9]$/i;

/** From the settings and the environment variables of Amazon's own tools. @throws ConfigError */
export function filesPlaceOf(settings: FilesSettings, env: Environment): FilesPlace {
  const url = URL.parse(settings.url);
  if (url?.protocol === "file:") return directoryOf(url);
  if (url?.protocol !== "s3:")
    throw invalidUrl("must start with s3:// (a bucket) or file:/// (a shared directory)");
  return {
    kind: "bucket",
    address: addressOf(settings.url, url, env),
    credentials: credentialsOf(settings, env),
  };
}

function directoryOf(url: URL): FilesPlace {
  if (url.host !== "" || url.search !== "" || url.pathname === "/")
    throw invalidUrl("must be file:/// and the path of a directory, such as file:///mnt/originals");
  return { kind: "directory", path: fileURLToPath(url) };
}

function addressOf(setting: string, url: URL, env: Environment): BucketAddress {
  if (url.username !== "" || url.password !== "")
    throw invalidUrl("must not contain the key. Set files.access_key and files.secret_key instead");
  // The URL parser would resolve dots in the path, and lower-case the bucket.
  const [, bucket = "", path = ""] = /^s3:\/\/([^/?#]*)\/?([^?#]*)/i.exec(setting) ?? [];
  if (!bucket_pattern.test(bucket))
    throw invalidUrl(`has no valid bucket: ${JSON.stringify(bucket)} (s3://bucket/prefix)`);
  const unknown = [...url.searchParams.keys()].find((name) => !known_fields.has(name));
  if (unknown !== undefined)
    throw invalidUrl(
      `has an unknown parameter ${JSON.stringify(unknown)}. Known are ${knownFields()}`,
    );
  const prefix = decodedPrefix(path);
  const region =
    url.searchParams.get("region") ?? env.AWS_REGION ?? env.AWS_DEFAULT_REGION ?? "us-east-1";
  if (!/^[a-z0-9-]{1,40}$/i.test(region)) throw invalidUrl("has an invalid region");
  const custom_endpoint =
    url.searchParams.get("endpoint") || env.AWS_ENDPOINT_URL_S3 || env.AWS_ENDPOINT_URL || null;
  const endpoint =
    custom_endpoint === null ? `https://s3.${region}.amazonaws.com` : endpointOf(custom_endpoint);
  return {
    endpoint,
    region,
    bucket,
    prefix,
    style: styleOf(url, bucket, custom_endpoint !== null),
  };
}

const knownFields = (): string => [...known_fields].join(", ");

function decodedPrefix(path: string): string {
  let prefix: string;
  try {
    prefix = decodeURIComponent(path);
  } catch {
    throw invalidUrl("has a prefix with an invalid % escape");
  }
  const parts = prefix.split("/").filter((part) => part !== "");
  if (parts.some((part) => part === "." || part === ".."))
    throw invalidUrl("has . or .. in its prefix");
  return parts.map((part) => `${part}/`).join("");
}

function endpointOf(address: string): string {
  const endpoint = URL.parse(address.includes("://") ? address : `https://${address}`);
  if (
    !endpoint ||
    !/^https?:$/.test(endpoint.protocol) ||
    endpoint.search !== "" ||
    endpoint.username !== ""
  )
    throw invalidUrl(
      `has an invalid endpoint: ${JSON.stringify(address)} (https://s3.example.com)`,
    );
  return `${endpoint.origin}${endpoint.pathname}`.replace(/\/+$/, "");
}

function styleOf(url: URL, bucket: string, has_endpoint: boolean): "path" | "host" {
  const style = url.searchParams.get("style");
  if (style !== null && style !== "path" && style !== "host")
    throw invalidUrl("has an invalid style; use path or host");
  // A wildcard certificate for buckets does not cover names with dots.
  return style ?? (has_endpoint || bucket.includes(".") ? "path" : "host");
}

function credentialsOf(settings: FilesSettings, env: Environment): Credentials {
  const has_settings = settings.access_key !== undefined || settings.secret_key !== undefined;
  const access_key = settings.access_key ?? (has_settings ? undefined : env.AWS_ACCESS_KEY_ID);
  const secret_key = settings.secret_key ?? (has_settings ? undefined : env.AWS_SECRET_ACCESS_KEY);
  if (!access_key || !secret_key)
    throw new ConfigError([
      `files.url is a bucket, but ${access_key ? "files.secret_key" : "files.access_key"} ` +
        "is not set (nor are AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY).",
    ]);
  const session_token = has_settings ? null : env.AWS_SESSION_TOKEN || null;
  return { access_key, secret_key, session_token };
}

const invalidUrl = (problem: string): ConfigError => new ConfigError([`files.url ${problem}.`]);
