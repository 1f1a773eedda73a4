/** The pages at the root of the server: a request in, one call to the set-up, a page out. */
import { HttpError, route, type HandlersOf } from "../../core/sdk";
import type { FirstAdmin } from "./first-admin";
import { alreadySetUpPage, badFormPage, badLinkPage, donePage, landingPage, setupPage } from "./pages";

/** More than any email, password and token can take. */
const form_bytes_max = 16_384;
const html = (description: string) => ({ description, media_type: "text/html" });

export const routes = {
  landing: route.get("/", {
    summary: "What runs here", tag: "Pages", operation: "showLanding", root: true,
    answers: { 200: html("A page with the version and links.") },
  }),
  showSetup: route.get("/setup", {
    summary: "Form for the first administrator", tag: "Pages", operation: "showSetup", root: true,
    answers: { 200: html("The form, or a page that says there is nothing to set up."), 403: html("The link is not valid.") },
  }),
  setup: route.post("/setup", {
    summary: "Create the first administrator", tag: "Pages", operation: "setUp", root: true, body_bytes_max: form_bytes_max,
    answers: { 200: html("The first API key, shown this once."), 400: html("The form again, with what was wrong."), 403: html("The link is not valid."), 409: html("There is an administrator already.") },
  }),
};

/** `public_url` is the address that the example on the last page calls. */
export const setupHandlers = (firstAdmin: FirstAdmin, public_url: () => string): HandlersOf<typeof routes> => ({
  landing: () => landingPage(),

  showSetup: ({ request }) => withPages(200, async () => {
    const token = new URL(request.url).searchParams.get("token") ?? "";
    await firstAdmin.check(token);
    return setupPage(token);
  }),

  setup: ({ request }) => withPages(409, async () => {
    const form = await readForm(request);
    const [token, email, password] = ["token", "email", "password"].map((field) => form.get(field) ?? "") as [string, string, string];
    try {
      const { user, key_token } = await firstAdmin.complete(token, { email, password });
      return donePage({ email: user.email, key_token, address: public_url() });
    } catch (error) {
      if (error instanceof HttpError && (error.status === 400 || error.code === "email_taken")) return setupPage(token, { email, problem: error.detail });
      throw error;
    }
  }),
});

/** Whoever opens a page gets a page, also when it can't be done. `set_up_status`: when there is an administrator already. */
async function withPages(set_up_status: number, show: () => Promise<Response>): Promise<Response> {
  try {
    return await show();
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    if (error.code === "already_set_up") return alreadySetUpPage(set_up_status);
    if (error.status === 403) return badLinkPage(error.detail);
    if (error.status < 500) return badFormPage(error.status, error.detail);
    throw error;
  }
}

/** What the form sent. @throws HttpError 413 or 415. */
async function readForm(request: Request): Promise<URLSearchParams> {
  const media_type = (request.headers.get("content-type") ?? "").split(";")[0]!.trim().toLowerCase();
  if (media_type !== "application/x-www-form-urlencoded") throw new HttpError(415, "unsupported_media_type", "This page takes what its own form sends (application/x-www-form-urlencoded).");
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request.body ?? []) {
    length += chunk.byteLength;
    if (length > form_bytes_max) throw new HttpError(413, "too_large", `The form is larger than the limit of ${form_bytes_max.toLocaleString("en-US")} bytes.`);
    chunks.push(chunk);
  }
  return new URLSearchParams(Buffer.concat(chunks).toString("utf8"));
}
