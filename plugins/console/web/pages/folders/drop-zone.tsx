/** Adding files: by a drop anywhere on the page, or with the browser's file chooser. */
import type { RefObject } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Button } from "../../ui/button";
import { Icon } from "../../ui/icons";
import { folder_strings } from "../../strings/folders";
import { chosenFiles, droppedFiles } from "./picked-files";
import type { FileWithPath } from "./upload-plan";

const strings = folder_strings.page;

/** True while files are dragged over the window, anywhere in it. */
export function useDrop(onFiles: (files: readonly FileWithPath[]) => void): boolean {
  const [over, setOver] = useState(false);
  useEffect(() => {
    let depth = 0;
    const hasFiles = ({ dataTransfer }: DragEvent) =>
      dataTransfer?.types.includes("Files") ?? false;
    const listenTo = <K extends "dragenter" | "dragover" | "dragleave" | "drop">(
      name: K,
      handle: (event: DragEvent) => void,
    ) => {
      const listen = (event: DragEvent) => {
        if (hasFiles(event)) handle(event);
      };
      addEventListener(name, listen);
      return () => removeEventListener(name, listen);
    };
    const unsubscribers = [
      listenTo("dragenter", (event) => {
        event.preventDefault();
        depth += 1;
        setOver(true);
      }),
      listenTo("dragover", (event) => event.preventDefault()),
      listenTo("dragleave", () => {
        depth -= 1;
        if (depth <= 0) {
          depth = 0;
          setOver(false);
        }
      }),
      listenTo("drop", (event) => {
        event.preventDefault();
        depth = 0;
        setOver(false);
        void droppedFiles(event.dataTransfer!).then((files) => {
          if (files.length > 0) onFiles(files);
        });
      }),
    ];
    return () => {
      for (const unsubscribe of unsubscribers) unsubscribe();
    };
  }, [onFiles]);
  return over;
}

/** Large while the folder is empty, otherwise one line. `input` is the file chooser of the page. */
export function DropZone({
  large,
  onChoose,
  onDirectory,
}: {
  readonly large: boolean;
  readonly onChoose: () => void;
  readonly onDirectory: () => void;
}) {
  if (!large)
    return (
      <p class="drop-slim small muted">
        {strings.drop_slim}{" "}
        <button type="button" class="link-button" onClick={onChoose}>
          {strings.choose}
        </button>{" "}
        {strings.or}{" "}
        <button type="button" class="link-button" onClick={onDirectory}>
          {strings.choose_directory}
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
      <div class="row row-wrap">
        <Button icon="upload" onClick={onChoose}>
          {strings.upload_files}
        </Button>
        <Button icon="folder-plus" onClick={onDirectory}>
          {strings.upload_directory}
        </Button>
      </div>
    </div>
  );
}

/** Covers the page while files are held over it. */
export const DropOverlay = ({ text }: { readonly text: string }) => (
  <div class="drop-over" aria-hidden="true">
    <div>
      <Icon name="upload" size={32} />
      <p>{text}</p>
    </div>
  </div>
);

/** The browser's own chooser, for files or for a directory; a button opens it. */
export const FileInput = ({
  input,
  directory = false,
  onFiles,
}: {
  readonly input: RefObject<HTMLInputElement>;
  readonly directory?: boolean;
  readonly onFiles: (files: readonly FileWithPath[]) => void;
}) => (
  <input
    ref={input}
    type="file"
    multiple
    {...(directory ? { webkitdirectory: true } : {})}
    class="vh"
    tabIndex={-1}
    aria-label={directory ? strings.upload_directory : strings.upload_label}
    onChange={({ currentTarget }) => {
      onFiles(chosenFiles(currentTarget.files ?? []));
      currentTarget.value = "";
    }}
  />
);
