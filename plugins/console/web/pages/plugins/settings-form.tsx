/** The settings of a plugin as a form, generated from their definitions. */
import { useState } from "preact/hooks";
import { api } from "../../api/client";
import { Button } from "../../ui/button";
import { Problem } from "../../ui/note";
import { toast } from "../../ui/toast";
import { plugin_strings as strings } from "../../strings/plugins";
import { changesOf, problemAt, type Draft, type Setting } from "../system/model-draft";
import { SettingField } from "../system/setting-field";
import { refreshPlugins } from "./records";

/** Saves all changed settings in one request. */
export function SettingsForm({ settings }: { readonly settings: readonly Setting[] }) {
  const [draft, setDraft] = useState<Draft>({});
  const [problem, setProblem] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const editable = settings.filter(({ changes: when }) => when !== "outside");
  const outside = settings
    .filter((setting) => !editable.includes(setting))
    .map(({ setting }) => setting);
  const changes = changesOf(editable, draft);
  const is_changed = Object.keys(changes).length > 0;
  const is_beside_field = settings.some((setting) => problemAt(problem, setting) !== undefined);
  const save = async (event: Event) => {
    event.preventDefault();
    if (busy) return;
    if (!is_changed) return toast({ text: strings.nothing_to_save });
    setBusy(true);
    setProblem(null);
    try {
      const saved = await api<readonly Setting[]>("/settings", { method: "PATCH", body: changes });
      await refreshPlugins();
      setDraft({});
      const needs_restart = saved.some(({ restart_needed }) => restart_needed);
      toast({ text: needs_restart ? strings.saved_for_start : strings.saved });
    } catch (error) {
      setProblem(error);
    }
    setBusy(false);
  };
  const edit = (change: Draft) => {
    setDraft((previous) => ({ ...previous, ...change }));
    setProblem(null);
  };
  return (
    <form class="stack form-narrow" noValidate onSubmit={save} aria-label={strings.settings}>
      {editable.map((setting) => (
        <SettingField
          key={setting.setting}
          setting={setting}
          draft={draft}
          problem={problem}
          onEdit={edit}
        />
      ))}
      {outside.length > 0 && <p class="small muted">{strings.outside(outside)}</p>}
      {problem !== null && !is_beside_field && <Problem error={problem} />}
      <div class="row row-wrap">
        <Button type="submit" kind={is_changed ? "primary" : "default"} busy={busy}>
          {strings.save}
        </Button>
        {is_changed && <span class="small muted">{strings.unsaved}</span>}
      </div>
    </form>
  );
}
