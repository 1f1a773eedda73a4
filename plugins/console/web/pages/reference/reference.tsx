/** The API reference: Swagger UI over the contract of this very server. Calls are tried out in the name of whoever is signed in. */
import style_path from "swagger-ui-dist/swagger-ui.css" with { type: "file" };
import SwaggerUI from "swagger-ui-dist/swagger-ui-es-bundle.js";
import { useEffect, useRef, useState } from "preact/hooks";
import { api_base, ApiProblem } from "../../api/client";
import { ButtonLink } from "../../ui/button";
import { PageHeader } from "../../ui/page-header";
import { ErrorView, Skeleton } from "../../ui/states";
import { reference_words as words } from "../../words/reference";
import { keepAccessible } from "./accessible";
import { consoleLayout, plainMarkdown } from "./swagger-parts";

const contract_path = "/api/dev/v1/openapi.json";
const contract_base = "/api/dev/v1";

/** The same call, behind the session instead of a key. */
function inMyName(url: string): string {
  const target = new URL(url, location.href);
  return target.pathname.startsWith(contract_base) && target.pathname !== contract_path ? `${location.origin}${api_base}${target.pathname.slice(contract_base.length)}${target.search}` : url;
}

/** Loads the sheet once; it stays, because its rules are all below `.swagger-ui`. */
function loadStyles(): Promise<void> {
  if (document.querySelector(`link[href="${style_path}"]`)) return Promise.resolve();
  const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href: style_path });
  const { promise, resolve } = Promise.withResolvers<void>();
  for (const ending of ["load", "error"]) link.addEventListener(ending, () => resolve(), { once: true });
  document.head.prepend(link);
  return promise;
}

export default function Reference() {
  const place = useRef<HTMLDivElement>(null);
  const [state, setState] = useState<"loading" | "shown" | { readonly error: unknown }>("loading");
  const show = async (signal: AbortSignal) => {
    setState("loading");
    try {
      const [spec] = await Promise.all([contract(signal), loadStyles()]);
      if (signal.aborted || !place.current) return;
      SwaggerUI({
        domNode: place.current, spec, layout: "ConsoleLayout", docExpansion: "list", displayRequestDuration: true, filter: true, validatorUrl: null, plugins: [plainMarkdown, consoleLayout],
        requestInterceptor: (call) => ({ ...call, url: inMyName(call.url), credentials: "same-origin" }),
        onComplete: () => setState("shown"),
      });
    } catch (error) { if (!signal.aborted) setState({ error }); }
  };
  useEffect(() => {
    const leaving = new AbortController();
    const watching = keepAccessible(place.current!);
    void show(leaving.signal);
    return () => { leaving.abort(); watching(); };
  }, []);
  return (
    <>
      <PageHeader title={words.title} text={words.text} actions={<><ButtonLink href="/keys" icon="key">{words.keys}</ButtonLink><a class="button" href={contract_path}>{words.document}</a></>} />
      {state === "loading" && <section class="card"><Skeleton rows={8} /></section>}
      {typeof state === "object" && <section class="card"><ErrorView error={state.error} onRetry={() => void show(new AbortController().signal)} /></section>}
      <div ref={place} class="reference" hidden={state !== "shown"} />
    </>
  );
}

async function contract(signal: AbortSignal): Promise<object> {
  const response = await fetch(contract_path, { signal });
  if (!response.ok) throw new ApiProblem(response.status, "unknown", words.failed);
  return await response.json() as object;
}
