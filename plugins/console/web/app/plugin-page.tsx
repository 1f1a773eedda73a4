/** A page that a plugin adds: an ES module from the server, mounted into the console. */
import { useEffect, useRef, useState } from "preact/hooks";
import { useLocation } from "wouter-preact";
import { api_base } from "../api/client";
import type { PluginPage as Entry } from "../api/types";
import { PageHeader } from "../ui/page-header";
import { ErrorView } from "../ui/states";
import { themeInEffect } from "./theme";

/**
 * The interface for the module. `api` takes a path below /console/api/v1; `navigate` one below
 * /console.
 */
interface PageHost {
  readonly api: (path: string, init?: RequestInit) => Promise<Response>;
  readonly navigate: (path: string) => void;
  readonly theme: () => "light" | "dark";
  /** Called when the page is left. */
  readonly onLeave: (cleanUp: () => void) => void;
}
type CleanUp = () => void;
/** The function that `mount` may return is called when the page is left. */
interface PageModule {
  readonly default: {
    readonly mount: (root: HTMLElement, host: PageHost) => void | CleanUp | Promise<void | CleanUp>;
  };
}

export function PluginPage({ page }: { readonly page: Entry }) {
  const root = useRef<HTMLDivElement>(null);
  const [, navigate] = useLocation();
  const [fault, setFault] = useState<unknown>(null);
  useEffect(() => {
    const leaving: (() => void)[] = [];
    let here = true;
    const host: PageHost = {
      api: (path, init) => fetch(`${api_base}${path}`, { credentials: "same-origin", ...init }),
      navigate,
      theme: themeInEffect,
      onLeave: (cleanUp) => leaving.push(cleanUp),
    };
    const mount = async () => {
      const module = (await import(page.module)) as PageModule;
      if (!here) return;
      const cleanUp = await module.default.mount(root.current!, host);
      if (!cleanUp) return;
      if (here) leaving.push(cleanUp);
      else cleanUp();
    };
    mount().catch((error: unknown) => {
      if (here) setFault(error);
    });
    return () => {
      here = false;
      for (const cleanUp of leaving) cleanUp();
      root.current?.replaceChildren();
    };
  }, [page.module]);
  return (
    <>
      <PageHeader title={page.title} />
      {fault !== null && <ErrorView error={fault} />}
      <div ref={root} class="plugin-page stack" hidden={fault !== null} />
    </>
  );
}
