/**
 * Search over everything, behind Ctrl K: passages, folders and pages of the console, chosen by
 * keyboard.
 */
import { keepPreviousData, useQuery } from "@tanstack/preact-query";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { useLocation } from "wouter-preact";
import { useChats, type Chat } from "../../api/chats";
import { useFolders } from "../../api/queries";
import { search } from "../../api/search";
import type { Folder, Passage } from "../../api/types";
import type { PageEntry, PaletteProps } from "../../app/page";
import { useUser } from "../../app/session";
import { useSignOut } from "../../app/sign-out";
import { setTheme } from "../../app/theme";
import { titleOf } from "../chat/messages";
import { pathOf } from "../folders/tree";
import { typedAhead } from "../../app/palette";
import { citationText } from "../../reader/location";
import { plainText } from "../../reader/plain-text";
import { useDebounced } from "../../ui/debounced";
import { Icon, type IconName } from "../../ui/icons";
import { search_strings as strings } from "../../strings/search";
import { passageKey } from "./search";
import { Terms, termsOf } from "./terms";
import { useUniqueId } from "../../ui/unique-id";

interface Entry {
  readonly key: string;
  readonly group: string;
  readonly icon: IconName;
  readonly title: string;
  readonly text?: string;
  readonly href: string;
  /** Called instead of navigating to `href`. */
  readonly run?: () => void;
}

const passages_max = 6;
const folders_max = 4;
const chats_max = 5;
const typing_pause_ms = 160;
const excerpt_chars = 120;

export default function Palette({ pages, onClose }: PaletteProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [, navigate] = useLocation();
  const [text, setText] = useState(typedAhead);
  const query = useDebounced(text.trim(), typing_pause_ms);
  const results = useQuery({
    queryKey: ["search", "palette", query],
    enabled: query.length > 1,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => search({ query, limit: passages_max }, signal),
  });
  const passages = query.length > 1 ? results.data : undefined;
  const entries = useEntries(pages, text.trim(), query, passages);
  const [selected, setSelected] = useState(0);
  const id = useUniqueId();
  useEffect(() => setSelected(0), [query, passages]);
  useLayoutEffect(() => {
    dialog.current!.showModal();
    return () => dialog.current?.close();
  }, []);
  const open = (entry: Entry | undefined) => {
    if (!entry) return;
    onClose();
    if (entry.run) entry.run();
    else navigate(entry.href);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && entries.length > 0)
      setSelected((selected + step + entries.length) % entries.length);
    else if (event.key === "Enter" && !event.isComposing) open(entries[selected]);
    else return;
    event.preventDefault();
  };
  return (
    <dialog
      ref={dialog}
      class="dialog palette"
      aria-label={strings.palette}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onPointerDown={(event) => {
        if (event.target === dialog.current) onClose();
      }}
    >
      <PaletteField
        list_id={`${id}-list`}
        active_id={entries[selected] && `${id}-${selected}`}
        expanded={entries.length > 0}
        text={text}
        onText={setText}
        onKeyDown={onKeyDown}
      />
      <Entries
        id={id}
        entries={entries}
        at={selected}
        terms={termsOf(query)}
        onAt={setSelected}
        onOpen={open}
      />
      <p class="palette-foot" role="status">
        {text === "" ? strings.hint : statusOf(results.isFetching, entries.length)}
      </p>
    </dialog>
  );
}

function statusOf(searching: boolean, entry_count: number): string {
  if (searching) return strings.searching;
  return entry_count === 0 ? strings.nothing : strings.hint;
}

function PaletteField({
  list_id,
  active_id,
  expanded,
  text,
  onText,
  onKeyDown,
}: {
  readonly list_id: string;
  readonly active_id: string | undefined;
  readonly expanded: boolean;
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
}) {
  return (
    <div class="palette-field">
      <Icon name="search" />
      <input
        type="text"
        role="combobox"
        aria-expanded={expanded}
        aria-controls={list_id}
        aria-activedescendant={active_id}
        aria-label={strings.palette}
        autocomplete="off"
        spellcheck={false}
        placeholder={strings.palette_placeholder}
        autofocus
        value={text}
        onInput={(event) => onText(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
    </div>
  );
}

function useEntries(
  pages: readonly PageEntry[],
  text: string,
  /** The text, after typing has paused. */
  query: string,
  passages: readonly Passage[] | undefined,
): readonly Entry[] {
  const folders = useFolders();
  const chats = useChats({ page: 1, deleted: false, q: query.length > 1 ? query : "" });
  const commands = useCommands();
  const admin = useUser().role === "admin";
  return useMemo(() => {
    const matches = (name: string) => name.toLocaleLowerCase().includes(text.toLocaleLowerCase());
    const page_entries = pages
      .filter(({ nav, admin: for_admins }) => nav && matches(nav.label) && (!for_admins || admin))
      .map(({ path, nav }): Entry => ({
        key: path,
        group: strings.pages,
        icon: nav!.icon,
        title: nav!.label,
        href: path,
      }));
    if (text === "") return [...commands, ...page_entries];
    const passage_entries = (passages ?? []).map((passage): Entry => ({
      key: passageKey(passage),
      group: strings.passages,
      icon: "file-text",
      title: citationText(passage),
      text: plainText(passage.quote),
      href: `/search?${new URLSearchParams({ q: text, show: passageKey(passage) })}`,
    }));
    const all_results: Entry[] =
      passage_entries.length > 0
        ? [
            {
              key: "all",
              group: strings.passages,
              icon: "search",
              title: strings.all_results(text),
              href: `/search?${new URLSearchParams({ q: text })}`,
            },
          ]
        : [];
    return [
      ...passage_entries,
      ...all_results,
      ...(chats.data?.data ?? []).slice(0, chats_max).map(chatEntry),
      ...(folders.data ?? [])
        .filter(({ name }) => matches(name))
        .slice(0, folders_max)
        .map((folder) => folderEntry(folder, folders.data!)),
      ...page_entries,
      ...commands.filter(({ title }) => matches(title)),
    ];
  }, [text, passages, folders.data, chats.data, admin]);
}

/** Folders of the same name are distinguished by their parents. */
const folderEntry = (folder: Folder, folders: readonly Folder[]): Entry => ({
  key: folder.id,
  group: strings.folders,
  icon: "folder",
  title: pathOf(folder, folders),
  href: `/folders/${folder.id}`,
});
const chatEntry = (chat: Chat): Entry => ({
  key: chat.id,
  group: strings.chats,
  icon: "chat",
  title: titleOf(chat),
  href: `/chats/${chat.id}`,
});

/** Actions that match by name: pages, the theme, and signing out. */
function useCommands(): readonly Entry[] {
  const signOut = useSignOut();
  const command = (
    name: keyof typeof strings.command,
    icon: IconName,
    target: string | (() => void),
  ) =>
    ({
      key: `command ${name}`,
      group: strings.commands,
      icon,
      title: strings.command[name],
      ...(typeof target === "string" ? { href: target } : { href: "", run: target }),
    }) satisfies Entry;
  return [
    command("new_chat", "chat", "/chats/new"),
    command("new_import", "import", "/imports/new"),
    command("dark", "moon", () => setTheme("dark")),
    command("light", "sun", () => setTheme("light")),
    command("system", "monitor", () => setTheme("system")),
    command("account", "user", "/account"),
    command("sign_out", "log-out", signOut),
  ];
}

interface EntriesProps {
  readonly id: string;
  readonly entries: readonly Entry[];
  readonly at: number;
  readonly terms: readonly string[];
  readonly onAt: (at: number) => void;
  readonly onOpen: (entry: Entry) => void;
}

function Entries({ id, entries, at, terms, onAt, onOpen }: EntriesProps) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }, [at]);
  const groups = [...new Set(entries.map(({ group }) => group))];
  return (
    <div
      ref={list}
      id={`${id}-list`}
      class="palette-list"
      role="listbox"
      aria-label={strings.palette}
    >
      {groups.map((group) => (
        <div key={group} role="group" aria-labelledby={`${id}-${group}`}>
          <p id={`${id}-${group}`} class="label palette-group">
            {group}
          </p>
          {entries.map(
            (entry, index) =>
              entry.group === group && (
                <div
                  key={entry.key}
                  id={`${id}-${index}`}
                  role="option"
                  aria-selected={index === at}
                  class="palette-entry"
                  onPointerMove={() => {
                    if (index !== at) onAt(index);
                  }}
                  onClick={() => onOpen(entry)}
                >
                  <Icon name={entry.icon} />
                  <span class="two-lines">
                    <span class="clip">{entry.title}</span>
                    {entry.text && (
                      <span class="clip">
                        <Terms text={entry.text} terms={terms} length={excerpt_chars} />
                      </span>
                    )}
                  </span>
                </div>
              ),
          )}
        </div>
      ))}
    </div>
  );
}
