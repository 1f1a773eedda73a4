/**
 * Dragging documents from the list onto a folder. "Move or add to folder" does the same by
 * keyboard.
 */
import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useFolders } from "../../api/queries";
import { Icon } from "../../ui/icons";
import { folder_strings } from "../../strings/folders";
import type { DocumentSelection } from "./selection";
import { moveOrAdd } from "./document-actions";
import { folderOptions } from "./tree";

const strings = folder_strings.page;

interface Dragged {
  readonly chosen: DocumentSelection;
  /** The folder they are dragged from. */
  readonly folder_id: string;
}
const dragged = signal<Dragged | null>(null);

/** For a row of the list. */
export const dragAttributes = (
  folder_id: string,
  chosenOf: () => DocumentSelection,
): JSX.HTMLAttributes<HTMLTableRowElement> => ({
  draggable: true,
  onDragStart: (event) => {
    const { dataTransfer, target } = event;
    if (!dataTransfer || (target instanceof Element && target.closest("input"))) return;
    dataTransfer.effectAllowed = "copyMove";
    dataTransfer.setData("text/plain", "");
    const chosen = chosenOf();
    // After the browser has captured the drag image.
    setTimeout(() => {
      dragged.value = { chosen, folder_id };
    });
  },
  onDragEnd: () => {
    dragged.value = null;
  },
});

const wantsCopy = ({ ctrlKey, altKey, metaKey }: DragEvent): boolean =>
  ctrlKey || altKey || metaKey;

/** For a folder that accepts drops, and whether documents are held over it. */
export function useDropTarget(folder_id: string, name: string) {
  const [is_over, setOver] = useState(false);
  const acceptsDrop = () => dragged.value !== null && dragged.value.folder_id !== folder_id;
  return {
    over: is_over && acceptsDrop(),
    attributes: {
      onDragOver: (event: DragEvent) => {
        if (!acceptsDrop()) return;
        event.preventDefault();
        event.dataTransfer!.dropEffect = wantsCopy(event) ? "copy" : "move";
        setOver(true);
      },
      onDragLeave: () => setOver(false),
      onDrop: (event: DragEvent) => {
        setOver(false);
        const { value } = dragged;
        if (!value || !acceptsDrop()) return;
        event.preventDefault();
        dragged.value = null;
        const { chosen, folder_id: from } = value;
        void moveOrAdd(chosen, {
          from_folder_id: from,
          to_folder_id: folder_id,
          name,
          move: !wantsCopy(event),
        });
      },
    },
  };
}

/** Shows all folders while documents are dragged. */
export function FolderDock({ onDone }: { readonly onDone: () => void }) {
  const folders = useFolders().data ?? [];
  if (dragged.value === null) return null;
  const { chosen, folder_id } = dragged.value;
  return (
    <aside class="dock" aria-label={strings.drag_targets} onDrop={onDone}>
      <p class="strong">{strings.drag_hint(chosen.count)}</p>
      <p class="small muted">{strings.drag_copy}</p>
      <ul>
        {folderOptions(folders)
          .filter(({ value }) => value !== folder_id)
          .map(({ value, label }) => (
            <DockFolder key={value} id={value} label={label} />
          ))}
      </ul>
    </aside>
  );
}

function DockFolder({ id, label }: { readonly id: string; readonly label: string }) {
  const { over, attributes } = useDropTarget(id, label);
  return (
    <li class="dock-folder" data-over={over || undefined} {...attributes}>
      <Icon name="folder" />
      <span class="clip">{label}</span>
    </li>
  );
}
