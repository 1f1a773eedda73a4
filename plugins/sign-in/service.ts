/**
 * Runs the sign-in methods of plugins: an attempt started in a browser ends in the same browser,
 * once, and within a time limit.
 */
import { timingSafeEqual } from "node:crypto";
import {
  conflict,
  forbidden,
  HttpError,
  notFound,
  sameHost,
  type Call,
  type Context,
} from "../../core/sdk";
import type { BegunSession, KnownSession, Sessions } from "../accounts/contract";
import { console_root } from "../console/contract";
import { attempt_s, type Attempt, type SignInCookies } from "./cookies";
import { callbackPath, type SignedInUser, type SignIn } from "./contract";
import { returnPath } from "./return-path";
import { SingleUse } from "./single-use";

const remembered_length_max = 1_500;
const url_length_max = 8_000;

type ClientCall = Pick<Call, "request" | "client">;

/** What the service needs besides `Context`. */
export interface SignInContext extends Pick<Context, "log" | "shared"> {
  readonly ways: () => ReadonlyMap<string, SignIn>;
  readonly cookies: SignInCookies;
  readonly sessions: Pick<Sessions, "begin">;
  /** The setting `server.public_url`; null if it is not set. */
  readonly public_url: () => string | null;
}

/** Where to redirect the browser, and the cookies to set. */
export interface Step {
  readonly location: string;
  readonly cookies: readonly string[];
  /** The user who is signed in now, if any. */
  readonly user_id: string | null;
}

/** Begins and ends attempts, and keeps sessions only while their method confirms them. */
export class SignInService {
  private readonly used: SingleUse;

  constructor(private readonly ctx: SignInContext) {
    this.used = new SingleUse({ ...ctx, keep_ms: attempt_s * 1_000 });
  }

  /** @throws HttpError 404, 409 `wrong_address`, and errors of the method. */
  async start(id: string, to: string, client_call: ClientCall): Promise<Step> {
    const way = this.wayOf(id);
    const { client } = client_call;
    const path = returnPath(to);
    const state = newState();
    const callback_url = `${this.addressOf(way, client_call)}${callbackPath(id)}`;
    const step = await way.start({ ...client_call, state, callback_url });
    if ("user" in step) {
      const begun = await this.begin(way, step, client_call);
      const cleared_cookie = this.ctx.cookies.clear("problem", client);
      const cookies = [begun.cookie, cleared_cookie];
      return { location: client.base_path + path, cookies, user_id: step.user.id };
    }
    const { redirect, remember = "" } = step;
    checkStep(way, redirect, remember);
    const attempt = { way: id, state, to: path, callback_url, remembered: remember };
    return {
      location: redirect,
      cookies: [this.ctx.cookies.attempt(attempt, client)],
      user_id: null,
    };
  }

  /**
   * @throws HttpError 403 when this browser has not started the attempt, and errors of the method.
   */
  async callback(id: string, search: URLSearchParams, client_call: ClientCall): Promise<Step> {
    const way = this.wayOf(id);
    if (!way.callback) throw notFound("sign-in method");
    const attempt = await this.attemptOf(id, search, client_call);
    const { state, callback_url, remembered } = attempt;
    const url = new URL(`${callback_url}?${search}`);
    const user = await way.callback({ ...client_call, state, callback_url, url, remembered });
    const { cookie } = await this.begin(way, user, client_call);
    const cleared_cookies = (["attempt", "problem"] as const).map((kind) =>
      this.ctx.cookies.clear(kind, client_call.client),
    );
    return { location: attempt.to, cookies: [cookie, ...cleared_cookies], user_id: user.user.id };
  }

  /** Where to redirect after a failed callback: the page that was requested. */
  pathAfterFailure({ request, client }: ClientCall): string {
    return this.ctx.cookies.readAttempt(request, client)?.to ?? `${console_root}/`;
  }

  /** Whether every method confirms the session. */
  async holds(session: KnownSession, client_call: ClientCall): Promise<boolean> {
    const ways = this.ctx.ways();
    // Its method is switched off, so nothing confirms that the session is still valid.
    if (session.way !== null && !ways.has(session.way)) return false;
    for (const way of ways.values())
      if (way.holds && !(await way.holds(session, client_call.request, client_call.client)))
        return false;
    return true;
  }

  /** Where the browser goes after signing out; null: nowhere else. */
  async signedOut(
    session: KnownSession & { readonly kept: string | null },
    client_call: ClientCall,
  ): Promise<string | null> {
    const way = session.way === null ? undefined : this.ctx.ways().get(session.way);
    if (!way?.signOut) return null;
    const back_url = `${this.ownAddress(client_call)}${console_root}/sign-in`;
    try {
      return await way.signOut({ kept: session.kept, back_url });
    } catch (error) {
      this.ctx.log.warn("signing out at the provider failed", {
        way: way.id,
        error: String(error),
      });
      return null;
    }
  }

  private wayOf(id: string): SignIn {
    const way = this.ctx.ways().get(id);
    if (!way) throw notFound("sign-in method");
    return way;
  }

  private async attemptOf(
    id: string,
    search: URLSearchParams,
    { request, client }: ClientCall,
  ): Promise<Attempt> {
    const attempt = this.ctx.cookies.readAttempt(request, client);
    if (!attempt)
      throw refused(
        "sign_in_lost",
        "This sign-in was started in another browser, or more than ten minutes ago. Start " +
          "again.",
      );
    const states = search.getAll("state");
    if (attempt.way !== id || states.length !== 1 || !same(states[0]!, attempt.state))
      throw refused("state_mismatch", "A newer sign-in was started in this browser. Start again.");
    if (!(await this.used.redeem(attempt.state)))
      throw refused("used_already", "This sign-in was already used. Start again.");
    return attempt;
  }

  private async begin(
    way: SignIn,
    user: SignedInUser,
    client_call: ClientCall,
  ): Promise<BegunSession> {
    const origin = { way: way.id, kept: user.kept };
    const begun = await this.ctx.sessions.begin(user.user, client_call, origin);
    this.ctx.log.info("signed in", { way: way.id, user_id: user.user.id });
    return begun;
  }

  /**
   * @throws HttpError 409 when the browser would return to another address than the one it started
   * from.
   */
  private addressOf(way: SignIn, client_call: ClientCall): string {
    const { public_url } = this.ctx;
    const set = public_url();
    const from = URL.parse(client_call.request.headers.get("origin") ?? "");
    if (way.callback && set !== null && from && !sameHost(from.host, new URL(set).host))
      throw conflict(
        `To sign in this way, open this server at its own address, ${set}/console/, not at ` +
          `${from.origin}.`,
        "wrong_address",
      );
    return this.ownAddress(client_call);
  }

  /** As configured; otherwise from the request: the console has checked that it is this server. */
  private ownAddress({ request, client: { host, secure } }: ClientCall): string {
    const set = this.ctx.public_url();
    if (set !== null) return set;
    const from = URL.parse(request.headers.get("origin") ?? "");
    return from?.origin ?? `${secure ? "https" : "http"}://${host}`;
  }
}

const refused = (code: string, detail: string): HttpError => forbidden(detail, code);

const newState = (): string =>
  Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url");

function same(a: string, b: string): boolean {
  const one = Buffer.from(a);
  const other = Buffer.from(b);
  return one.length === other.length && timingSafeEqual(one, other);
}

/** Validates the result of a method. @throws Error */
function checkStep({ id }: SignIn, redirect: string, remember: string): void {
  if (
    !URL.canParse(redirect) ||
    !/^https?:\/\//i.test(redirect) ||
    redirect.length > url_length_max
  )
    throw new Error(`the way ${id} redirects to no address that begins with http:// or https://`);
  if (remember.length > remembered_length_max)
    throw new Error(`the way ${id} wants more remembered than ${remembered_length_max} characters`);
}
