/** Races about access: users, administrators, passwords, single-use sign-in tokens. */
import { newToken, sha256 } from "../../plugins/accounts/token";
import { addressOf, expected, fire, statusCounts, type Race, type Session } from "./race";

const password = "correct horse battery staple";
const day_ms = 24 * 3_600_000;
/** A prefix that makes a password too long: it is refused without hashing. */
const wrong_password = "x".repeat(1_100);

const passwords: Race = {
  name: "wrong passwords",
  begin:
    ({ send }) =>
    async (round) => {
      const answers = await fire(6, (n) =>
        send(
          n,
          "POST",
          "//console/api/v1/session",
          { email: `nobody${round}@example.com`, password: `${wrong_password}${n}` },
          addressOf(round),
        ),
      );
      return expected(answers, "401 ×5, 429 ×1");
    },
};

const emails: Race = {
  name: "users of one address",
  async begin({ send, signIn }) {
    const { cookie } = await signIn("inviting", "admin");
    return async (round) => {
      const user = { email: `invited${round}@example.com`, role: "member" };
      const answers = await fire(6, (n) =>
        send(n, "POST", "//console/api/v1/users", user, { cookie }),
      );
      return expected(answers, "201 ×1, 409 ×5");
    };
  },
};

const sign_ins: Race = {
  name: "sign-ins elsewhere that are used once",
  begin:
    ({ send }) =>
    async (round) => {
      const path = "//console/api/v1/sign-in/racing";
      // Without the lane's key: browsers have none.
      const begun = await send(round, "POST", path, {}, { cookie: "" });
      const [cookie = ""] = begun.headers.getSetCookie().map((cookie) => cookie.split(";")[0]!);
      const { location } = (await begun.json()) as { readonly location: string };
      const { search } = new URL(location);
      const answers = await fire(6, (n) =>
        send(n, "GET", `${path}/callback${search}`, undefined, { cookie }),
      );
      return expected(answers, "302 ×1, 403 ×5");
    },
};

/** Removes the role from everybody, so that there is no administrator. */
const nobody_rules = "update accounts_users set role = 'member' where role = 'admin'";

const last_administrator: Race = {
  name: "the last administrator",
  lanes_max: 1,
  async begin({ send, signIn, sql }) {
    await sql(nobody_rules);
    const rivals = [await signIn("one", "admin"), await signIn("other", "admin")] as const;
    const change = (n: number, by: Session, whom: Session, role: string) =>
      send(n, "PATCH", `//console/api/v1/users/${whom.user_id}`, { role }, { cookie: by.cookie });
    return async (round) => {
      const [first_rival, other] = round % 2 === 0 ? rivals : [rivals[1], rivals[0]];
      const answers = await Promise.all([
        change(round, first_rival, other, "member"),
        change(round + 1, other, first_rival, "member"),
      ]);
      const accepted = answers.map(({ status }) => status === 200);
      if (accepted[0] === accepted[1]) return statusCounts(answers);
      const [remaining, demoted] = accepted[0] ? [first_rival, other] : [other, first_rival];
      const back = await change(round + 2, remaining, demoted, "admin");
      return back.status === 200
        ? null
        : `${back.status}: the remaining user is not an administrator`;
    };
  },
};

const first_administrator: Race = {
  name: "the first administrator",
  lanes_max: 1,
  begin:
    ({ send, sql }) =>
    async (round) => {
      const token = newToken("dst");
      await sql(nobody_rules);
      await sql("insert into accounts_setup_links (token_sha256, expires_at) values ($1, $2)", [
        sha256(token),
        Date.now() + day_ms,
      ]);
      // Each takes a processor for a moment, so as few as can race.
      const answers = await fire(2, (n) =>
        send(
          round + n,
          "POST",
          "//console/api/v1/setup",
          { token, email: `first${round}.${n}@example.com`, password },
          { cookie: "" },
        ),
      );
      return expected(answers, "201 ×1, 409 ×1");
    },
};

const rate: Race = {
  name: "rate limit of one address",
  begin:
    ({ send }) =>
    async (round) => {
      const headers = { ...addressOf(round), authorization: "Bearer none" };
      const answers = await fire(12, (n) => send(n, "GET", "/folders", undefined, headers));
      return expected(answers, "401 ×7, 429 ×5");
    },
};

/** The races that can run beside others. */
export const people_races: readonly Race[] = [
  passwords,
  emails,
  sign_ins,
  last_administrator,
  first_administrator,
];
/** With a rate limit that would disturb all others. */
export const rate_races: readonly Race[] = [rate];
