/** Strings of search: its page, and the palette behind Ctrl K. */
import { counted } from "../ui/format";

export const search_strings = {
  title: "Search",
  text:
    "Find passages in your documents by words or questions. Put a phrase in quotes to " +
    "match it exactly.",
  query: "Search query",
  placeholder: "Search in your documents",
  folder: "Folder",
  all_folders: "All folders",
  search: "Search",
  results: (count: number) => counted(count, "passage"),
  best: (count: number) => `Top ${count} passages`,
  start_title: "Find a passage",
  start_text: "Type a question or a few words. Results open at the matching passage.",
  none_title: "Nothing found",
  none_text:
    "Try different or fewer words, or another folder. Documents that are still being " +
    "indexed can’t be found yet.",
  by_meaning: "by meaning",
  by_meaning_why: "This passage contains none of your words but has a similar meaning.",
  list: "Passages",
  palette: "Search documents, chats, folders and commands",
  palette_placeholder: "Search documents, chats, folders and commands",
  passages: "Passages",
  folders: "Folders",
  pages: "Pages",
  chats: "Chats",
  commands: "Commands",
  command: {
    new_chat: "New chat",
    new_import: "New import",
    dark: "Dark theme",
    light: "Light theme",
    system: "System theme",
    account: "Your account",
    sign_out: "Sign out",
  },
  searching: "Searching",
  nothing: "Nothing found",
  all_results: (query: string) => `All results for “${query}”`,
  hint: "↑ ↓ to move, Enter to open, Esc to close",
} as const;
