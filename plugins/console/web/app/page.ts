/**
 * The definition of a page of the console: its address, its loader, its entry in the navigation.
 */
import type { ComponentType } from "preact";
import type { IconName } from "../ui/icons";

/** The parameters in a page's path, such as `id`. */
export type PageParams = Readonly<Record<string, string | undefined>>;
export type PageComponent = ComponentType<{ readonly params: PageParams }>;
export type Group = "work" | "developer" | "admin";

/** A built-in page of the console. */
export interface PageEntry {
  /** Below /console, in wouter's notation. */
  readonly path: string;
  readonly load: () => Promise<{ readonly default: PageComponent }>;
  /** An entry in the navigation; `shortcut` is the letter after `g`. */
  readonly nav?: {
    readonly group: Group;
    readonly label: string;
    readonly icon: IconName;
    readonly shortcut?: string;
  };
  /** Only for administrators. */
  readonly admin?: boolean;
  /** Without the shell, for visitors who are not signed in. */
  readonly standalone?: boolean;
  /** Fills the area beside the navigation and scrolls its own content. */
  readonly full?: boolean;
}

/** What the search palette receives from the shell. */
export interface PaletteProps {
  readonly pages: readonly PageEntry[];
  readonly onClose: () => void;
}
