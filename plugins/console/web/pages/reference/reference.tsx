/**
 * The API reference: Swagger UI over the OpenAPI document of this server. Requests are sent as the
 * signed-in user.
 */
import style_file from "swagger-ui-dist/swagger-ui.css" with { type: "file" };
import { useQuery } from "@tanstack/preact-query";
import { useEffect, useRef, useState } from "preact/hooks";
import { base_path } from "../../api/base";
import { api_base, offline, problemFrom, unreachable } from "../../api/client";
import { ButtonLink } from "../../ui/button";
import { PageHeader } from "../../ui/page-header";
import { Loading, Skeleton } from "../../ui/states";
import { reference_strings as strings } from "../../strings/reference";
import { keepAccessible } from "./accessibility";
import { consoleLayout, plainMarkdown } from "./swagger-plugins";

const contract_base = `${base_path}/api/dev/v1`;
const contract_path = `${contract_base}/openapi.json`;
/** The build sets the name of the file beside this script. */
const style_path = new URL(style_file, import.meta.url).pathname;

/** The same operation in the console's API, which accepts the session instead of a key. */
function consoleUrl(url: string): string {
  const target = new URL(url, location.href);
  return target.pathname.startsWith(contract_base) && target.pathname !== contract_path
    ? `${location.origin}${api_base}${target.pathname.slice(contract_base.length)}${target.search}`
    : url;
}

/** Loads the style sheet once; it stays, because all its rules are scoped to `.swagger-ui`. */
function loadStyles(): Promise<void> {
  if (document.querySelector(`link[href="${style_path}"]`)) return Promise.resolve();
  const link = Object.assign(document.createElement("link"), {
    rel: "stylesheet",
    href: style_path,
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  for (const ending of ["load", "error"])
    link.addEventListener(ending, () => resolve(), { once: true });
  document.head.prepend(link);
  return promise;
}

/** Fetches the OpenAPI document, which is outside the console's own API. @throws ApiProblem */
async function loadContract(signal: AbortSignal): Promise<Contract> {
  const response = await fetch(contract_path, { signal }).catch((error: unknown) => {
    if (signal.aborted) throw error;
    unreachable.value = true;
    throw offline();
  });
  if (!response.ok)
    throw problemFrom(
      response.status,
      await response.text(),
      (name) => response.headers.get(name),
      contract_path,
    );
  return withoutEmptyDescriptions((await response.json()) as Contract);
}

interface Contract {
  readonly tags?: readonly { readonly name: string; readonly description?: string }[];
}
/** A tag whose description equals its name, the default for plugins, is shown once. */
const withoutEmptyDescriptions = ({ tags = [], ...contract }: Contract): Contract => ({
  ...contract,
  tags: tags.map(({ name, description }) => ({
    name,
    ...(description && description !== `${name}.` && { description }),
  })),
});

/** Requests use the session; snippets to copy use an API key. */
async function render(domNode: HTMLElement, spec: object, onComplete: () => void): Promise<void> {
  // Much larger than the rest of the console, so it is loaded only for this page.
  const { default: SwaggerUI } = await import("swagger-ui-dist/swagger-ui-es-bundle.js");
  const ui = SwaggerUI({
    domNode,
    spec,
    layout: "ConsoleLayout",
    docExpansion: "list",
    displayRequestDuration: true,
    filter: true,
    validatorUrl: null,
    plugins: [plainMarkdown, consoleLayout],
    showMutatedRequest: false,
    requestInterceptor: ({ headers: { Authorization: _placeholder, ...headers }, ...call }) => ({
      ...call,
      headers,
      url: consoleUrl(call.url),
      credentials: "same-origin",
    }),
    onComplete: () => {
      ui.preauthorizeApiKey("apiKey", strings.key_placeholder);
      onComplete();
    },
  });
}

export default function Reference() {
  const container = useRef<HTMLDivElement>(null);
  const [shown, setShown] = useState(false);
  const contract = useQuery({
    queryKey: ["contract"],
    queryFn: ({ signal }) => loadContract(signal),
    staleTime: Infinity,
  });
  useEffect(() => keepAccessible(container.current!), []);
  useEffect(() => {
    const spec = contract.data;
    if (!spec) return;
    let is_mounted = true;
    void loadStyles().then(() => {
      if (is_mounted)
        void render(container.current!, spec, () => {
          if (is_mounted) setShown(true);
        });
    });
    return () => {
      is_mounted = false;
    };
  }, [contract.data !== undefined]);
  return (
    <>
      <PageHeader
        title={strings.title}
        text={strings.text}
        actions={
          <>
            <ButtonLink href="/keys" icon="key">
              {strings.keys}
            </ButtonLink>
            <a class="button" href={`${base_path}/docs`}>
              {strings.documentation}
            </a>
            <a class="button" href={contract_path}>
              {strings.document}
            </a>
          </>
        }
      />
      {!shown && (
        <section class="card">
          <Loading query={contract} rows={8}>
            {() => <Skeleton rows={8} />}
          </Loading>
        </section>
      )}
      <div ref={container} class="reference" hidden={!shown} />
    </>
  );
}
