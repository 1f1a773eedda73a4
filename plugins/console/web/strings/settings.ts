/** Strings of the settings on the system page. */
import type { Answer } from "../api/types";

type Kind = Answer<"listAllSettings">[number]["kind"];

export const setting_strings = {
  label: (section: string) => `${section} settings`,
  filter: "Find a setting",
  which: "Settings to show",
  changeable: "Editable here",
  all: "All",
  setting: "Setting",
  origin: "Source",
  actions: "Actions",
  origins: { default: "Default", stored: "Changed here" } as Readonly<Record<string, string>>,
  change: "Change",
  change_label: (setting: string) => `Change ${setting}`,
  change_title: (setting: string) => `Change ${setting}`,
  reset: "Reset to default",
  reset_label: (setting: string) => `Reset to default: ${setting}`,
  save: "Save",
  value: "Value",
  none: "none",
  at_start: "Takes effect when the server restarts.",
  overruled: (origin: string, stored: string) =>
    `${origin} overrides the value stored here: ${stored}.`,
  overruled_title: (origin: string) => `Overridden by ${origin}`,
  overruled_text: (origin: string) =>
    `The value stored here takes effect once ${origin} no longer sets it.`,
  restart: "A changed value takes effect when the server restarts.",
  hints: {
    duration: "For example 30s, 5m, 2h or 30d.",
    size: "For example 512KiB, 64MiB or 2GiB.",
    list: "Separated by commas.",
    secret: "Stored encrypted and never shown.",
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
  saved: (setting: string) => `${setting} changed.`,
  saved_for_start: (setting: string) =>
    `${setting} saved. It takes effect when the server restarts.`,
  saved_overruled: (setting: string, origin: string) =>
    `${setting} saved, but ${origin} overrides it.`,
  nothing: "No matching settings",
  nothing_text: "No setting has this text in its name or description.",
  foot:
    "Sources in order of precedence: command line, environment, dossier.toml, changes " +
    "made here, default. Secrets are hidden.",
} as const;
