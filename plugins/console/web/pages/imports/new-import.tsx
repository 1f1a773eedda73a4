/** A new import: its source, its folder, once or repeatedly; with a preview of what it finds. */
import { useState } from "preact/hooks";
import { useLocation } from "wouter-preact";
import { api, ApiProblem } from "../../api/client";
import { refresh, useFolders } from "../../api/queries";
import type { Answer, Folder } from "../../api/types";
import { Button, ButtonLink } from "../../ui/button";
import { Select, TextField } from "../../ui/field";
import { Note, Problem } from "../../ui/note";
import { PageHeader } from "../../ui/page-header";
import { Empty, Loading } from "../../ui/states";
import { toast } from "../../ui/toast";
import { import_strings as strings } from "../../strings/imports";
import { folderOptions } from "../folders/tree";
import type { ImportRun, Source } from "./records";
import { addressProblemOf, kinds, linesOf, SourceField, type Kind } from "./source-field";

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
  if (kind === "urls") return { type: kind, urls: linesOf(text) };
  return kind === "directory"
    ? { type: kind, path: text.trim() }
    : { type: kind, url: text.trim() };
};

/** The problem of the source, which has one field here. */
const sourceProblem = (problem: ApiProblem | null): string | undefined =>
  problem?.errors.find(({ pointer }) => pointer.startsWith("/source"))?.detail;

interface Fields {
  readonly folder_id: string;
  readonly kind: Kind;
  /** The only field of the source: addresses, an address or a path. */
  readonly text: string;
  readonly repeat: Repeat;
  readonly cron: string;
}

const dryRun = ({ folder_id, kind, text }: Fields) =>
  api<DryRun>("/imports", {
    method: "POST",
    body: { folder_id, source: sourceOf(kind, text), dry_run: true },
  });

/** Starts the import, or saves its schedule. Returns the page to go to. */
async function start({ folder_id, kind, text, repeat, cron }: Fields): Promise<string> {
  const source = sourceOf(kind, text);
  if (repeat === "never") {
    const body = { folder_id, source };
    const { id } = await api<ImportRun>("/imports", { method: "POST", body });
    return `/imports/${id}`;
  }
  const every = repeat === "custom" ? cron.trim() : repeat;
  await api("/import-schedules", { method: "POST", body: { folder_id, source, every } });
  toast({ text: strings.scheduled });
  return "/imports?part=schedules";
}

/** One call at a time: which one is running, and why the last one failed. */
function useCall() {
  const [busy, setBusy] = useState<"preview" | "start" | null>(null);
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const call = async (action: "preview" | "start", work: () => Promise<void>) => {
    if (busy) return;
    setBusy(action);
    setProblem(null);
    try {
      await work();
    } catch (error) {
      setProblem(error instanceof ApiProblem ? error : new ApiProblem(0, "unknown", String(error)));
    } finally {
      setBusy(null);
    }
  };
  return { busy, problem, call };
}

function NewImportForm({ folders }: { readonly folders: readonly Folder[] }) {
  const [, navigate] = useLocation();
  const folder_id = new URLSearchParams(location.search).get("folder");
  const options = folderOptions(folders);
  const [fields, setFields] = useState<Fields>({
    folder_id: options.some(({ value }) => value === folder_id) ? folder_id! : options[0]!.value,
    kind: "urls",
    text: "",
    repeat: "never",
    cron: "",
  });
  const [preview_result, setPreviewResult] = useState<DryRun | null>(null);
  const { busy, problem, call } = useCall();
  const { text, repeat, cron } = fields;
  const ready = text.trim() !== "" && (repeat !== "custom" || cron.trim() !== "");
  const [is_validated, setValidated] = useState(false);
  const source_problem = is_validated ? addressProblemOf(fields.kind, text) : undefined;
  /** Invalid addresses are reported here, before anything is sent. */
  const validate = (): boolean => {
    setValidated(true);
    return addressProblemOf(fields.kind, text) === undefined;
  };
  const submit = (event: Event) => {
    event.preventDefault();
    if (!ready || !validate()) return;
    void call("start", async () => {
      navigate(await start(fields));
      await refresh("import");
    });
  };
  const preview = () =>
    validate() && void call("preview", async () => setPreviewResult(await dryRun(fields)));
  const is_beside_field = sourceProblem(problem) ?? problem?.at("/every");
  return (
    <form class="card-body stack form-narrow" noValidate onSubmit={submit}>
      <ImportFields
        fields={fields}
        folders={options}
        problem={problem}
        wrong={source_problem}
        onLeave={() => text.trim() !== "" && setValidated(true)}
        onChange={(change) => {
          if (change.kind !== undefined) setValidated(false);
          setFields((previous) => ({ ...previous, ...change }));
          if (change.kind !== undefined || change.text !== undefined) setPreviewResult(null);
        }}
      />
      {problem && !is_beside_field && <Problem error={problem} />}
      {preview_result && <FoundItems found={preview_result} />}
      <div class="row row-wrap">
        <Button type="submit" kind="primary" busy={busy === "start"} disabled={!ready}>
          {repeat === "never" ? strings.start : strings.schedule}
        </Button>
        <Button busy={busy === "preview"} disabled={!ready} onClick={preview}>
          {busy === "preview" ? strings.looking : strings.look}
        </Button>
      </div>
    </form>
  );
}

function ImportFields({
  fields: { folder_id, kind, text, repeat, cron },
  folders,
  problem,
  wrong,
  onLeave,
  onChange,
}: {
  readonly fields: Fields;
  readonly folders: ReturnType<typeof folderOptions>;
  readonly problem: ApiProblem | null;
  /** What is wrong with the source, as far as the page can tell. */
  readonly wrong: string | undefined;
  readonly onLeave: () => void;
  readonly onChange: (change: Partial<Fields>) => void;
}) {
  return (
    <>
      <Select
        label={strings.kind_label}
        value={kind}
        onValue={(value) => onChange({ kind: value as Kind, text: "" })}
        options={kinds.map((value) => ({ value, label: strings.kinds[value]! }))}
      />
      <SourceField
        kind={kind}
        text={text}
        onText={(value) => onChange({ text: value })}
        onLeave={onLeave}
        error={wrong ?? sourceProblem(problem)}
      />
      <Select
        label={strings.folder_label}
        value={folder_id}
        onValue={(value) => onChange({ folder_id: value })}
        options={folders}
        error={problem?.at("/folder_id")}
      />
      <Select
        label={strings.repeat_label}
        value={repeat}
        onValue={(value) => onChange({ repeat: value as Repeat })}
        options={Object.entries(strings.repeats).map(([value, label]) => ({ value, label }))}
      />
      {repeat === "custom" && (
        <TextField
          label={strings.cron_label}
          hint={strings.cron_hint}
          value={cron}
          onValue={(value) => onChange({ cron: value })}
          error={problem?.at("/every")}
          spellcheck={false}
        />
      )}
    </>
  );
}

const shown_max = 100;

function FoundItems({
  found: { items, total_item_count: total, more, error },
}: {
  readonly found: DryRun;
}) {
  if (error !== undefined)
    return (
      <Note tone="bad" live>
        {error.message}
      </Note>
    );
  return (
    <div class="stack-small" role="status">
      <p class="strong">{strings.found(total, more)}</p>
      {total > 0 && (
        <ul class="plain-list found small" aria-label={strings.found_label} tabIndex={0}>
          {items.slice(0, shown_max).map(({ uri, folder, error }, index) => (
            <li key={index} class="two-lines">
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
