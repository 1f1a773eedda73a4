/** Files come in: by a drop anywhere on the page, or chosen in the browser's dialog. */
import type { RefObject } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Button } from "../../ui/button";
import { Icon } from "../../ui/icons";
import { folder_strings } from "../../strings/folders";

const strings = folder_strings.page;

/** What was dropped, the files inside dropped directories included. */
async function filesOf(transfer: DataTransfer): Promise<readonly File[]> {
  // The entries must be taken before the first wait: afterwards the browser has emptied the list.
  const entries = [...transfer.items]
    .map((item) => item.webkitGetAsEntry())
    .filter((entry) => entry !== null);
  return entries.length === 0
    ? [...transfer.files]
    : (await Promise.all(entries.map(filesBelow))).flat();
}

async function filesBelow(entry: FileSystemEntry): Promise<readonly File[]> {
  if (entry.isFile)
    return [
      await new Promise<File>((resolve, reject) =>
        (entry as FileSystemFileEntry).file(resolve, reject),
      ),
    ];
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const found: File[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (some.length === 0) return found;
    found.push(...(await Promise.all(some.map(filesBelow))).flat());
  }
}

/** While files are dragged over the window; a drop anywhere is taken. */
export function useDrop(onFiles: (files: readonly File[]) => void): boolean {
  const [over, setOver] = useState(false);
  useEffect(() => {
    let depth = 0;
    const carries = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes("Files") ?? false;
    const on = <K extends "dragenter" | "dragover" | "dragleave" | "drop">(
      name: K,
      work: (event: DragEvent) => void,
    ) => {
      const listen = (event: DragEvent) => {
        if (carries(event)) work(event);
      };
      addEventListener(name, listen);
      return () => removeEventListener(name, listen);
    };
    const undo = [
      on("dragenter", (event) => {
        event.preventDefault();
        depth += 1;
        setOver(true);
      }),
      on("dragover", (event) => event.preventDefault()),
      on("dragleave", () => {
        depth -= 1;
        if (depth <= 0) {
          depth = 0;
          setOver(false);
        }
      }),
      on("drop", (event) => {
        event.preventDefault();
        depth = 0;
        setOver(false);
        void filesOf(event.dataTransfer!).then((files) => {
          if (files.length > 0) onFiles(files);
        });
      }),
    ];
    return () => {
      for (const off of undo) off();
    };
  }, [onFiles]);
  return over;
}

/**
 * Large while the folder is empty, a line when it is not. `input` is the file chooser of the page.
 */
export function DropZone({
  large,
  onChoose,
}: {
  readonly large: boolean;
  readonly onChoose: () => void;
}) {
  if (!large)
    return (
      <p class="drop-slim small muted">
        {strings.drop_slim}{" "}
        <button type="button" class="link-button" onClick={onChoose}>
          {strings.choose}
        </button>
      </p>
    );
  return (
    <div class="drop">
      <span class="empty-icon">
        <Icon name="upload" size={24} />
      </span>
      <h2>{strings.drop_title}</h2>
      <p class="muted">{strings.drop_hint}</p>
      <Button icon="upload" onClick={onChoose}>
        {strings.upload}
      </Button>
    </div>
  );
}

/** Covers the page while files are held over it. */
export const DropOverlay = ({ name }: { readonly name: string }) => (
  <div class="drop-over" aria-hidden="true">
    <div>
      <Icon name="upload" size={32} />
      <p>{strings.drop_over(name)}</p>
    </div>
  </div>
);

/** The browser's own chooser; a button opens it. */
export const FileInput = ({
  input,
  onFiles,
}: {
  readonly input: RefObject<HTMLInputElement>;
  readonly onFiles: (files: readonly File[]) => void;
}) => (
  <input
    ref={input}
    type="file"
    multiple
    class="vh"
    tabIndex={-1}
    aria-label={strings.upload_label}
    onChange={({ currentTarget }) => {
      onFiles([...(currentTarget.files ?? [])]);
      currentTarget.value = "";
    }}
  />
);
