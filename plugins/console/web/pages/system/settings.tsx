/** The settings of the server with their values and origins; many can be changed here. */
import { useQuery } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { api, type ApiProblem } from "../../api/client";
import { keys, refresh } from "../../api/queries";
import type { Answer } from "../../api/types";
import { Button } from "../../ui/button";
import { FormDialog } from "../../ui/dialog";
import { Segments, Select, TextField } from "../../ui/field";
import { Note } from "../../ui/note";
import { Empty, Loading } from "../../ui/states";
import { Table, type Column } from "../../ui/table";
import { Tag } from "../../ui/tag";
import { toast, toastError } from "../../ui/toast";
import { setting_strings as strings } from "../../strings/settings";

type Setting = Answer<"listAllSettings">[number];

const shown = (value: Setting["value"]): string =>
  value === null ? "" : Array.isArray(value) ? value.join(", ") : String(value);
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
    cell: (one) => (
      <span class="two-lines">
        <code class="wrap-anywhere">{one.setting}</code>
        <span class="mono wrap-anywhere">{shown(one.value) || strings.none}</span>
        <span class="small muted wrap-anywhere">{one.description}</span>
        {one.overruled && (
          <span class="small wrap-anywhere">
            {strings.overruled(one.origin, shown(one.stored))}
          </span>
        )}
        {one.restart_needed && <span class="small">{strings.restart}</span>}
        {one.problem && <span class="bad-text wrap-anywhere">{one.problem}</span>}
      </span>
    ),
  },
  {
    key: "origin",
    header: strings.origin,
    kind: "tight",
    cell: (one) =>
      one.origin === "default" ? (
        <span class="muted">{originOf(one)}</span>
      ) : (
        <Tag dot={false} tone={one.origin === "stored" ? "run" : "plain"}>
          {originOf(one)}
        </Tag>
      ),
  },
  {
    key: "actions",
    header: strings.actions,
    kind: "actions",
    cell: (one) =>
      one.changes !== "outside" && (
        <span class="row">
          {one.stored !== null && (
            <Button
              small
              aria-label={strings.reset_label(one.setting)}
              onClick={() => void reset(one)}
            >
              {strings.reset}
            </Button>
          )}
          <Button
            small
            aria-label={strings.change_label(one.setting)}
            onClick={() => onChange(one)}
          >
            {strings.change}
          </Button>
        </span>
      ),
  },
];

export function Settings() {
  const [sought, setSought] = useState("");
  const [which, setWhich] = useState("changeable");
  const [changing, setChanging] = useState<Setting | null>(null);
  const settings = useQuery({
    queryKey: [...keys.system, "settings"],
    queryFn: () => api<readonly Setting[]>("/settings"),
  });
  const isSought = (one: Setting): boolean =>
    (which === "all" || one.changes !== "outside") &&
    `${one.setting} ${one.description}`.toLowerCase().includes(sought.trim().toLowerCase());
  return (
    <section class="card">
      <div class="card-head">
        <TextField
          label={strings.filter}
          label_hidden
          icon="search"
          placeholder={strings.filter}
          value={sought}
          onValue={setSought}
          spellcheck={false}
        />
        <Segments
          label={strings.which}
          value={which}
          onValue={setWhich}
          options={[
            { value: "changeable", label: strings.changeable },
            { value: "all", label: strings.all },
          ]}
        />
      </div>
      <Loading query={settings}>
        {(all) => {
          const rows = all.filter(isSought);
          if (rows.length === 0)
            return (
              <Empty icon="search" title={strings.nothing}>
                {strings.nothing_text}
              </Empty>
            );
          return [...Map.groupBy(rows, sectionOf)].map(([section, own]) => (
            <section key={section} class="settings-part">
              <h2>{section}</h2>
              <Table
                label={strings.label(section)}
                columns={columns(setChanging)}
                rows={own}
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
  setting: one,
  onClose,
}: {
  readonly setting: Setting;
  readonly onClose: () => void;
}) {
  const is_secret = one.kind === "secret";
  const [value, setValue] = useState(is_secret ? "" : shown(one.stored ?? one.value));
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const pointer = `/${one.setting}`;
  const field = {
    label: strings.value,
    value,
    onValue: setValue,
    error: problem?.at(pointer),
    hint: [
      strings.hints[one.kind],
      strings.between(one.minimum, one.maximum),
      one.default === null ? "" : strings.default_is(shown(one.default)),
    ]
      .filter(Boolean)
      .join(" "),
  };
  const choices = one.kind === "boolean" ? ["true", "false"] : one.choices;
  const is_pinned = one.origin !== "default" && one.origin !== "stored";
  return (
    <FormDialog
      title={strings.change_title(one.setting)}
      submit_label={strings.save}
      onClose={onClose}
      onSubmit={() => change(one.setting, value)}
      own_pointers={[pointer]}
      onProblem={setProblem}
    >
      <p>{one.description}</p>
      {is_pinned && (
        <Note tone="warn" title={strings.overruled_title(one.origin)}>
          {strings.overruled_text(one.origin)}
        </Note>
      )}
      {one.changes === "at start" && <Note>{strings.at_start}</Note>}
      {choices ? (
        <Select {...field} options={choices.map((choice) => ({ value: choice, label: choice }))} />
      ) : (
        <TextField
          {...field}
          type={is_secret ? "password" : "text"}
          autocomplete={is_secret ? "new-password" : "off"}
          inputmode={one.kind === "integer" ? "numeric" : "text"}
          spellcheck={false}
          autofocus
        />
      )}
    </FormDialog>
  );
}
