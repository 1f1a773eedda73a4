/** Details of a document, beside its preview. */
import { Link } from "wouter-preact";
import type { ComponentChildren } from "preact";
import type { Document, Folder } from "../../api/types";
import { forPeople } from "../../ui/sentence";
import { Button, IconButton } from "../../ui/button";
import { fileTypeOf } from "../../ui/file-type";
import { formatBytes, formatDateTime, formatNumber } from "../../ui/format";
import { Icon } from "../../ui/icons";
import { folder_strings } from "../../strings/folders";
import { selectionOf } from "../folders/selection";
import { removeFromFolder } from "../folders/document-actions";
import { DocumentStatus } from "../folders/status";
import { pathOf } from "../folders/tree";

const strings = folder_strings.one;
const languages = new Intl.DisplayNames("en", { type: "language", fallback: "code" });

/** The English name of a language; an unknown code is shown as it is. */
function languageOf(code: string): string {
  try {
    return languages.of(code) ?? code;
  } catch {
    return code;
  }
}

/** Only addresses with a safe scheme become links. */
function Source({ uri }: { readonly uri: string }) {
  return /^https?:\/\//i.test(uri) ? (
    <a href={uri} rel="noopener noreferrer" target="_blank">
      {uri}
    </a>
  ) : (
    <>{uri}</>
  );
}

/** The facts about a document: its type, size, origin and state. */
export function Details({ document }: { readonly document: Document }) {
  const {
    media_type,
    file_type,
    size_bytes,
    page_count,
    language,
    version,
    created_at,
    synced_at,
    source,
    sha256,
    id,
    indexing,
  } = document;
  const facts: readonly (readonly [label: string, value: ComponentChildren])[] = [
    [strings.status, <DocumentStatus key="status" document={document} />],
    ...(indexing.vectors === "pending"
      ? [[strings.vectors, strings.vectors_pending] as const]
      : []),
    [strings.type, <span title={media_type}>{fileTypeOf(document)}</span>],
    [strings.size, formatBytes(size_bytes)],
    ...(page_count === null
      ? []
      : [[strings.page_count(file_type), formatNumber(page_count)] as const]),
    ...(language === null ? [] : [[strings.language, languageOf(language)] as const]),
    ...(version > 1 ? [[strings.version, formatNumber(version)] as const] : []),
    [strings.added, formatDateTime(created_at)],
    [strings.indexed, synced_at === null ? "–" : formatDateTime(synced_at)],
    [
      strings.source,
      <>
        {strings.sources[source.kind]}
        {source.uri && (
          <>
            : <Source uri={source.uri} />
          </>
        )}
      </>,
    ],
    [
      strings.id,
      <code key="id" class="small">
        {id}
      </code>,
    ],
    [
      strings.sha,
      <code key="sha" class="small">
        {sha256}
      </code>,
    ],
  ];
  return (
    <section class="card">
      <div class="card-head">
        <h2>{strings.details}</h2>
      </div>
      <dl class="facts card-body">
        {facts.flatMap(([label, value]) => [
          <dt key={`${label} of`}>{label}</dt>,
          <dd key={label}>{value}</dd>,
        ])}
      </dl>
    </section>
  );
}

/** The folders that contain a document, with buttons to change them. */
export function FolderLinks({
  document,
  folders,
  onAdd,
}: {
  readonly document: Document;
  readonly folders: readonly Folder[];
  readonly onAdd: () => void;
}) {
  const named = document.folder_ids.map((id) => ({
    id,
    folder: folders.find((folder) => folder.id === id),
  }));
  return (
    <section class="card">
      <div class="card-head">
        <h2>{strings.folders}</h2>
        <Button small icon="plus" onClick={onAdd}>
          {strings.add_folder}
        </Button>
      </div>
      <div class="card-body">
        {named.length === 0 ? (
          <p class="muted">{strings.in_no_folder}</p>
        ) : (
          <ul class="folder-links">
            {named.map(({ id, folder }) => {
              const name = folder ? pathOf(folder, folders) : strings.unknown_folder;
              return (
                <li key={id}>
                  <Link href={`/folders/${id}`}>
                    <Icon name="folder" />
                    <span class="clip">{name}</span>
                  </Link>
                  <IconButton
                    label={strings.remove_from(name)}
                    icon="remove"
                    small
                    onClick={() => void removeFromFolder(selectionOf([document]), id)}
                  />
                </li>
              );
            })}
          </ul>
        )}
      </div>
    </section>
  );
}

/** What the extraction could not read completely. */
export function Warnings({ document: { warnings } }: { readonly document: Document }) {
  if (warnings.length === 0) return null;
  return (
    <section class="card">
      <div class="card-head">
        <h2>{strings.warnings}</h2>
      </div>
      <ul class="warnings card-body">
        {warnings.map(({ code, message, page }) => (
          <li key={`${code} ${page}`}>
            {page !== null && <span class="strong">{strings.warning_page(page)}</span>}
            {forPeople(message)}
          </li>
        ))}
      </ul>
    </section>
  );
}
