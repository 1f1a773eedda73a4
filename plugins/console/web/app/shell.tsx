/** The frame of every page: navigation, banners, dialogs that open anywhere. */
import { useQuery } from "@tanstack/preact-query";
import type { ComponentChildren, RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useLocation } from "wouter-preact";
import { api, unreachable } from "../api/client";
import { fetchHealth, keys, queries } from "../api/queries";
import type { Session } from "../api/types";
import { common_strings as strings } from "../strings/common";
import { queue_strings } from "../strings/queue";
import { Drawer } from "../ui/dialog";
import { IconButton } from "../ui/button";
import { Icon } from "../ui/icons";
import { ErrorBoundary } from "./error-boundary";
import { Lazy } from "./lazy";
import { startLive } from "./live-updates";
import { Brand, Navigation, NavigationFoot } from "./navigation";
import { pages, palette } from "./pages";
import { closePalette, openPalette, palette_open } from "./palette";
import { HelpDialog, help_open, useShortcuts } from "./shortcuts";

const retry_ms = 3_000;
const health_every_ms = 30_000;

/** Says that the server is unreachable, and retries every few seconds. */
function OfflineBanner() {
  const [online, setOnline] = useState(navigator.onLine);
  useEffect(() => {
    const update = () => setOnline(navigator.onLine);
    addEventListener("online", update);
    addEventListener("offline", update);
    return () => {
      removeEventListener("online", update);
      removeEventListener("offline", update);
    };
  }, []);
  const is_offline = unreachable.value;
  useEffect(() => {
    if (!is_offline) return;
    const timer = setInterval(() => {
      if (!document.hidden) api<Session>("/session").catch(() => undefined);
    }, retry_ms);
    // The server is back: refetch what was missed.
    return () => {
      clearInterval(timer);
      void queries.invalidateQueries();
    };
  }, [is_offline]);
  if (online && !is_offline) return null;
  return (
    <div class="banner" role="status">
      <Icon name="offline" />
      {online ? strings.offline_banner : strings.offline_browser}
    </div>
  );
}

/** Says that the intake of documents is paused, for everybody. */
function IntakeBanner() {
  const health = useQuery({
    queryKey: keys.health,
    queryFn: () => fetchHealth(),
    refetchInterval: health_every_ms,
  });
  if (health.data?.intake !== "paused") return null;
  return (
    <div class="banner" role="status">
      <Icon name="info" />
      {queue_strings.banner}
    </div>
  );
}

/** A new page is scrolled to its top and gets the focus; going back keeps the position. */
function useArrival(path: string) {
  const main = useRef<HTMLElement>(null);
  const is_first = useRef(true);
  const going_back = useRef(false);
  useEffect(() => {
    const noteGoingBack = () => {
      going_back.current = true;
    };
    addEventListener("popstate", noteGoingBack);
    return () => removeEventListener("popstate", noteGoingBack);
  }, []);
  useEffect(() => {
    if (!is_first.current && !going_back.current) {
      scrollTo(0, 0);
      main.current?.focus({ preventScroll: true });
    }
    is_first.current = false;
    going_back.current = false;
  }, [path]);
  return main;
}

/** The frame around a page. `full`: the page scrolls its own content. */
export function Shell({
  full,
  children,
}: {
  readonly full: boolean;
  readonly children: ComponentChildren;
}) {
  const [path] = useLocation();
  const [drawer, setDrawer] = useState(false);
  const main = useArrival(path);
  useShortcuts();
  useEffect(startLive, []);
  const closeDrawer = () => setDrawer(false);
  return (
    <div class="shell">
      <SkipLink target={main} />
      <header class="side">
        <Brand />
        <Navigation />
        <NavigationFoot />
      </header>
      <TopBar onMenu={() => setDrawer(true)} />
      {drawer && (
        <Drawer title={strings.product} side="start" onClose={closeDrawer}>
          <div class="drawer-nav">
            <Navigation onGo={closeDrawer} />
            <NavigationFoot onGo={closeDrawer} />
          </div>
        </Drawer>
      )}
      <main id="main" ref={main} tabIndex={-1} class={full ? "main main-full" : "main"}>
        <OfflineBanner />
        <IntakeBanner />
        <ErrorBoundary key={path}>
          {full ? children : <div class="wrap">{children}</div>}
        </ErrorBoundary>
      </main>
      {help_open.value && <HelpDialog />}
      {palette_open.value && palette && (
        <Lazy load={palette} props={{ pages, onClose: closePalette }} />
      )}
    </div>
  );
}

/** The first stop of the tab key: skips the navigation. */
const SkipLink = ({ target }: { readonly target: RefObject<HTMLElement> }) => (
  <a
    class="skip"
    href="#main"
    onClick={(event) => {
      event.preventDefault();
      target.current?.focus();
    }}
  >
    {strings.navigation.skip}
  </a>
);

/** Replaces the navigation on narrow screens. */
const TopBar = ({ onMenu }: { readonly onMenu: () => void }) => (
  <header class="top">
    <IconButton label={strings.navigation.open} icon="menu" onClick={onMenu} />
    <Brand />
    {palette && (
      <IconButton label={strings.navigation.search} icon="search" onClick={openPalette} />
    )}
  </header>
);
