/**
 * Seals secrets that must be readable again: AES-256-GCM with a key that is not in the database.
 */
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from "node:crypto";
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  rmSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";

/**
 * `bound_to` identifies the place of the secret, such as its table and row: elsewhere it can't be
 * opened.
 */
export interface Seal {
  readonly seal: (text: string, bound_to: string) => string;
  /** @throws Error when the key is missing or differs, or the text was changed or moved. */
  readonly unseal: (sealed: string, bound_to: string) => string;
}

/** The name of the key in the data directory. */
export const key_file = "secret.key";
const version_prefix = "v1.";
const nonce_bytes = 12;
const tag_bytes = 16;
const key_bytes = 32;

/**
 * Seals texts with AES-256-GCM. The key is derived from `secret_key` when that is set; otherwise it
 * is a file in the data directory, created with the first secret.
 */
export function createSeal(data: string, secret_key: string | undefined): Seal {
  const path = join(data, key_file);
  let cached_key: Buffer | undefined;
  const key = (): Buffer => (cached_key ??= secret_key ? deriveKey(secret_key) : readKey(path));
  return {
    seal(text, bound_to) {
      if (!secret_key && cached_key === undefined) ensureKey(path);
      const nonce = randomBytes(nonce_bytes);
      const cipher = createCipheriv("aes-256-gcm", key(), nonce).setAAD(Buffer.from(bound_to));
      const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
      return (
        version_prefix + Buffer.concat([nonce, sealed, cipher.getAuthTag()]).toString("base64")
      );
    },
    unseal(sealed, bound_to) {
      const bytes = Buffer.from(sealed.slice(version_prefix.length), "base64");
      const opened_with = key();
      try {
        const decipher = createDecipheriv(
          "aes-256-gcm",
          opened_with,
          bytes.subarray(0, nonce_bytes),
          {
            authTagLength: tag_bytes,
          },
        )
          .setAAD(Buffer.from(bound_to))
          .setAuthTag(bytes.subarray(-tag_bytes));
        return Buffer.concat([
          decipher.update(bytes.subarray(nonce_bytes, -tag_bytes)),
          decipher.final(),
        ]).toString("utf8");
      } catch {
        throw new Error(
          "a stored secret can't be decrypted: it was encrypted with a different secret key than " +
            (secret_key ? "DOSSIER_SECRET_KEY" : path),
        );
      }
    },
  };
}

const deriveKey = (secret_key: string): Buffer =>
  Buffer.from(
    hkdfSync(
      "sha256",
      createHash("sha256").update(secret_key).digest(),
      "",
      "dossier sealed secrets",
      key_bytes,
    ),
  );

/** Creates the file atomically, unless there is one. */
function ensureKey(path: string): void {
  if (existsSync(path)) return;
  const temporary = `${path}.${randomBytes(6).toString("hex")}`;
  const file = openSync(temporary, "wx", 0o600);
  try {
    writeSync(file, `${randomBytes(key_bytes).toString("base64")}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  try {
    linkSync(temporary, path);
  } catch (error) {
    if (!existsSync(path)) throw error;
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** @throws Error when the file is missing or contains no key. */
function readKey(path: string): Buffer {
  if (!existsSync(path)) throw new Error(`${path}, the secret key, is missing; put it back`);
  const key = Buffer.from(readFileSync(path, "utf8").trim(), "base64");
  if (key.length !== key_bytes)
    throw new Error(`${path} does not contain a key. Restore the right file`);
  return key;
}
