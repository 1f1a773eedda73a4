/** Strings of the settings on the system page. */
import type { Answer } from "../api/types";

type Kind = Answer<"listAllSettings">[number]["kind"];

export const setting_strings = {
  label: (section: string) => `Settings of ${section}`,
  filter: "Find a setting",
  which: "Which settings",
  changeable: "Can be changed here",
  all: "All",
  setting: "Setting",
  origin: "From",
  actions: "Actions",
  origins: { default: "Default", stored: "Changed here" } as Readonly<Record<string, string>>,
  change: "Change",
  change_label: (setting: string) => `Change ${setting}`,
  change_title: (setting: string) => `Change ${setting}`,
  reset: "Back to the default",
  reset_label: (setting: string) => `Back to the default: ${setting}`,
  save: "Save",
  value: "Value",
  none: "none",
  at_start: "Takes effect at the next start of the server.",
  overruled: (origin: string, stored: string) =>
    `${origin} wins over what was stored here: ${stored}.`,
  overruled_title: (origin: string) => `${origin} says otherwise`,
  overruled_text: (origin: string) =>
    `What you store here takes effect once ${origin} no longer names this setting.`,
  restart: "Another value takes effect at the next start.",
  outside: "Only whoever starts the server can set this.",
  hints: {
    duration: "Such as 30s, 5m, 2h or 30d.",
    size: "Such as 512KiB, 64MiB or 2GiB.",
    list: "Separated by commas.",
    secret: "It is stored encrypted and shown to nobody.",
    integer: "",
    number: "",
    boolean: "",
    choice: "",
    text: "",
  } as Readonly<Record<Kind, string>>,
  default_is: (value: string) => `Default: ${value}.`,
  between: (least: number | null, most: number | null) =>
    [least === null ? "" : `At least ${least}.`, most === null ? "" : `At most ${most}.`]
      .filter(Boolean)
      .join(" "),
  saved: (setting: string) => `${setting} is changed.`,
  saved_for_start: (setting: string) => `${setting} is changed for the next start.`,
  saved_overruled: (setting: string, origin: string) =>
    `${setting} is stored; ${origin} wins over it.`,
  nothing: "No such setting",
  nothing_text: "No setting has this in its name or description.",
  foot:
    "The command line wins over the environment, that over dossier.toml, that over what is " +
    "changed here, and that over the default. Secrets are hidden.",
} as const;
