/** What is around every page: navigation, banners, messages. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useLocation } from "wouter-preact";
import { api, unreachable } from "../api/client";
import { queries } from "../api/queries";
import type { Session } from "../api/types";
import { common_strings as strings } from "../strings/common";
import { Drawer } from "../ui/dialog";
import { IconButton } from "../ui/button";
import { Icon } from "../ui/icons";
import { ErrorBoundary } from "./error-boundary";
import { Lazy, prefetch } from "./lazy";
import { startLive } from "./live-updates";
import { Brand, Navigation, NavigationFoot } from "./navigation";
import { pages, palette } from "./pages";
import { HelpDialog, help_open, palette_open, useShortcuts } from "./shortcuts";

const knock_ms = 3_000;
/** So long after a page is shown, what may be wanted next is fetched. */
const idle_ms = 1_000;

/** Tells that the server is away, and looks again every three seconds. */
function OfflineBanner() {
  const [online, setOnline] = useState(navigator.onLine);
  useEffect(() => {
    const look = () => setOnline(navigator.onLine);
    addEventListener("online", look);
    addEventListener("offline", look);
    return () => {
      removeEventListener("online", look);
      removeEventListener("offline", look);
    };
  }, []);
  const away = unreachable.value;
  useEffect(() => {
    if (!away) return;
    const timer = setInterval(() => {
      if (!document.hidden) api<Session>("/session").catch(() => undefined);
    }, knock_ms);
    // Whichever request gets through first: what the others have missed is asked for again.
    return () => {
      clearInterval(timer);
      void queries.invalidateQueries();
    };
  }, [away]);
  if (online && !away) return null;
  return (
    <div class="banner" role="status">
      <Icon name="offline" />
      {online ? strings.offline_banner : strings.offline_browser}
    </div>
  );
}

/** A new page starts at its top, with the focus on it; going back keeps the place. */
function useArrival(path: string) {
  const main = useRef<HTMLElement>(null);
  const first = useRef(true);
  const going_back = useRef(false);
  useEffect(() => {
    const back = () => {
      going_back.current = true;
    };
    addEventListener("popstate", back);
    return () => removeEventListener("popstate", back);
  }, []);
  useEffect(() => {
    if (!first.current && !going_back.current) {
      scrollTo(0, 0);
      main.current?.focus({ preventScroll: true });
    }
    first.current = false;
    going_back.current = false;
  }, [path]);
  return main;
}

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
  useEffect(() => {
    // Whoever presses Ctrl K types on at once.
    const timer = setTimeout(() => {
      if (palette) prefetch(palette);
    }, idle_ms);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div class="shell">
      <a
        class="skip"
        href="#main"
        onClick={(event) => {
          event.preventDefault();
          main.current?.focus();
        }}
      >
        {strings.navigation.skip}
      </a>
      <header class="side">
        <Brand />
        <Navigation />
        <NavigationFoot />
      </header>
      <header class="top">
        <IconButton label={strings.navigation.open} icon="menu" onClick={() => setDrawer(true)} />
        <Brand />
        {palette && (
          <IconButton
            label={strings.navigation.search}
            icon="search"
            onClick={() => {
              palette_open.value = true;
            }}
          />
        )}
      </header>
      {drawer && (
        <Drawer title={strings.product} side="start" onClose={() => setDrawer(false)}>
          <div class="drawer-nav">
            <Navigation onGo={() => setDrawer(false)} />
            <NavigationFoot onGo={() => setDrawer(false)} />
          </div>
        </Drawer>
      )}
      <main id="main" ref={main} tabIndex={-1} class={full ? "main main-full" : "main"}>
        <OfflineBanner />
        <ErrorBoundary key={path}>
          {full ? children : <div class="wrap">{children}</div>}
        </ErrorBoundary>
      </main>
      {help_open.value && <HelpDialog />}
      {palette_open.value && palette && (
        <Lazy
          load={palette}
          props={{
            pages,
            onClose: () => {
              palette_open.value = false;
            },
          }}
        />
      )}
    </div>
  );
}
