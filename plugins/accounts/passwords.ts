/** Which passwords are allowed, and how they are hashed (argon2id). */
import { Limiter, LimiterRefusal } from "../../core/lib/limiter";
import { badRequest, codePoints, unavailable } from "../../core/sdk";

const password_length_min = 10;
const password_bytes_max = 1_024;
/** Concurrent hashes: each takes 64 MiB and a core for a moment. */
const concurrency_max = 2;
/** This many may wait: a flood of sign-ins is rejected instead of piling up. */
const waiting_max = 100;

/** @throws HttpError 400 that says what is missing. */
export function checkPassword(password: string, pointer = "/password"): void {
  if (codePoints(password) < password_length_min)
    throw badRequest(`The password must have at least ${password_length_min} characters.`, pointer);
  if (Buffer.byteLength(password) > password_bytes_max)
    throw badRequest(
      `The password must have at most ${password_bytes_max.toLocaleString("en-US")} bytes.`,
      pointer,
    );
}

/**
 * The hash of a password that nobody has, made like those of `hash`: used for the comparison when
 * there is no user.
 */
const decoy =
  "$argon2id$v=19$m=65536,t=2,p=1$AvQSl3ip+Kfo/qjObxq4rLYowGWpLNNA/p7zWg9jHcE$" +
  "fab9c0yzDZqOtVXyD95+orz+WGMFjsBCiAwR9P+emL0";

/** Hashes and verifies passwords, a few at a time because each needs much memory. */
export class Passwords {
  private readonly limiter = new Limiter({ concurrency: concurrency_max, waiting_max });

  /**
   * The value to store instead of the password. @throws HttpError 503 when too many are waiting
   * already.
   */
  hash(password: string): Promise<string> {
    return this.limited(() =>
      Bun.password.hash(normalized(password), {
        algorithm: "argon2id",
        memoryCost: 65_536,
        timeCost: 2,
      }),
    );
  }

  /**
   * Whether it is the password of this hash. Without a hash (undefined, or not a hash of a
   * password) the result is false, and takes as long. @throws HttpError 503 when too many are
   * waiting already.
   */
  async verify(password: string, password_hash: string | undefined): Promise<boolean> {
    if (Buffer.byteLength(password) > password_bytes_max) return false;
    const is_hash = password_hash?.startsWith("$") ?? false;
    const same = await this.limited(() =>
      Bun.password.verify(normalized(password), is_hash ? password_hash! : decoy, "argon2id"),
    );
    return same && is_hash;
  }

  private limited<T>(work: () => Promise<T>): Promise<T> {
    return this.limiter.run(work).catch((error: unknown) => {
      throw error instanceof LimiterRefusal ? tooManySignIns() : error;
    });
  }
}

/** The refusal when too many passwords wait to be checked. */
export const tooManySignIns = () =>
  unavailable("Too many people are signing in at the moment. Try again shortly.", 5);

/** The same password typed on two keyboards may have different code points. */
const normalized = (password: string): string => password.normalize("NFKC");
