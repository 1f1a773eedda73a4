/** The name of a document in a list, with notes below it. It can be edited in place. */
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Link } from "wouter-preact";
import { problemOf } from "../../api/client";
import { renameDocument } from "../../api/documents";
import type { Document } from "../../api/types";
import { forPeople } from "../../ui/sentence";
import { formatBytes } from "../../ui/format";
import { folder_strings } from "../../strings/folders";
import { refreshDocuments } from "./document-actions";

const strings = folder_strings.page;
const action_strings = folder_strings.actions_of_document;

/** The document being renamed in place, and how to start and stop. */
export interface Renaming {
  readonly id: string | null;
  readonly begin: (id: string) => void;
  readonly end: () => void;
}

interface NameProps {
  readonly document: Document;
  readonly folder_id: string;
  readonly renaming?: Renaming;
  /** Another document of the list has the same name. */
  readonly clashes: boolean;
}

/** A link to the document, or its editor while it is being renamed. */
export function DocumentName({ document, folder_id, renaming, clashes }: NameProps) {
  const { name, id } = document;
  const link = useRef<HTMLSpanElement>(null);
  const is_edited = renaming?.id === id;
  const was_edited = useRef(false);
  useLayoutEffect(() => {
    if (was_edited.current && !is_edited) link.current?.querySelector("a")?.focus();
    was_edited.current = is_edited;
  }, [is_edited]);
  return (
    <span class="two-lines" ref={link}>
      {is_edited ? (
        <NameEditor document={document} onEnd={renaming.end} />
      ) : (
        <Link
          href={`/documents/${id}?folder=${folder_id}`}
          class="title-link clip"
          title={name}
          draggable={false}
          onKeyDown={(event: KeyboardEvent) => {
            if (event.key !== "F2" || !renaming) return;
            event.preventDefault();
            renaming.begin(id);
          }}
        >
          {name}
        </Link>
      )}
      <Facts document={document} clashes={clashes} />
    </span>
  );
}

function Facts({ document, clashes }: Pick<NameProps, "document" | "clashes">) {
  const { size_bytes, file_type, page_count, warnings, status, error, source } = document;
  if (status === "sync_failed" && error)
    return (
      <span class="document-facts">
        <span class="bad-text">{forPeople(error.message)}</span>
      </span>
    );
  const facts = [
    clashes && source.uri,
    page_count !== null && strings.pages(page_count, file_type),
    warnings.length > 0 && strings.warnings(warnings.length),
    <span class="narrow-only">{formatBytes(size_bytes)}</span>,
  ].filter(Boolean);
  return (
    <span class="document-facts facts-line">
      {facts.map((fact, index) => (
        <span key={index}>{fact}</span>
      ))}
    </span>
  );
}

/** Enter saves, Escape cancels; leaving the field saves, too. */
function NameEditor({
  document,
  onEnd,
}: {
  readonly document: Document;
  readonly onEnd: () => void;
}) {
  const field = useRef<HTMLInputElement>(null);
  const [name, setName] = useState(document.name);
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState(false);
  useLayoutEffect(() => {
    const input = field.current!;
    input.focus();
    // The extension is kept by default.
    const point = document.name.lastIndexOf(".");
    input.setSelectionRange(0, point > 0 ? point : document.name.length);
  }, []);
  const save = async () => {
    if (busy) return;
    if (name.trim() === "" || name === document.name) return onEnd();
    setBusy(true);
    try {
      await renameDocument(document.id, name);
      await refreshDocuments();
      onEnd();
    } catch (error) {
      setProblem(problemOf(error).at("/name") ?? problemOf(error).sentence);
      setBusy(false);
      field.current?.focus();
    }
  };
  const id = `rename-${document.id}`;
  return (
    <span class="stack-small rename">
      <input
        ref={field}
        class="input"
        aria-label={action_strings.rename_title}
        aria-invalid={problem !== ""}
        aria-describedby={id}
        value={name}
        maxLength={255}
        spellcheck={false}
        onInput={({ currentTarget }) => setName(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && !event.isComposing) void save();
          else if (event.key === "Escape") onEnd();
          else return;
          event.preventDefault();
          event.stopPropagation();
        }}
        onBlur={() => {
          if (problem === "") void save();
          else onEnd();
        }}
      />
      <span id={id} class={problem ? "bad-text small" : "small muted"} role="status">
        {problem || action_strings.rename_hint}
      </span>
    </span>
  );
}
