/** The field of a setting: its control, the origin of its value, its error. */
import type { ComponentChildren } from "preact";
import { Button } from "../../ui/button";
import { Select, TextField } from "../../ui/field";
import { setting_strings } from "../../strings/settings";
import { model_strings as strings } from "../../strings/models";
import {
  valueText,
  isPinned,
  keyOf,
  problemAt,
  fieldText,
  type Draft,
  type Setting,
} from "./model-draft";

interface FieldProps {
  readonly setting: Setting;
  readonly draft: Draft;
  readonly problem: unknown;
  readonly onEdit: (change: Draft) => void;
}

/** `silence_timeout` → `Silence timeout`, unless a better label is known. */
const labelOf = (setting: Setting): string => {
  const words = keyOf(setting).replaceAll("_", " ");
  return strings.labels[keyOf(setting)] ?? words[0]!.toUpperCase() + words.slice(1);
};

const hintOf = (setting: Setting, further = ""): ComponentChildren =>
  withCode(
    [
      setting.description,
      isPinned(setting) ? strings.set_by(setting.origin) : setting_strings.hints[setting.kind],
      setting_strings.between(setting.minimum, setting.maximum),
      setting.default === null || setting.choices
        ? ""
        : setting_strings.default_is(valueText(setting.default)),
      setting.restart_needed ? setting_strings.restart : "",
      setting.problem ?? "",
      further,
    ]
      .filter(Boolean)
      .join(" "),
  );

/** Descriptions have names of settings and commands in backticks. */
const withCode = (text: string): ComponentChildren =>
  text.split("`").map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part));

/** The field that fits the setting's type; read-only if a source of higher precedence sets it. */
export function SettingField(props: FieldProps) {
  const { setting, draft, problem, onEdit } = props;
  if (setting.kind === "secret") return <SecretField {...props} />;
  const field = {
    label: labelOf(setting),
    hint: hintOf(setting),
    value: fieldText(draft, setting),
    onValue: (value: string) => onEdit({ [setting.setting]: value }),
    error: problemAt(problem, setting),
  };
  const choices = setting.kind === "boolean" ? ["true", "false"] : setting.choices;
  if (choices)
    return (
      <Select
        {...field}
        disabled={isPinned(setting)}
        options={choices.map((choice) => optionOf(setting, choice))}
      />
    );
  return (
    <TextField
      {...field}
      readOnly={isPinned(setting)}
      inputmode={
        setting.kind === "integer" ? "numeric" : keyOf(setting) === "base_url" ? "url" : "text"
      }
      spellcheck={false}
    />
  );
}

function optionOf(setting: Setting, value: string) {
  const label = strings.choices[value] ?? value;
  return { value, label: value === setting.default ? strings.default_of(label) : label };
}

/** Write-only. */
function SecretField({ setting, draft, problem, onEdit }: FieldProps) {
  const typed = draft[setting.setting];
  const is_set = setting.value !== null;
  const is_removed = typed === null;
  const change = (value: string | null | undefined) =>
    onEdit({ [setting.setting]: value } as Draft);
  return (
    <div class="stack-small">
      <TextField
        label={labelOf(setting)}
        hint={hintOf(
          setting,
          is_removed
            ? strings.secret_going
            : is_set && !isPinned(setting)
              ? strings.secret_set
              : "",
        )}
        type="password"
        autocomplete="new-password"
        placeholder={is_set && !is_removed ? "••••••••" : strings.secret_none}
        value={typed ?? ""}
        onValue={change}
        readOnly={isPinned(setting)}
        error={problemAt(problem, setting)}
        spellcheck={false}
      />
      {setting.stored !== null && (
        <div>
          <Button small onClick={() => change(is_removed ? undefined : null)}>
            {is_removed ? strings.keep : strings.take_away}
          </Button>
        </div>
      )}
    </div>
  );
}
