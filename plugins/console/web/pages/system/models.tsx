/**
 * The services for answers, embeddings, reranking and sign-in: a form for each, generated from its
 * settings, with a test before anything is saved.
 */
import { useQuery } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { api } from "../../api/client";
import { keys, refresh } from "../../api/queries";
import type { Answer } from "../../api/types";
import { forPeople } from "../../ui/sentence";
import { Button } from "../../ui/button";
import { ConfirmDialog } from "../../ui/dialog";
import { Note, Problem, type Tone } from "../../ui/note";
import { Loading } from "../../ui/states";
import { toast } from "../../ui/toast";
import { model_strings as strings } from "../../strings/models";
import { changesOf, appliesTo, keyOf, problemAt, type Draft, type Setting } from "./model-draft";
import { SettingField } from "./setting-field";

type Section = Answer<"listTriedSections">[number];
type Result = Answer<"trySettings">;

/** The essential settings; the others are shown on demand. */
const first_keys = [
  ...["provider", "base_url", "api_key", "model"],
  ...["issuer", "client_id", "client_secret"],
];
const tones: Readonly<Record<Result["status"], Tone>> = { ok: "ok", warn: "warn", fail: "bad" };

/** `group`: filters the services; those without a group are models. */
export function Models({ group }: { readonly group?: Section["group"] }) {
  const sections = useQuery({
    queryKey: [...keys.system, "sections"],
    queryFn: () => api<readonly Section[]>("/settings/sections"),
  });
  const settings = useQuery({
    queryKey: [...keys.system, "settings"],
    queryFn: () => api<readonly Setting[]>("/settings"),
  });
  return (
    <Loading query={sections}>
      {(all) => (
        <Loading query={settings}>
          {(all_settings) => (
            <div class="settings">
              {all
                .filter((section) => section.group === group)
                .map((section) => (
                  <Service
                    key={section.section}
                    section={section}
                    settings={all_settings.filter(({ setting }) =>
                      setting.startsWith(`${section.section}.`),
                    )}
                  />
                ))}
              <p class="small muted">{strings.foot}</p>
            </div>
          )}
        </Loading>
      )}
    </Loading>
  );
}

interface ServiceProps {
  readonly section: Section;
  readonly settings: readonly Setting[];
}

const Service = ({ section, settings }: ServiceProps) => (
  <section class="card setting" aria-labelledby={`service-${section.section}`}>
    <div class="stack-small">
      <h2 id={`service-${section.section}`}>{section.title}</h2>
      <p class="muted">{strings.texts[section.section]}</p>
    </div>
    <ServiceForm section={section} settings={settings} />
  </section>
);

/** One call at a time, and the result of the last one. */
function useCall() {
  const [busy, setBusy] = useState<"test" | "save" | null>(null);
  const [problem, setProblem] = useState<unknown>(null);
  const call = async (action: "test" | "save", work: () => Promise<unknown>) => {
    if (busy) return;
    setBusy(action);
    setProblem(null);
    await work().catch(setProblem);
    setBusy(null);
  };
  return { busy, problem, call, clearProblem: () => setProblem(null) };
}

function ServiceForm({ section: { section, title }, settings }: ServiceProps) {
  const [draft, setDraft] = useState<Draft>({});
  const [result, setResult] = useState<Result | null>(null);
  const { busy, problem, call, clearProblem } = useCall();
  const changes = changesOf(settings, draft);
  const is_beside_field = settings.some(
    (setting) => appliesTo(setting, settings, draft) && problemAt(problem, setting) !== undefined,
  );
  const is_changed = Object.keys(changes).length > 0;
  const test = () =>
    call("test", async () => {
      setResult(null);
      setResult(await api<Result>(`/settings/${section}/test`, { method: "POST", body: changes }));
    });
  const save = (event: Event) => {
    event.preventDefault();
    if (!is_changed) return toast({ text: strings.nothing_to_save });
    void call("save", async () => {
      await api("/settings", { method: "PATCH", body: changes });
      await refresh(...keys.system);
      setDraft({});
      toast({ text: strings.saved(title) });
    });
  };
  const edit = (change: Draft) => {
    setDraft((previous) => ({ ...previous, ...change }));
    setResult(null);
    clearProblem();
  };
  return (
    <form class="stack form-narrow" noValidate onSubmit={save} aria-label={title}>
      <Fields {...{ settings, draft, problem }} onEdit={edit} />
      {problem !== null && !is_beside_field && <Problem error={problem} />}
      {result && (
        <Note tone={tones[result.status]} title={strings.results[result.status]} live>
          <p class="wrap-anywhere">{forPeople(result.detail)}</p>
          {result.fix && <p class="wrap-anywhere">{result.fix}</p>}
        </Note>
      )}
      <div class="row row-wrap">
        <Button
          type="submit"
          kind={is_changed ? "primary" : "default"}
          busy={busy === "save"}
          aria-label={strings.save_label(title)}
        >
          {strings.save}
        </Button>
        <Button
          busy={busy === "test"}
          aria-label={busy === "test" ? undefined : strings.test_label(title)}
          onClick={() => void test()}
        >
          {busy === "test" ? strings.testing : strings.test}
        </Button>
        <ResetButton
          title={title}
          settings={settings}
          onDone={() => {
            setDraft({});
            setResult(null);
          }}
        />
        {is_changed && <span class="small muted">{strings.unsaved}</span>}
      </div>
    </form>
  );
}

interface FieldsProps {
  readonly settings: readonly Setting[];
  readonly draft: Draft;
  readonly problem: unknown;
  readonly onEdit: (change: Draft) => void;
}

/** Those that apply to the chosen provider. */
function Fields({ settings, draft, problem, onEdit }: FieldsProps) {
  const applicable = settings.filter(
    (setting) => setting.changes !== "outside" && appliesTo(setting, settings, draft),
  );
  const further = applicable.filter((setting) => !first_keys.includes(keyOf(setting)));
  const fieldOf = (setting: Setting) => (
    <SettingField key={setting.setting} setting={setting} {...{ draft, problem, onEdit }} />
  );
  return (
    <>
      {first_keys
        .flatMap((key) => applicable.filter((setting) => keyOf(setting) === key))
        .map(fieldOf)}
      {further.length > 0 && (
        <details
          class="more"
          open={further.some((setting) => problemAt(problem, setting)) || undefined}
        >
          <summary>{strings.more}</summary>
          <div class="stack">{further.map(fieldOf)}</div>
        </details>
      )}
    </>
  );
}

function ResetButton({
  title,
  settings,
  onDone,
}: {
  readonly title: string;
  readonly settings: readonly Setting[];
  readonly onDone: () => void;
}) {
  const [is_confirming, setConfirming] = useState(false);
  const stored = settings
    .filter((setting) => setting.stored !== null)
    .map(({ setting }) => setting);
  if (stored.length === 0) return null;
  return (
    <>
      <Button aria-label={strings.reset_label(title)} onClick={() => setConfirming(true)}>
        {strings.reset}
      </Button>
      {is_confirming && (
        <ConfirmDialog
          title={strings.reset_title(title)}
          confirm_label={strings.reset}
          onClose={() => setConfirming(false)}
          onConfirm={async () => {
            const body = Object.fromEntries(stored.map((setting) => [setting, null]));
            await api("/settings", { method: "PATCH", body });
            await refresh(...keys.system);
            onDone();
            toast({ text: strings.reset_done(title) });
          }}
        >
          <p>{strings.reset_text}</p>
          <p class="mono wrap-anywhere">{stored.join(", ")}</p>
        </ConfirmDialog>
      )}
    </>
  );
}
