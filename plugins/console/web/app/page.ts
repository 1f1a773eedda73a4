/** What a page of the console is: its address, how it is loaded, its entry in the navigation. */
import type { ComponentType } from "preact";
import type { IconName } from "../ui/icons";

export type PageParams = Readonly<Record<string, string | undefined>>;
export type PageComponent = ComponentType<{ readonly params: PageParams }>;
export type Group = "work" | "developer" | "admin";

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
  /** Only administrators see it. */
  readonly admin?: boolean;
  /** Without the shell, and for people who are not signed in. */
  readonly standalone?: boolean;
  /** Uses the whole width and height beside the navigation, and scrolls by itself. */
  readonly full?: boolean;
}

/** What the search palette gets from the shell. */
export interface PaletteProps {
  readonly pages: readonly PageEntry[];
  readonly onClose: () => void;
}
