/** Errors of the provider: a sentence for the user, the details for the log. */
import { errorCode, forbidden, HttpError, type Log } from "../../core/sdk";
import { isInvalidClient, oauthErrorOf } from "./provider";

const texts_max = 4;
const text_length_max = 300;

/** @throws HttpError always; an HttpError is rethrown as it is. */
export function throwReadable(error: unknown, log: Log): never {
  if (error instanceof HttpError) throw error;
  const reason = inWords(error);
  log.warn("the single sign-on provider failed", { code: reason.code, causes: causesOf(error) });
  throw reason;
}

function inWords(error: unknown): HttpError {
  // Compares codes, because the build shortens class names.
  const code = errorCode(error);
  const reason = oauthErrorOf(error);
  if (code === "OAUTH_AUTHORIZATION_RESPONSE_ERROR")
    return reason === "access_denied"
      ? forbidden("The sign-in was denied or cancelled at the provider.", "denied")
      : providerFault(
          `The sign-in provider could not sign you in (${reason ?? "no reason given"}).`,
        );
  if (isInvalidClient(error))
    return providerFault(
      "The sign-in provider does not accept this server's client ID or secret. Tell an " +
        "administrator.",
    );
  if (reason === "invalid_grant")
    return forbidden("This sign-in was already used or has expired. Start again.", "grant_refused");
  if (reason !== null)
    return providerFault(`The sign-in provider refused the sign-in (${reason}).`);
  if (mismatches.has(code))
    return forbidden(
      "The provider's response does not match this sign-in. Start again.",
      "answer_mismatch",
    );
  return unreachable(error)
    ? providerFault("The sign-in provider is not responding. Try again later.")
    : providerFault(
        "The provider's response can't be used. An administrator can find the reason in " +
          "the log.",
      );
}

/** Claims of the token that don't match this sign-in: nonce, issuer, audience or time. */
const mismatches: ReadonlySet<string> = new Set([
  "OAUTH_JWT_CLAIM_COMPARISON_FAILED",
  "OAUTH_JWT_TIMESTAMP_CHECK_FAILED",
  "OAUTH_INVALID_RESPONSE",
]);

const providerFault = (detail: string): HttpError => new HttpError(502, "provider_failed", detail);

/** Whether no response came, judged by the connection error at the end of the chain of causes. */
function unreachable(error: unknown): boolean {
  for (let cause = error, depth = 0; cause instanceof Error && depth < texts_max; depth++) {
    if (/^(E[A-Z]{3,}|Connection|FailedToOpen|OAUTH_TIMEOUT|OAUTH_ABORT)/.test(errorCode(cause)))
      return true;
    if (cause.name === "TimeoutError") return true;
    cause = cause.cause;
  }
  return false;
}

/** The messages of the error and its causes, each shortened; they contain nothing that was sent. */
function causesOf(error: unknown): string[] {
  const causes: string[] = [];
  for (
    let cause = error;
    cause instanceof Error && causes.length < texts_max;
    cause = cause.cause
  ) {
    const reason = oauthErrorOf(cause);
    const text = [errorCode(cause), reason, cause.message].filter(Boolean).join(": ");
    causes.push(text.slice(0, text_length_max).toWellFormed());
  }
  return causes;
}
