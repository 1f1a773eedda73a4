/** The HTTP routes of sign-in methods. Only the console has them. */
import {
  HttpError,
  Nullable,
  reply,
  route,
  t,
  type Context,
  type HandlersOf,
  named,
} from "../../core/sdk";
import type { SignInCookies } from "./cookies";
import type { SignIn } from "./contract";
import { redirectPage } from "./redirect-page";
import type { SignInService } from "./service";

const tag = "Account";
const surface = "console";
const cookie = { "set-cookie": "The attempt, or the session." };

export const routes = {
  ways: route.get("/sign-in", {
    summary: "List the ways to sign in",
    tag,
    operation: "listSignInWays",
    surface,
    public: true,
    answers: {
      200: {
        description: "What the sign-in page shows.",
        schema: t.Object({
          password: t.Boolean({ description: "Email and password may be used." }),
          ways: t.Array(
            t.Object({
              id: t.String(),
              title: t.String({ description: "What its button says." }),
              automatic: t.Boolean({ description: "It needs no click." }),
            }),
          ),
          problem: Nullable(t.String(), "Why the last one in this browser failed; told once."),
        }),
        example: {
          password: true,
          ways: [{ id: "oidc", title: "Sign in with Example", automatic: false }],
          problem: null,
        },
      },
    },
  }),
  start: route.post("/sign-in/:way", {
    params: { way: "oidc" },
    summary: "Begin to sign in",
    tag,
    operation: "startSignIn",
    surface,
    public: true,
    description:
      "The browser goes on at `location`: at the provider, which sends it back to the callback, " +
      "or at the page that was asked for, where the request says enough.",
    body: t.Object({
      to: t.Optional(
        t.String({ description: "The page to come back to, below `/console`: `/folders`." }),
      ),
    }),
    body_optional: true,
    example: { to: "/folders" },
    answers: {
      200: {
        description: "Where to go on.",
        schema: named("Redirection", t.Object({ location: t.String() })),
        example: { location: "https://sso.example.com/authorize?client_id=dossier" },
        headers: cookie,
      },
    },
    errors: {
      403: {
        deactivated: "The user is deactivated.",
        not_a_user: "There is no such user, and none is made.",
        email_in_use: "Another user has this email.",
      },
      409: { wrong_address: "The browser would come back to another address." },
      502: { provider_failed: "The provider does not answer as it should." },
    },
  }),
  callback: route.get("/sign-in/:way/callback", {
    params: { way: "oidc" },
    summary: "Come back from signing in",
    tag,
    operation: "finishSignIn",
    surface,
    public: true,
    audited: true,
    description:
      "Where a provider sends the browser. Only the browser that has begun may come, once, " +
      "within ten minutes. What went wrong is said on the sign-in page.",
    answers: {
      302: { description: "Signed in; to the page that was asked for.", headers: cookie },
    },
    errors: {
      403: "This browser did not begin it, or this user may not come in: a page that leads back.",
      502: "The provider does not answer as it should: a page that leads back.",
    },
  }),
};

/** What the routes need. */
export interface SignInServices extends Pick<Context, "log"> {
  readonly service: SignInService;
  readonly cookies: SignInCookies;
  readonly ways: () => ReadonlyMap<string, SignIn>;
  readonly passwordAllowed: () => boolean;
}

export const signInHandlers = (ctx: SignInServices): HandlersOf<typeof routes> => ({
  ways: ({ request, client }) => {
    const { cookies, ways, passwordAllowed } = ctx;
    const problem = cookies.readProblem(request, client)?.detail ?? null;
    const offered = [...ways().values()].flatMap((way) => {
      const offer = way.offer ? way.offer(request, client) : "button";
      return offer === null
        ? []
        : [{ id: way.id, title: way.title, automatic: offer === "automatic" }];
    });
    return reply(
      200,
      { password: passwordAllowed(), ways: offered, problem },
      problem === null ? {} : { "set-cookie": cookies.clear("problem", client) },
    );
  },
  start: async (call) => {
    const { params, body, about } = call;
    try {
      const step = await ctx.service.start(params.way, body?.to ?? "/", call);
      about(step.user_id ?? params.way);
      return answer(Response.json({ location: step.location }), step.cookies);
    } catch (error) {
      about(params.way);
      throw inWords(error, params.way, ctx);
    }
  },
  callback: async (call) => {
    const { params, request, client, about } = call;
    const { service, cookies } = ctx;
    try {
      const search = new URL(request.url).searchParams;
      const { location, cookies: set, user_id } = await service.callback(params.way, search, call);
      if (user_id !== null) about(user_id);
      return answer(new Response(null, { status: 302, headers: { location } }), set);
    } catch (error) {
      about(params.way);
      const { status, detail } = inWords(error, params.way, ctx);
      const to = client.base_path + service.pathAfterFailure(call);
      return answer(redirectPage(status, detail, to), [cookies.problem({ detail }, client)]);
    }
  },
});

function answer(response: Response, cookies: readonly string[]): Response {
  response.headers.set("cache-control", "no-store");
  for (const cookie of cookies) response.headers.append("set-cookie", cookie);
  return response;
}

/**
 * Turns any error into one for the user, and logs the details: the audit log records only HTTP
 * errors, and everything here concerns access.
 */
function inWords(error: unknown, way: string, { log }: Pick<Context, "log">): HttpError {
  const is_http_error = error instanceof HttpError;
  log[is_http_error && error.status < 500 ? "info" : "error"]("a sign-in failed", {
    way,
    ...(is_http_error ? { code: error.code, detail: error.detail } : {}),
    ...(is_http_error
      ? {}
      : { error: error instanceof Error ? (error.stack ?? error.message) : error }),
  });
  return is_http_error
    ? error
    : new HttpError(
        500,
        "sign_in_failed",
        "Signing in failed. An administrator can find the reason in the server's log.",
      );
}
