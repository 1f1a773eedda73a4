/**
 * The pages of the console: the path of each, how it is loaded, and its entry in the navigation.
 */
import type { ComponentType } from "preact";
import type { PageEntry, PaletteProps } from "./page";

/** The built-in pages. The first whose path matches is shown. */
export const pages: readonly PageEntry[] = [
  { path: "/sign-in", standalone: true, load: () => import("../pages/account/sign-in") },
  { path: "/setup", standalone: true, load: () => import("../pages/account/setup") },
  { path: "/invite", standalone: true, load: () => import("../pages/account/invite") },
  {
    path: "/folders",
    load: () => import("../pages/folders/folders"),
    nav: { group: "work", label: "Folders", icon: "folder", shortcut: "f" },
  },
  { path: "/folders/:id", load: () => import("../pages/folders/folder") },
  { path: "/documents/:id", load: () => import("../pages/documents/document") },
  { path: "/account", load: () => import("../pages/account/account") },
  {
    path: "/chats",
    load: () => import("../pages/chat/chats"),
    nav: { group: "work", label: "Chat", icon: "chat", shortcut: "c" },
  },
  { path: "/chats/:id", load: () => import("../pages/chat/chat"), full: true },
  { path: "/chats/:id/print", load: () => import("../pages/chat/print") },
  { path: "/search", load: () => import("../pages/search/search"), full: true },
  {
    path: "/prompts",
    load: () => import("../pages/prompts/prompts"),
    nav: { group: "work", label: "Prompts", icon: "prompt", shortcut: "p" },
  },
  {
    path: "/imports",
    load: () => import("../pages/imports/imports"),
    nav: { group: "work", label: "Imports", icon: "import", shortcut: "i" },
  },
  { path: "/imports/new", load: () => import("../pages/imports/new-import") },
  { path: "/imports/:id", load: () => import("../pages/imports/import") },
  {
    path: "/transcriptions",
    load: () => import("../pages/transcriptions/transcriptions"),
    nav: { group: "work", label: "Transcriptions", icon: "transcription", shortcut: "t" },
  },
  { path: "/transcriptions/:id", load: () => import("../pages/transcriptions/transcription") },
  {
    path: "/keys",
    load: () => import("../pages/account/keys"),
    nav: { group: "developer", label: "API keys", icon: "key", shortcut: "k" },
  },
  {
    path: "/webhooks",
    load: () => import("../pages/webhooks/webhooks"),
    nav: { group: "developer", label: "Webhooks", icon: "webhook", shortcut: "w" },
  },
  { path: "/webhooks/:id", load: () => import("../pages/webhooks/webhook") },
  {
    path: "/reference",
    load: () => import("../pages/reference/reference"),
    nav: { group: "developer", label: "API reference", icon: "book" },
  },
  {
    path: "/usage",
    load: () => import("../pages/usage/usage"),
    nav: { group: "developer", label: "Usage", icon: "chart" },
  },
  {
    path: "/users",
    load: () => import("../pages/users/users"),
    nav: { group: "admin", label: "Users", icon: "users" },
    admin: true,
  },
  {
    path: "/audit",
    load: () => import("../pages/audit/audit"),
    nav: { group: "admin", label: "Audit log", icon: "shield" },
    admin: true,
  },
  {
    path: "/backups",
    load: () => import("../pages/backups/backups"),
    nav: { group: "admin", label: "Backups", icon: "archive" },
    admin: true,
  },
  {
    path: "/plugins",
    load: () => import("../pages/plugins/plugins"),
    nav: { group: "admin", label: "Plugins", icon: "plug" },
    admin: true,
  },
  { path: "/plugins/:name", load: () => import("../pages/plugins/plugin"), admin: true },
  {
    path: "/system",
    load: () => import("../pages/system/system"),
    nav: { group: "admin", label: "System", icon: "system" },
    admin: true,
  },
];

/** Search over everything, behind Ctrl K; null while there is none. */
export const palette:
  | (() => Promise<{ readonly default: ComponentType<PaletteProps> }>)
  | null = () => import("../pages/search/palette");
