/** Strings of search: its page, and the palette behind Ctrl K. */
export const search_strings = {
  title: "Search",
  text:
    "Finds passages in your documents, by words and by questions. Put a phrase in quotes to find " +
    "it as it is written.",
  query: "What to look for",
  placeholder: "Search in your documents",
  folder: "Folder",
  all_folders: "All folders",
  search: "Search",
  results: (count: number) => `${count} ${count === 1 ? "passage" : "passages"}`,
  best: (count: number) => `The ${count} best passages`,
  start_title: "Find a passage",
  start_text: "Type a question or a few words. Results open at the passage.",
  none_title: "Nothing found",
  none_text:
    "Try other words, fewer of them, or another folder. Documents that are still being indexed " +
    "are not searched yet.",
  by_meaning: "by meaning",
  by_meaning_why: "It has none of your words, and means much the same.",
  list: "Passages",
  palette: "Search documents, chats, folders and commands",
  palette_placeholder: "Search documents, chats, folders and commands",
  passages: "Passages",
  folders: "Folders",
  pages: "Pages",
  chats: "Chats",
  unnamed: "A chat without a name",
  commands: "Commands",
  command: {
    new_chat: "New chat",
    new_import: "New import",
    dark: "Dark theme",
    light: "Light theme",
    system: "Theme of the system",
    account: "Your account",
    sign_out: "Sign out",
  },
  searching: "Searching",
  nothing: "Nothing found",
  all_results: (query: string) => `All results for “${query}”`,
  hint: "↑ ↓ to move, Enter to open, Esc to close",
} as const;
