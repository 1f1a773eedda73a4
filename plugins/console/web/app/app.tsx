/** Routing: the page of this address, or the sign-in page when nobody is signed in. */
import { matchRoute, Redirect, Router, useLocation, useRouter } from "wouter-preact";
import { console_base } from "../api/base";
import { usePluginPages } from "../api/queries";
import { common_strings as strings } from "../strings/common";
import { PageHeader } from "../ui/page-header";
import { Empty, ErrorView } from "../ui/states";
import { Toasts } from "../ui/toast";
import { Lazy } from "./lazy";
import type { PageEntry, PageParams } from "./page";
import { pages } from "./pages";
import { PluginPage } from "../plugin/page";
import { useSession } from "./session";
import { Shell } from "./shell";
import { ButtonLink } from "../ui/button";

const PageView = ({ page, params }: { readonly page: PageEntry; readonly params: PageParams }) => (
  <Lazy key={page.path} load={page.load} props={{ params }} />
);

const NotFound = () => (
  <>
    <PageHeader title={strings.not_found.header} />
    <Empty
      icon="search"
      title={strings.not_found.title}
      actions={<ButtonLink href="/">{strings.go_home}</ButtonLink>}
    >
      {strings.not_found.text}
    </Empty>
  </>
);

/**
 * A built-in page, one of a plugin, or none; the shell stays while pages change. An address counts
 * as unknown only after the pages of plugins are known.
 */
function SignedIn({ admin }: { readonly admin: boolean }) {
  const [path] = useLocation();
  const { parser } = useRouter();
  const plugin_pages = usePluginPages();
  if (path === "/") return <Redirect to="/folders" replace />;
  for (const page of pages) {
    const [matches, params] = matchRoute(parser, page.path, path);
    if (matches && !page.standalone && (!page.admin || admin))
      return (
        <Shell full={page.full ?? false}>
          <PageView page={page} params={params} />
        </Shell>
      );
  }
  const plugin_page = plugin_pages.data?.find((page) => path === `/${page.path}`);
  return (
    <Shell full={false}>
      {plugin_page ? (
        <PluginPage key={path} page={plugin_page} />
      ) : (
        !plugin_pages.isPending && <NotFound />
      )}
    </Shell>
  );
}

function Gate() {
  const [path] = useLocation();
  const session = useSession();
  const sign_in = pages.find((page) => page.path === "/sign-in")!;
  const standalone = pages.find((page) => page.standalone && page.path === path);
  if (!session.data)
    return session.error ? (
      <main class="alone">
        <ErrorView error={session.error} onRetry={() => void session.refetch()} />
      </main>
    ) : (
      <div class="boot" />
    );
  const { user } = session.data;
  if (standalone && (!user || standalone !== sign_in))
    return <PageView page={standalone} params={{}} />;
  if (!user) return <PageView page={sign_in} params={{}} />;
  if (standalone) return <Redirect to="/folders" replace />;
  return <SignedIn admin={user.role === "admin"} />;
}

export const App = () => (
  <Router base={console_base}>
    <Gate />
    <Toasts />
  </Router>
);
