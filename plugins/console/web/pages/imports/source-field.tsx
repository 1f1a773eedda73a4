/** The one field of an import's source: addresses, an address, or a directory of the server. */
import { useQuery } from "@tanstack/preact-query";
import { useEffect } from "preact/hooks";
import { api } from "../../api/client";
import { keys } from "../../api/queries";
import type { Answer } from "../../api/types";
import { Select, TextArea, TextField } from "../../ui/field";
import { Note, Problem } from "../../ui/note";
import { addressProblem } from "../../ui/web-address";
import { import_strings as strings } from "../../strings/imports";

/** Kinds of sources that have a form here; plugins may add others. */
export const kinds = ["urls", "sitemap", "feed", "zip", "directory"] as const;
export type Kind = (typeof kinds)[number];

/** The lines that are not blank, trimmed. */
export const linesOf = (text: string): readonly string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);

/** A sentence about the first entry that is not a web address. */
export const addressProblemOf = (kind: Kind, text: string): string | undefined =>
  kind === "directory" ? undefined : addressProblem(linesOf(text));

interface FieldProps {
  readonly kind: Kind;
  readonly text: string;
  readonly onText: (text: string) => void;
  /** Whether the field has lost the focus. */
  readonly onLeave: () => void;
  readonly error: string | undefined;
}

/** The field that fits the kind of the source. */
export function SourceField({ kind, text, onText, onLeave, error }: FieldProps) {
  const shared = { value: text, onValue: onText, onBlur: onLeave, error, spellcheck: false };
  if (kind === "directory") return <DirectoryField text={text} onText={onText} error={error} />;
  if (kind === "urls")
    return (
      <TextArea
        label={strings.urls_label}
        hint={strings.urls_hint}
        placeholder={strings.urls_placeholder}
        rows={6}
        autofocus
        {...shared}
      />
    );
  return (
    <TextField
      label={strings.url_labels[kind]!}
      hint={strings.url_hints[kind]}
      type="url"
      {...shared}
    />
  );
}

/** Only directories that the operator allows can be imported, so they are offered as choices. */
function DirectoryField({ text, onText, error }: Pick<FieldProps, "text" | "onText" | "error">) {
  const allowed = useQuery({
    queryKey: [...keys.imports, "directories"],
    queryFn: () => api<Answer<"listImportDirectories">>("/import-directories"),
  });
  const directories = allowed.data?.directories;
  useEffect(() => {
    if (text === "" && directories?.[0] !== undefined) onText(directories[0]);
  }, [directories]);
  if (allowed.error) return <Problem error={allowed.error} />;
  if (directories?.length === 0)
    return <Note title={strings.no_directories}>{strings.no_directories_text}</Note>;
  return (
    <Select
      label={strings.path_label}
      hint={strings.path_hint}
      value={text}
      onValue={onText}
      error={error}
      options={(directories ?? []).map((value) => ({ value, label: value }))}
    />
  );
}
