/** The few pages that the server shows by itself: plain HTML that works without scripts and loads nothing. */
import { version } from "../../core/sdk";
import { key_command } from "./first-admin";
import { password_length_min } from "./passwords";

const style = `
:root { color-scheme: light dark; --ink: #1d2327; --soft: #5b656d; --line: #d5dade; --paper: #fbfbf9; --card: #fff; --accent: #2b5d8a; --bad: #9c2f2f }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e8ea; --soft: #9aa4ac; --line: #3a4248; --paper: #16191c; --card: #1e2327; --accent: #86b5de; --bad: #f0a0a0 } }
* { box-sizing: border-box }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.55 system-ui, sans-serif }
main { max-width: 40rem; margin: 8vh auto; padding: 0 1.25rem }
h1 { font-size: 1.5rem; font-weight: 600; margin: 0 0 .5rem }
p { margin: .75rem 0 }
a { color: var(--accent) }
.soft { color: var(--soft) }
.bad { color: var(--bad) }
form { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: 1.25rem; margin: 1.25rem 0 }
label { display: block; font-weight: 500; margin: 0 0 .25rem }
input { width: 100%; font: inherit; color: inherit; background: var(--paper); border: 1px solid var(--line); border-radius: .35rem; padding: .5rem .65rem; margin: 0 0 1rem }
button { font: inherit; font-weight: 500; color: var(--card); background: var(--accent); border: 0; border-radius: .35rem; padding: .55rem 1.1rem; cursor: pointer }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px }
pre, code { font: .9rem/1.5 ui-monospace, monospace }
pre { background: var(--card); border: 1px solid var(--line); border-radius: .35rem; padding: .75rem; overflow-x: auto; white-space: pre-wrap; overflow-wrap: anywhere; user-select: all }
`;
const style_hash = new Bun.CryptoHasher("sha256").update(style).digest("base64");

/** The page may hold a token or a key: nobody keeps it, frames it or hears of its address, and nothing but its own style counts. */
const headers = {
  "content-type": "text/html; charset=utf-8",
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "content-security-policy": `default-src 'none'; style-src 'sha256-${style_hash}'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
};

/** `main` is HTML: everything in it that came from outside goes through `escaped`. */
const page = (status: number, title: string, main: string): Response => new Response(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title === "Dossier" ? title : `${escaped(title)} · Dossier`}</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<main>
<h1>${escaped(title)}</h1>
${main}
</main>
</body>
</html>
`, { status, headers });

/** Text as HTML text or as a quoted attribute. */
const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

const withCommand = `On the machine that runs the server, make one with the command below; give it the server's data directory by <code>--data</code>.</p>
<pre>${escaped(key_command)}</pre>`;

/** What runs here, and where to go on. */
export const landingPage = (): Response => page(200, "Dossier", `
<p>Folders, documents and cited answers over one HTTP API. Version ${escaped(version)}.</p>
<ul>
<li><a href="/api/dev/v1/openapi.json">The API as an OpenAPI document</a></li>
<li><a href="/health">Health of this server</a></li>
</ul>
<p>Every call needs an API key. ${withCommand}
<p class="soft">On a new server, open the set-up link that it printed when it started, or print another with <code>dossier setup --link</code>.</p>`);

/** Asks for the first administrator. `problem` says what was wrong with the last try. */
export const setupPage = (token: string, entered: { readonly email: string; readonly problem: string | null } = { email: "", problem: null }): Response => page(entered.problem === null ? 200 : 400, "Set up Dossier", `
<p>Create the administrator of this server. The next page shows your first API key.</p>
${entered.problem === null ? "" : `<p class="bad" role="alert">${escaped(entered.problem)}</p>`}
<form method="post" action="/setup">
<input type="hidden" name="token" value="${escaped(token)}">
<label for="email">Email</label>
<input id="email" name="email" type="email" autocomplete="username" required autofocus value="${escaped(entered.email)}">
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="new-password" required minlength="${password_length_min}" aria-describedby="password-rule">
<p class="soft" id="password-rule">At least ${password_length_min} characters.</p>
<button type="submit">Create administrator</button>
</form>`);

/** The key, this once, and what to do with it. */
export const donePage = ({ email, key_token, address }: { readonly email: string; readonly key_token: string; readonly address: string }): Response => page(200, "Dossier is ready", `
<p>${escaped(email)} is the administrator. This is your first API key; it is shown only now, so keep it somewhere safe:</p>
<pre>${escaped(key_token)}</pre>
<p>Make your first folder with it:</p>
<pre>${escaped(curlExample(address, key_token))}</pre>
<p class="soft">More keys: <code>${escaped(`dossier key create --user ${email} --name NAME`)}</code>. The whole API: <a href="/api/dev/v1/openapi.json">OpenAPI document</a>.</p>`);

const curlExample = (address: string, key_token: string): string => [
  `curl ${address}/api/dev/v1/folders \\`,
  `  -H "Authorization: Bearer ${key_token}" \\`,
  `  -H "Content-Type: application/json" \\`,
  `  -d '{"name": "My first folder"}'`,
].join("\n");

/** There is nothing to set up any more. */
export const alreadySetUpPage = (status: number): Response => page(status, "Dossier is set up", `
<p>This server has an administrator already. ${withCommand}
<p class="soft">Forgotten the password? <code>dossier user passwd --email EMAIL --password-stdin</code></p>`);

/** The link can't be used. */
export const badLinkPage = (problem: string): Response => page(403, "This link does not work", `
<p>${escaped(problem)}</p>
<p>On the machine that runs the server, print a new one with:</p>
<pre>dossier setup --link</pre>`);

/** The request is not what the form sends. */
export const badFormPage = (status: number, problem: string): Response => page(status, "This can't be read", `<p>${escaped(problem)}</p>`);
