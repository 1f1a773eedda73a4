/**
 * An S3 server for tests (s3rver, which verifies signatures), behind a proxy that can be closed,
 * and that records requests.
 */
import { sep } from "node:path";
import { object_suffix, temporaryDirectory } from "./data-directory";

/** It ships no types. */
const S3rver = require("@20minutes/s3rver");

/** The response to a request; undefined lets it pass. */
type ProxyRule = (method: string, path: string) => Promise<Response | undefined> | undefined;

/** A running S3 server with one bucket. */
export interface ObjectStore extends AsyncDisposable {
  readonly endpoint: string;
  /** The directory with the files of its buckets. */
  readonly directory: string;
  readonly bucket: Bun.S3Client;
  /** Settings of a server that keeps its originals there. */
  readonly env: Readonly<Record<string, string>>;
  /** Requests such as `PUT /originals/ab/…`, in order, since this was emptied. */
  readonly requests: { method: string; path: string; range: string | null; bytes: number }[];
  /** The fate of requests from now on: pass, break, wait, or a given response. */
  door: "open" | "shut" | "slow" | ProxyRule;
  /** Names of the objects, except probes. */
  keys(): Promise<string[]>;
}

/** The only key that s3rver knows. */
export const key_of_store = { access_key: "S3RVER", secret_key: "S3RVER" };

/** Starts one with an empty bucket. */
export async function startObjectStore(): Promise<ObjectStore> {
  const directory = temporaryDirectory();
  const server = new S3rver({
    address: "127.0.0.1",
    port: 0,
    silent: true,
    directory,
    configureBuckets: [{ name: "originals" }],
  });
  // Logging is off, and its own formatter would load another version of its package here.
  server.logger.format = { transform: (line: object) => line };
  const { port } = await server.run();
  const upstream = `http://127.0.0.1:${port}`;
  const bucket = new Bun.S3Client({
    endpoint: upstream,
    bucket: "originals",
    region: "us-east-1",
    accessKeyId: key_of_store.access_key,
    secretAccessKey: key_of_store.secret_key,
  });
  const store = { requests: [], door: "open" } as unknown as {
    -readonly [K in keyof ObjectStore]: ObjectStore[K];
  };
  const door = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 255,
    maxRequestBodySize: 2 ** 34,
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      if (store.door === "slow") await Bun.sleep(60_000);
      if (store.door === "shut") return new Response("down", { status: 503 });
      const response =
        typeof store.door === "function" && (await store.door(request.method, pathname));
      if (response) return response;
      store.requests.push({
        method: request.method,
        path: pathname,
        range: request.headers.get("range"),
        bytes: Number(request.headers.get("content-length") ?? 0),
      });
      const headers = new Headers(request.headers);
      return fetch(`${upstream}${pathname}${search}`, {
        method: request.method,
        headers,
        ...(request.body && { body: request.body }),
        decompress: false,
      });
    },
  });
  store.endpoint = `http://127.0.0.1:${door.port}`;
  store.bucket = bucket;
  store.directory = directory;
  store.env = {
    DOSSIER_FILES_URL: `s3://originals?endpoint=${store.endpoint}`,
    DOSSIER_FILES_ACCESS_KEY: key_of_store.access_key,
    DOSSIER_FILES_SECRET_KEY: key_of_store.secret_key,
  };
  store.keys = async () => {
    const found = await Array.fromAsync(
      new Bun.Glob(`**/*${object_suffix}`).scan(`${directory}/originals`),
    );
    const keys = found.map((name) => name.slice(0, -object_suffix.length).replaceAll(sep, "/"));
    return keys.filter((key) => !key.includes("probe-"));
  };
  store[Symbol.asyncDispose] = async () => {
    await door.stop(true);
    await server.close();
  };
  return store as ObjectStore;
}
