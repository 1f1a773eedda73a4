/** A page of a plugin. */
import { useCallback } from "preact/hooks";
import { useLocation } from "wouter-preact";
import type { PluginPage as Entry } from "../api/types";
import { useUser } from "../app/session";
import { PageHeader } from "../ui/page-header";
import { consoleHost, type Lifetime } from "./host";
import { Mounted } from "./mounted";

/** The page with its title, mounted while its address is shown. */
export function PluginPage({ page }: { readonly page: Entry }) {
  const user = useUser();
  const [, navigate] = useLocation();
  const hostOf = useCallback(
    (lifetime: Lifetime) => consoleHost(lifetime, { user, navigate }),
    [user, navigate],
  );
  return (
    <>
      <PageHeader title={page.title} />
      <Mounted plugin={page.plugin} module={page.module} hostOf={hostOf} />
    </>
  );
}
