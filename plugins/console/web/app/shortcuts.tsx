/**
 * Keyboard shortcuts: single keys that work anywhere outside a text field, and the list of them.
 */
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { useLocation } from "wouter-preact";
import { common_strings as strings } from "../strings/common";
import { Dialog } from "../ui/dialog";
import { openPalette, palette_open, typeAhead } from "./palette";
import { pages, palette } from "./pages";

/** Whether the list of shortcuts is open. */
export const help_open = signal(false);

const chord_ms = 1_200;
const isTextField = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    (/^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) &&
      !/^(checkbox|radio|button)$/.test((target as HTMLInputElement).type)));

/**
 * Activates the element that has this key, as `data-shortcut="/"`: a field is focused, a button
 * clicked.
 */
function activateOnPage(key: string): boolean {
  const element = document.querySelector<HTMLElement>(`[data-shortcut="${CSS.escape(key)}"]`);
  if (!element) return false;
  if (isTextField(element)) element.focus();
  else element.click();
  return true;
}

/** Listens for keys while the shell is mounted. */
export function useShortcuts(): void {
  const [, navigate] = useLocation();
  useEffect(() => {
    let chord_at = 0;
    const onKeyDown = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k" && palette) {
        event.preventDefault();
        openPalette();
        return;
      }
      if (palette_open.value && !document.querySelector("dialog[open]")) {
        typeAhead(event.key);
        event.preventDefault();
        return;
      }
      if (
        event.ctrlKey ||
        event.metaKey ||
        event.altKey ||
        isTextField(event.target) ||
        document.querySelector("dialog[open]")
      )
        return;
      const is_chord = event.timeStamp - chord_at < chord_ms;
      chord_at = 0;
      const page = is_chord ? pages.find(({ nav }) => nav?.shortcut === event.key) : undefined;
      if (page) navigate(page.path);
      else if (event.key === "g") {
        chord_at = event.timeStamp;
        return;
      } else if (event.key === "?") help_open.value = true;
      else if ((event.key !== "/" && event.key !== "n") || !activateOnPage(event.key)) return;
      event.preventDefault();
    };
    addEventListener("keydown", onKeyDown);
    return () => removeEventListener("keydown", onKeyDown);
  }, [navigate]);
}

const Keys = ({ keys }: { readonly keys: readonly string[] }) => (
  <span class="keys">
    {keys.map((key) => (
      <kbd key={key}>{key}</kbd>
    ))}
  </span>
);

type Row = readonly [keys: readonly string[], text: string];

/** The list of shortcuts, with those of the pages. */
export function HelpDialog() {
  const { help } = strings;
  const rows: readonly Row[] = [
    ...(palette ? [[["Ctrl", "K"], help.rows.search] as Row] : []),
    [["/"], help.rows.focus],
    [["?"], help.rows.help],
    [["Esc"], help.rows.escape],
    [["Enter"], help.rows.send],
  ];
  const destinations = pages.flatMap(({ nav }): Row[] =>
    nav?.shortcut ? [[["g", nav.shortcut], nav.label]] : [],
  );
  return (
    <Dialog
      title={help.title}
      onClose={() => {
        help_open.value = false;
      }}
    >
      {(
        [
          [help.anywhere, rows],
          [help.go, destinations],
        ] as const
      ).map(([title, list]) => (
        <section key={title} class="stack-small">
          <h3>{title}</h3>
          <dl class="shortcuts">
            {list.map(([keys, text]) => (
              <div key={text} class="row row-between">
                <dt>{text}</dt>
                <dd>
                  <Keys keys={keys} />
                </dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </Dialog>
  );
}
