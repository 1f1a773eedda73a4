/**
 * The pure parts of accounts: the format of keys, which passwords are accepted, and when the last
 * use of a key is written.
 */
import { describe, expect, spyOn, test } from "bun:test";
import { HttpError } from "../../core/base/errors";
import { jsonLog } from "../../core/base/log";
import { redact } from "../../core/base/redaction";
import { parseTime } from "../../plugins/accounts/key";
import { checkPassword, Passwords } from "../../plugins/accounts/passwords";
import { KeyAuthenticator } from "../../plugins/accounts/authenticator";
import {
  newKeyToken,
  newToken,
  publicIdOf,
  sameDigest,
  sha256,
} from "../../plugins/accounts/token";
import { LastUseBuffer } from "../../plugins/accounts/last-use";

const quiet = jsonLog("error", () => {});

describe("a key", () => {
  test("has a fixed format, contains its public id, and is unique", () => {
    const keys = Array.from({ length: 200 }, newKeyToken);
    for (const { token, public_id } of keys) {
      expect(token).toMatch(/^dsk_[0-9A-Za-z]{50}$/);
      expect(publicIdOf(token)).toBe(public_id);
      expect(token.startsWith(`dsk_${public_id}`)).toBe(true);
    }
    expect(new Set(keys.map(({ public_id }) => public_id)).size).toBe(200);
  });

  test("with any single character mistyped is not a key", () => {
    const { token } = newKeyToken();
    for (let at = 0; at < token.length; at++) {
      const wrong = token.slice(0, at) + (token[at] === "x" ? "y" : "x") + token.slice(at + 1);
      expect([at, publicIdOf(wrong)]).toEqual([at, null]);
    }
  });

  const token = "dsk_HBI3CxkW05S6ATPyB7N7ZZ4SDRrXOlMO4zJEB06twyQp1onWk5";
  test("made by an earlier release is still valid", () =>
    expect(publicIdOf(token)).toBe("HBI3CxkW05S6"));
  const cases: [string, string][] = [
    ["an empty string", ""],
    ["the prefix alone", "dsk_"],
    ["a truncated key", token.slice(0, -1)],
    ["a key with an extra character", `${token}0`],
    ["another prefix", token.replace("dsk_", "dst_")],
    ["an upper-case prefix", token.replace("dsk_", "DSK_")],
    ["a key with two swapped letters", token.slice(0, 8) + token[9]! + token[8]! + token.slice(10)],
    ["a key with a trailing line break", `${token}\n`],
    ["a megabyte of text", "x".repeat(2 ** 20)],
  ];
  for (const [why, text] of cases)
    test(`${why} is not a key`, () => expect(publicIdOf(text)).toBeNull());

  test("that is malformed is refused without a database lookup", async () => {
    let looks = 0;
    const reads = {
      get: async () => {
        looks += 1;
        return undefined;
      },
      all: async () => [],
    };
    const keys = new KeyAuthenticator({
      reads,
      now_ms: () => 0,
      last_use: { note: () => {} },
    });
    for (const [, text] of cases) await keys.authenticate(text);
    expect(looks).toBe(0);
    expect(await keys.authenticate(token)).toBeNull();
    expect(looks).toBe(1);
  });
});

describe("a key checked against its database row:", () => {
  const { token, public_id } = newKeyToken();
  const row = {
    id: "key_1",
    user_id: "usr_ada",
    token_sha256: sha256(token),
    scopes: "read,write",
    expires_at: null as number | null,
  };
  const cases: [string, Partial<typeof row>, string[] | null][] = [
    ["the digest matches", {}, ["read", "write"]],
    ["read scope only", { scopes: "read" }, ["read"]],
    ["write scope only", { scopes: "write" }, ["write"]],
    ["a different secret under the same public id", { token_sha256: sha256(`${token}x`) }, null],
    ["a millisecond before it expires", { expires_at: 1_001 }, ["read", "write"]],
    ["at the millisecond it expires", { expires_at: 1_000 }, null],
    ["after it expired", { expires_at: 1 }, null],
  ];
  for (const [why, change, scopes] of cases)
    test(why, async () => {
      const used: [string, number][] = [];
      const rows: Record<string, object> = {
        [public_id]: { ...row, ...change },
        usr_ada: { id: "usr_ada" },
      };
      const reads = {
        get: async <R>(_sql: string, id: unknown) => rows[String(id)] as R | undefined,
        all: async () => [],
      };
      const keys = new KeyAuthenticator({
        reads,
        now_ms: () => 1_000,
        last_use: { note: (...use) => void used.push(use) },
      });
      expect(await keys.authenticate(token)).toEqual(
        scopes ? ({ owner_id: "usr_ada", key_id: "key_1", scopes, admin: false } as never) : null,
      );
      expect(used).toEqual(scopes ? [["key_1", 1_000]] : []);
    });
});

test("digests are compared as a whole", () => {
  expect(sameDigest(sha256("a"), sha256("a"))).toBe(true);
  expect(sameDigest(sha256("a"), sha256("b"))).toBe(false);
});

test("no key, and no token of a link or a session, survives in a log line", () => {
  for (const secret of [newKeyToken().token, newToken("dst"), newToken("dsi"), newToken("dss")])
    expect(redact(`"url":"/console/setup#t=${secret}"`)).not.toContain(secret.slice(8, 20));
});

describe("a password:", () => {
  const cases: [string, string, boolean][] = [
    ["ten characters are enough", "abcdefghij", true],
    ["ten emoji are enough", "🗂".repeat(10), true],
    ["spaces count and are kept", "          ", true],
    ["nine characters are too few", "abcdefghi", false],
    ["nine emoji are too few", "🗂".repeat(9), false],
    ["an empty one is refused", "", false],
    ["1,024 bytes are accepted", "x".repeat(1_024), true],
    ["1,025 bytes are too many", "x".repeat(1_025), false],
  ];
  for (const [why, password, good] of cases)
    test(why, () => {
      if (good) expect(() => checkPassword(password)).not.toThrow();
      else expect(() => checkPassword(password)).toThrow(HttpError);
    });

  test("is stored as argon2id and matches in any Unicode normalization form", async () => {
    const passwords = new Passwords();
    const stored_hash = await passwords.hash("cafe\u0301 au lait");
    expect(stored_hash).toStartWith("$argon2id$v=19$m=65536,t=2,p=1$");
    expect(await passwords.verify("caf\u00e9 au lait", stored_hash)).toBe(true);
    expect(await passwords.verify("cafe au lait", stored_hash)).toBe(false);
  });

  test("without a stored hash never matches", async () => {
    expect(await new Passwords().verify("nobody has this password", undefined)).toBe(false);
  });

  test("beyond the queue limit gets 503 with Retry-After; queued ones are checked", async () => {
    // A hundred hashes would take a processor for ten seconds.
    const looked_at = spyOn(Bun.password, "verify").mockImplementation(async () => {
      await Bun.sleep(0);
      return true;
    });
    try {
      const passwords = new Passwords();
      const answers = await Promise.all(
        Array.from({ length: 104 }, () =>
          passwords.verify("x".repeat(10), "$a hash").catch((error: unknown) => error),
        ),
      );
      const turned_away = answers.filter((answer) => answer instanceof HttpError);
      expect(turned_away.map(({ status, headers }) => [status, headers["retry-after"]])).toEqual([
        [503, "5"],
        [503, "5"],
      ]);
      expect(answers.filter((answer) => answer === true)).toHaveLength(102);
      expect(looked_at).toHaveBeenCalledTimes(102);
    } finally {
      looked_at.mockRestore();
    }
  });

  test("is checked correctly when many are checked at once", async () => {
    const passwords = new Passwords();
    const stored_hash = await passwords.hash("correct horse");
    const words = ["correct horse", "wrong horse", "correct horse", "wrong horse", "correct horse"];
    expect(await Promise.all(words.map((word) => passwords.verify(word, stored_hash)))).toEqual([
      true,
      false,
      true,
      false,
      true,
    ]);
  });
});

describe("the last use of keys", () => {
  test("is written once for many requests, with the newest time", async () => {
    const written: Map<string, number>[] = [];
    const usage = new LastUseBuffer({
      log: quiet,
      write: async (uses) => void written.push(new Map(uses)),
    });
    for (let at = 1; at <= 100; at++) usage.note("key_a", at);
    usage.note("key_b", 50);
    await usage.flush();
    await usage.flush();
    expect(written).toEqual([
      new Map([
        ["key_a", 100],
        ["key_b", 50],
      ]),
    ]);
  });

  test("is kept when a write fails, and a newer time wins", async () => {
    const written: [string, number][] = [];
    let broken = true;
    const usage = new LastUseBuffer({
      log: quiet,
      write: async (uses) => {
        await Promise.resolve();
        if (broken) throw new Error("disk full");
        written.push(...uses);
      },
    });
    usage.note("key_a", 1);
    usage.note("key_b", 1);
    const flushing = usage.flush();
    usage.note("key_a", 2);
    await flushing;
    broken = false;
    await usage.stop();
    expect(written.toSorted()).toEqual([
      ["key_a", 2],
      ["key_b", 1],
    ]);
  });

  test("is written on stop, after a write already in progress", async () => {
    const written: [string, number][] = [];
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    const usage = new LastUseBuffer({
      log: quiet,
      write: async (uses) => {
        await gate;
        written.push(...uses);
      },
    });
    usage.note("key_a", 1);
    const flushing = usage.flush();
    usage.note("key_a", 2);
    const stopping = usage.stop();
    open();
    await Promise.all([flushing, stopping]);
    expect(written).toEqual([
      ["key_a", 1],
      ["key_a", 2],
    ]);
  });
});

describe("a date on the command line:", () => {
  const cases: [string, string, string | null][] = [
    ["a day means midnight UTC", "2027-01-01", "2027-01-01T00:00:00.000Z"],
    ["a time with a zone", "2027-01-01T12:00:00+02:00", "2027-01-01T10:00:00.000Z"],
    ["29 February in a leap year", "2028-02-29", "2028-02-29T00:00:00.000Z"],
    ["29 February in a common year", "2027-02-29", null],
    ["month 13", "2027-13-01", null],
    ["hour 25", "2027-01-01T25:00:00Z", null],
    ["a time without a zone", "2027-01-01T12:00:00", null],
    ["prose", "next year", null],
    ["an empty string", "", null],
    ["day-month-year order", "01-02-2027", null],
  ];
  for (const [why, written, expected] of cases)
    test(why, () => {
      if (expected === null) expect(() => parseTime(written)).toThrow(/is not a valid date/);
      else expect(new Date(parseTime(written)).toISOString()).toBe(expected);
    });
});
