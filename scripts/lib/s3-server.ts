/**
 * An S3-compatible store for long tests: SeaweedFS if its program `weed` is installed, or the one
 * in DOSSIER_S3_SERVER (`seaweedfs`, `moto`, `s3rver`); otherwise s3rver, from npm.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { filesPlaceOf } from "../../core/store/objects/files-url";
import { S3Place } from "../../core/store/objects/s3-place";
import { freePort } from "./free-port";

const key = { access_key: "dossier", secret_key: "secret-of-the-store" };
const start_ms_max = 60_000;

/** A running store with an empty bucket. */
export interface S3Server extends AsyncDisposable {
  readonly name: string;
  /** Lists objects with signed requests: s3rver refuses those of Bun's own client. */
  readonly place: S3Place;
  /** Settings of a server that keeps its originals there. */
  readonly env: Readonly<Record<string, string>>;
}

/** Starts one. @throws Error when its program is not installed */
export async function startS3Server(
  name = process.env.DOSSIER_S3_SERVER ?? (Bun.which("weed") === null ? "s3rver" : "seaweedfs"),
): Promise<S3Server> {
  const directory = mkdtempSync(join(tmpdir(), "dossier-s3-"));
  const port = await freePort();
  const stop =
    name === "s3rver"
      ? await startS3rver(directory, port)
      : await startProgram(name, directory, port);
  const keys = name === "s3rver" ? { access_key: "S3RVER", secret_key: "S3RVER" } : key;
  const endpoint = `http://127.0.0.1:${port}`;
  const url = `s3://originals?endpoint=${endpoint}`;
  const bucket = filesPlaceOf({ url, ...keys }, {});
  if (bucket.kind !== "bucket") throw new Error("it is a bucket");
  const place = new S3Place({ ...bucket, timeout_ms: start_ms_max, now_ms: () => Date.now() });
  for (const end_ms = performance.now() + start_ms_max; ;)
    try {
      // The others have the bucket, or create it with the first object.
      if (name === "moto") await fetch(`${endpoint}/originals`, { method: "PUT" });
      await place.probe();
      break;
    } catch (error) {
      if (performance.now() > end_ms) throw error;
      await Bun.sleep(200);
    }
  return {
    name,
    place,
    env: {
      DOSSIER_FILES_URL: url,
      DOSSIER_FILES_ACCESS_KEY: keys.access_key,
      DOSSIER_FILES_SECRET_KEY: keys.secret_key,
    },
    async [Symbol.asyncDispose]() {
      await stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function startS3rver(directory: string, port: number): Promise<() => Promise<void>> {
  const S3rver = require("@20minutes/s3rver");
  const server = new S3rver({
    address: "127.0.0.1",
    port,
    silent: true,
    directory,
    configureBuckets: [{ name: "originals" }],
  });
  server.logger.format = { transform: (line: object) => line };
  await server.run();
  return () => server.close();
}

/** A separate program, with a port for each of its parts. */
async function startProgram(
  name: string,
  directory: string,
  port: number,
): Promise<() => Promise<void>> {
  const ports = await Promise.all([freePort(), freePort(), freePort()]);
  const command =
    name === "moto"
      ? ["moto_server", "-H", "127.0.0.1", "-p", String(port)]
      : [
          ...["weed", "server", "-s3", `-dir=${directory}`, "-ip=127.0.0.1", "-ip.bind=127.0.0.1"],
          ...[`-s3.port=${port}`, `-master.port=${ports[0]}`, `-volume.port=${ports[1]}`],
          ...[`-filer.port=${ports[2]}`, "-volume.max=50", "-master.volumeSizeLimitMB=128"],
        ];
  const child = Bun.spawn(command, {
    cwd: directory,
    env: {
      PATH: process.env.PATH ?? "",
      HOME: directory,
      AWS_ACCESS_KEY_ID: key.access_key,
      AWS_SECRET_ACCESS_KEY: key.secret_key,
    },
    stdout: "ignore",
    stderr: "ignore",
  });
  return async () => {
    child.kill("SIGTERM");
    await child.exited;
  };
}
