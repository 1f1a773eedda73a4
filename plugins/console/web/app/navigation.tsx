/** The navigation: three groups of pages, including those of plugins, and the account below. */
import { Link, useLocation } from "wouter-preact";
import { usePluginPages } from "../api/queries";
import { common_strings as strings } from "../strings/common";
import { Icon, Mark, type IconName } from "../ui/icons";
import { IconButton } from "../ui/button";
import { Menu } from "../ui/menu";
import type { Group } from "./page";
import { pages, palette } from "./pages";
import { prefetch } from "./lazy";
import { useUser } from "./session";
import { openPalette } from "./palette";
import { help_open } from "./shortcuts";
import { useSignOut } from "./sign-out";
import { setTheme, theme } from "./theme";

interface Entry {
  readonly href: string;
  readonly label: string;
  readonly icon: IconName;
  readonly group: Group;
  readonly prefetchPage?: () => void;
}

const groups = ["work", "developer", "admin"] as const;

/** The built-in pages that this user may see, then those of plugins. */
function useEntries(): readonly Entry[] {
  const { role } = useUser();
  const plugin_pages = usePluginPages().data ?? [];
  const built_in_entries = pages.flatMap(({ path, nav, admin, load }) =>
    nav && (!admin || role === "admin")
      ? [{ href: path, ...nav, ahead: () => prefetch(load) }]
      : [],
  );
  const plugin_entries = plugin_pages
    .filter(({ group }) => group !== "admin" || role === "admin")
    .map(({ path, title, group }) => ({
      href: `/${path}`,
      label: title,
      icon: "plug" as const,
      group,
    }));
  return [...built_in_entries, ...plugin_entries];
}

/** The logo and the name of the product, which lead to the first page. */
export const Brand = () => (
  <Link href="/" class="brand">
    <Mark />
    <span>{strings.product}</span>
  </Link>
);

/** `onGo`: called when a link is followed, to close the drawer. */
export function Navigation({ onGo }: { readonly onGo?: () => void }) {
  const [path] = useLocation();
  const entries = useEntries();
  return (
    <nav class="nav" aria-label={strings.navigation.label}>
      {palette && (
        <button
          type="button"
          class="nav-search"
          onClick={() => {
            onGo?.();
            openPalette();
          }}
        >
          <Icon name="search" size={16} />
          <span class="grow">{strings.navigation.search}</span>
          <kbd>{strings.navigation.search_key}</kbd>
        </button>
      )}
      {groups.map((group) => {
        const group_entries = entries.filter((entry) => entry.group === group);
        return (
          group_entries.length > 0 && (
            <div
              key={group}
              class="nav-group"
              role="group"
              aria-label={strings.navigation.groups[group]}
            >
              <p class="label" aria-hidden="true">
                {strings.navigation.groups[group]}
              </p>
              <ul>
                {group_entries.map(({ href, label, icon, prefetchPage }) => (
                  <li key={href}>
                    <Link
                      href={href}
                      class="nav-link"
                      aria-current={
                        path === href || path.startsWith(`${href}/`) ? "page" : undefined
                      }
                      onClick={onGo}
                      onPointerEnter={prefetchPage}
                      onFocus={prefetchPage}
                    >
                      <Icon name={icon} />
                      {label}
                    </Link>
                  </li>
                ))}
              </ul>
            </div>
          )
        );
      })}
    </nav>
  );
}

const themes = [
  ["system", "monitor"],
  ["light", "sun"],
  ["dark", "moon"],
] as const;

/** The signed-in user, the theme, the shortcuts and signing out. */
export function NavigationFoot({ onGo }: { readonly onGo?: () => void }) {
  const { email } = useUser();
  const [path] = useLocation();
  const signOut = useSignOut();
  const { navigation } = strings;
  const icon = themes.find(([name]) => name === theme.value)![1];
  return (
    <div class="nav-foot">
      <Link
        href="/account"
        class="nav-link nav-account"
        aria-current={path === "/account" ? "page" : undefined}
        onClick={onGo}
        title={email}
      >
        <Icon name="user" />
        <span class="clip">{email}</span>
      </Link>
      <Menu
        label={`${navigation.theme}, ${navigation.keyboard}`}
        icon={icon}
        items={[
          ...themes.map(([name, theme_icon]) => ({
            label: `${navigation[name]}${theme.value === name ? " ✓" : ""}`,
            icon: theme_icon,
            run: () => setTheme(name),
          })),
          "separator",
          {
            label: navigation.keyboard,
            icon: "keyboard",
            run: () => {
              onGo?.();
              help_open.value = true;
            },
          },
        ]}
      />
      <IconButton label={navigation.sign_out} icon="log-out" small onClick={signOut} />
    </div>
  );
}
