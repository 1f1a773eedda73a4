/** The page that sends a browser back to where it came from after a failed sign-in. */

/**
 * Sent with the status of the failure, so that logs show it as one; the page redirects by itself.
 */
export const redirectPage = (status: number, detail: string, to: string): Response => {
  const text = Bun.escapeHTML(detail);
  const path = Bun.escapeHTML(to);
  return new Response(
    `<!doctype html><html lang="en"><meta charset="utf-8"><title>Sign in</title>` +
      `<meta http-equiv="refresh" content="0;url=${path}">` +
      `<p>${text}</p><p><a href="${path}">Back</a></p></html>`,
    { status, headers: { "content-type": "text/html; charset=utf-8" } },
  );
};
