/**
 * A new import: what, into which folder, once or again and again; and a look at what it would
 * bring.
 */
import { useState } from "preact/hooks";
import { useLocation } from "wouter-preact";
import { api, ApiProblem } from "../../api/client";
import { refresh, useFolders } from "../../api/queries";
import type { Answer, Folder } from "../../api/types";
import { Button, ButtonLink } from "../../ui/button";
import { Select, TextArea, TextField } from "../../ui/field";
import { Problem } from "../../ui/note";
import { PageHeader } from "../../ui/page-header";
import { Empty, Loading } from "../../ui/states";
import { toast } from "../../ui/toast";
import { import_strings as strings } from "../../strings/imports";
import { folderOptions } from "../folders/tree";
import type { ImportRun, Source } from "./records";

const kinds = ["urls", "sitemap", "feed", "zip", "directory"] as const;
type Kind = (typeof kinds)[number];
type Repeat = keyof typeof strings.repeats;
type DryRun = Extract<Answer<"createImport">, { readonly items: unknown }>;

export default function NewImport() {
  const folders = useFolders();
  return (
    <>
      <PageHeader title={strings.new_title} crumbs={[{ label: strings.title, href: "/imports" }]} />
      <section class="card">
        <Loading query={folders}>
          {(all) =>
            all.length === 0 ? (
              <Empty
                icon="folder"
                title={strings.no_folder_title}
                actions={<ButtonLink href="/">{strings.to_folders}</ButtonLink>}
              >
                {strings.no_folder_text}
              </Empty>
            ) : (
              <NewImportForm folders={all} />
            )
          }
        </Loading>
      </section>
    </>
  );
}

const sourceOf = (kind: Kind, text: string): Source => {
  if (kind === "urls")
    return {
      type: kind,
      urls: text
        .split("\n")
        .map((line) => line.trim())
        .filter(Boolean),
    };
  return kind === "directory"
    ? { type: kind, path: text.trim() }
    : { type: kind, url: text.trim() };
};

/** Where the server points when the source's one field is wrong. */
const sourceProblem = (problem: ApiProblem | null): string | undefined =>
  problem?.errors.find(({ pointer }) => pointer.startsWith("/source"))?.detail;

function NewImportForm({ folders }: { readonly folders: readonly Folder[] }) {
  const [, navigate] = useLocation();
  const asked = new URLSearchParams(location.search).get("folder");
  const options = folderOptions(folders);
  const [folder_id, setFolder] = useState(
    options.some(({ value }) => value === asked) ? asked! : options[0]!.value,
  );
  const [kind, setKind] = useState<Kind>("urls");
  const [text, setText] = useState("");
  const [repeat, setRepeat] = useState<Repeat>("never");
  const [cron, setCron] = useState("");
  const [busy, setBusy] = useState<"look" | "start" | null>(null);
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const [found, setFound] = useState<DryRun | null>(null);
  const ready = text.trim() !== "" && (repeat !== "custom" || cron.trim() !== "");

  const run = async (what: "look" | "start", work: () => Promise<void>) => {
    if (busy || !ready) return;
    setBusy(what);
    setProblem(null);
    try {
      await work();
    } catch (error) {
      setProblem(error instanceof ApiProblem ? error : new ApiProblem(0, "unknown", String(error)));
    } finally {
      setBusy(null);
    }
  };
  const look = () =>
    run("look", async () =>
      setFound(
        await api<DryRun>("/imports", {
          method: "POST",
          body: { folder_id, source: sourceOf(kind, text), dry_run: true },
        }),
      ),
    );
  const start = () =>
    run("start", async () => {
      const source = sourceOf(kind, text);
      if (repeat === "never") {
        const { id } = await api<ImportRun>("/imports", {
          method: "POST",
          body: { folder_id, source },
        });
        navigate(`/imports/${id}`);
      } else {
        await api("/import-schedules", {
          method: "POST",
          body: { folder_id, source, every: repeat === "custom" ? cron.trim() : repeat },
        });
        toast({ text: strings.scheduled });
        navigate("/imports");
      }
      await refresh("import");
    });
  const beside = sourceProblem(problem) ?? problem?.at("/every");
  return (
    <form
      class="card-body stack form-narrow"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void start();
      }}
    >
      <Select
        label={strings.kind_label}
        value={kind}
        onValue={(value) => {
          setKind(value as Kind);
          setFound(null);
        }}
        options={kinds.map((value) => ({ value, label: strings.kinds[value]! }))}
      />
      <SourceField
        kind={kind}
        text={text}
        onText={(value) => {
          setText(value);
          setFound(null);
        }}
        error={sourceProblem(problem)}
      />
      <Select
        label={strings.folder_label}
        value={folder_id}
        onValue={setFolder}
        options={options}
        error={problem?.at("/folder_id")}
      />
      <Select
        label={strings.repeat_label}
        value={repeat}
        onValue={(value) => setRepeat(value as Repeat)}
        options={Object.entries(strings.repeats).map(([value, label]) => ({ value, label }))}
      />
      {repeat === "custom" && (
        <TextField
          label={strings.cron_label}
          hint={strings.cron_hint}
          value={cron}
          onValue={setCron}
          error={problem?.at("/every")}
          spellcheck={false}
        />
      )}
      {problem && !beside && <Problem error={problem} />}
      {found && <FoundItems found={found} />}
      <div class="row row-wrap">
        <Button type="submit" kind="primary" busy={busy === "start"} disabled={!ready}>
          {repeat === "never" ? strings.start : strings.schedule}
        </Button>
        <Button busy={busy === "look"} disabled={!ready} onClick={look}>
          {busy === "look" ? strings.looking : strings.look}
        </Button>
      </div>
    </form>
  );
}

function SourceField({
  kind,
  text,
  onText,
  error,
}: {
  readonly kind: Kind;
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly error: string | undefined;
}) {
  if (kind === "urls")
    return (
      <TextArea
        label={strings.urls_label}
        hint={strings.urls_hint}
        rows={6}
        value={text}
        onValue={onText}
        error={error}
        spellcheck={false}
        autofocus
      />
    );
  if (kind === "directory")
    return (
      <TextField
        label={strings.path_label}
        hint={strings.path_hint}
        value={text}
        onValue={onText}
        error={error}
        spellcheck={false}
      />
    );
  return (
    <TextField
      label={strings.url_labels[kind]!}
      hint={strings.url_hints[kind]}
      type="url"
      value={text}
      onValue={onText}
      error={error}
      spellcheck={false}
    />
  );
}

const shown_max = 100;

function FoundItems({
  found: { items, total_item_count: total, more },
}: {
  readonly found: DryRun;
}) {
  return (
    <div class="stack-small" role="status">
      <p class="strong">{strings.found(total, more)}</p>
      {total > 0 && (
        <ul class="plain-list found small" aria-label={strings.found_label} tabIndex={0}>
          {items.slice(0, shown_max).map(({ uri, folder, error }, place) => (
            <li key={place} class="two-lines">
              <span class="clip">
                {folder !== null && <span class="muted">{folder} / </span>}
                {uri}
              </span>
              {error !== null && <span class="bad-text">{error}</span>}
            </li>
          ))}
          {total > shown_max && <li class="muted">{strings.found_more(total - shown_max)}</li>}
        </ul>
      )}
    </div>
  );
}
