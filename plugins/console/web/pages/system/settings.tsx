/** The settings of the server with their values and origins; many can be changed here. */
import { useQuery } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { api, type ApiProblem } from "../../api/client";
import { keys, refresh } from "../../api/queries";

import { Button } from "../../ui/button";
import { FormDialog } from "../../ui/dialog";
import { Segments, Select, TextField } from "../../ui/field";
import { Note } from "../../ui/note";
import { Empty, Loading } from "../../ui/states";
import { Table, type Column } from "../../ui/table";
import { Tag } from "../../ui/tag";
import { toast, toastError } from "../../ui/toast";
import { setting_strings as strings } from "../../strings/settings";
import { isPinned, valueText, type Setting } from "./model-draft";

const sectionOf = ({ setting }: Setting): string => setting.slice(0, setting.indexOf("."));
const originOf = ({ origin }: Setting): string => strings.origins[origin] ?? origin;

/** Null resets to the default. */
async function change(setting: string, value: string | null): Promise<void> {
  const [changed] = await api<readonly Setting[]>("/settings", {
    method: "PATCH",
    body: { [setting]: value },
  });
  toast({
    text: changed!.overruled
      ? strings.saved_overruled(setting, changed!.origin)
      : changed!.restart_needed
        ? strings.saved_for_start(setting)
        : strings.saved(setting),
  });
  await refresh(...keys.system);
}

const reset = ({ setting }: Setting): Promise<void> => change(setting, null).catch(toastError);

const columns = (onChange: (setting: Setting) => void): readonly Column<Setting>[] => [
  {
    key: "setting",
    header: strings.setting,
    kind: "main",
    cell: (setting) => (
      <span class="two-lines">
        <code class="wrap-anywhere">{setting.setting}</code>
        <span class="mono wrap-anywhere">{valueText(setting.value) || strings.none}</span>
        <span class="small muted wrap-anywhere">{setting.description}</span>
        {setting.overruled && (
          <span class="small wrap-anywhere">
            {strings.overruled(setting.origin, valueText(setting.stored))}
          </span>
        )}
        {setting.restart_needed && <span class="small">{strings.restart}</span>}
        {setting.problem && <span class="bad-text wrap-anywhere">{setting.problem}</span>}
      </span>
    ),
  },
  {
    key: "origin",
    header: strings.origin,
    kind: "tight",
    cell: (setting) =>
      setting.origin === "default" ? (
        <span class="muted">{originOf(setting)}</span>
      ) : (
        <Tag dot={false} tone={setting.origin === "stored" ? "run" : "plain"}>
          {originOf(setting)}
        </Tag>
      ),
  },
  {
    key: "actions",
    header: strings.actions,
    kind: "actions",
    cell: (setting) =>
      setting.changes !== "outside" && (
        <span class="row">
          {setting.stored !== null && (
            <Button
              small
              aria-label={strings.reset_label(setting.setting)}
              onClick={() => void reset(setting)}
            >
              {strings.reset}
            </Button>
          )}
          <Button
            small
            aria-label={strings.change_label(setting.setting)}
            onClick={() => onChange(setting)}
          >
            {strings.change}
          </Button>
        </span>
      ),
  },
];

/** The settings by section, with a filter and a dialog to change one. */
export function Settings() {
  const [filter_text, setFilterText] = useState("");
  const [shown_settings, setShownSettings] = useState("changeable");
  const [changing, setChanging] = useState<Setting | null>(null);
  const settings = useQuery({
    queryKey: [...keys.system, "settings"],
    queryFn: () => api<readonly Setting[]>("/settings"),
  });
  const matchesFilter = (setting: Setting): boolean =>
    (shown_settings === "all" || setting.changes !== "outside") &&
    `${setting.setting} ${setting.description}`
      .toLowerCase()
      .includes(filter_text.trim().toLowerCase());
  return (
    <section class="card">
      <div class="card-head">
        <TextField
          label={strings.filter}
          label_hidden
          icon="search"
          placeholder={strings.filter}
          value={filter_text}
          onValue={setFilterText}
          spellcheck={false}
        />
        <Segments
          label={strings.which}
          value={shown_settings}
          onValue={setShownSettings}
          options={[
            { value: "changeable", label: strings.changeable },
            { value: "all", label: strings.all },
          ]}
        />
      </div>
      <Loading query={settings}>
        {(all) => {
          const rows = all.filter(matchesFilter);
          if (rows.length === 0)
            return (
              <Empty icon="search" title={strings.nothing}>
                {strings.nothing_text}
              </Empty>
            );
          return [...Map.groupBy(rows, sectionOf)].map(([section, section_settings]) => (
            <section key={section} class="settings-part">
              <h2>{section}</h2>
              <Table
                label={strings.label(section)}
                columns={columns(setChanging)}
                rows={section_settings}
                row_key={({ setting }) => setting}
              />
            </section>
          ));
        }}
      </Loading>
      <p class="card-foot small muted">{strings.foot}</p>
      {changing && <ChangeDialog setting={changing} onClose={() => setChanging(null)} />}
    </section>
  );
}

function ChangeDialog({
  setting,
  onClose,
}: {
  readonly setting: Setting;
  readonly onClose: () => void;
}) {
  const is_secret = setting.kind === "secret";
  const [value, setValue] = useState(is_secret ? "" : valueText(setting.stored ?? setting.value));
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const pointer = `/${setting.setting}`;
  const field = {
    label: strings.value,
    value,
    onValue: setValue,
    error: problem?.at(pointer),
    hint: [
      strings.hints[setting.kind],
      strings.between(setting.minimum, setting.maximum),
      setting.default === null ? "" : strings.default_is(valueText(setting.default)),
    ]
      .filter(Boolean)
      .join(" "),
  };
  const choices = setting.kind === "boolean" ? ["true", "false"] : setting.choices;
  return (
    <FormDialog
      title={strings.change_title(setting.setting)}
      submit_label={strings.save}
      onClose={onClose}
      onSubmit={() => change(setting.setting, value)}
      field_pointers={[pointer]}
      onProblem={setProblem}
    >
      <p>{setting.description}</p>
      {isPinned(setting) && (
        <Note tone="warn" title={strings.overruled_title(setting.origin)}>
          {strings.overruled_text(setting.origin)}
        </Note>
      )}
      {setting.changes === "at start" && <Note>{strings.at_start}</Note>}
      {choices ? (
        <Select {...field} options={choices.map((choice) => ({ value: choice, label: choice }))} />
      ) : (
        <TextField
          {...field}
          type={is_secret ? "password" : "text"}
          autocomplete={is_secret ? "new-password" : "off"}
          inputmode={setting.kind === "integer" ? "numeric" : "text"}
          spellcheck={false}
          autofocus
        />
      )}
    </FormDialog>
  );
}
