/** The field of a setting: its control, the origin of its value, its error. */
import type { ComponentChildren } from "preact";
import { Button } from "../../ui/button";
import { Select, TextField } from "../../ui/field";
import { setting_strings } from "../../strings/settings";
import { model_strings as strings } from "../../strings/models";
import {
  inWords,
  isPinned,
  keyOf,
  problemAt,
  shownIn,
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
const labelOf = (one: Setting): string => {
  const words = keyOf(one).replaceAll("_", " ");
  return strings.labels[keyOf(one)] ?? words[0]!.toUpperCase() + words.slice(1);
};

const hintOf = (one: Setting, more = ""): ComponentChildren =>
  withCode(
    [
      one.description,
      isPinned(one) ? strings.set_by(one.origin) : setting_strings.hints[one.kind],
      setting_strings.between(one.minimum, one.maximum),
      one.default === null || one.choices ? "" : setting_strings.default_is(inWords(one.default)),
      one.restart_needed ? setting_strings.restart : "",
      one.problem ?? "",
      more,
    ]
      .filter(Boolean)
      .join(" "),
  );

/** Descriptions have names of settings and commands in backticks. */
const withCode = (text: string): ComponentChildren =>
  text.split("`").map((part, place) => (place % 2 === 1 ? <code key={place}>{part}</code> : part));

export function SettingField(props: FieldProps) {
  const { setting: one, draft, problem, onEdit } = props;
  if (one.kind === "secret") return <SecretField {...props} />;
  const field = {
    label: labelOf(one),
    hint: hintOf(one),
    value: shownIn(draft, one),
    onValue: (value: string) => onEdit({ [one.setting]: value }),
    error: problemAt(problem, one),
  };
  const choices = one.kind === "boolean" ? ["true", "false"] : one.choices;
  if (choices)
    return (
      <Select
        {...field}
        disabled={isPinned(one)}
        options={choices.map((of) => optionOf(one, of))}
      />
    );
  return (
    <TextField
      {...field}
      readOnly={isPinned(one)}
      inputmode={one.kind === "integer" ? "numeric" : keyOf(one) === "base_url" ? "url" : "text"}
      spellcheck={false}
    />
  );
}

function optionOf(one: Setting, value: string) {
  const label = strings.choices[value] ?? value;
  return { value, label: value === one.default ? strings.default_of(label) : label };
}

/** Write-only. */
function SecretField({ setting: one, draft, problem, onEdit }: FieldProps) {
  const typed = draft[one.setting];
  const is_set = one.value !== null;
  const goes = typed === null;
  const change = (value: string | null | undefined) => onEdit({ [one.setting]: value } as Draft);
  return (
    <div class="stack-small">
      <TextField
        label={labelOf(one)}
        hint={hintOf(
          one,
          goes ? strings.secret_going : is_set && !isPinned(one) ? strings.secret_set : "",
        )}
        type="password"
        autocomplete="new-password"
        placeholder={is_set && !goes ? "••••••••" : strings.secret_none}
        value={typed ?? ""}
        onValue={change}
        readOnly={isPinned(one)}
        error={problemAt(problem, one)}
        spellcheck={false}
      />
      {one.stored !== null && (
        <div>
          <Button small onClick={() => change(goes ? undefined : null)}>
            {goes ? strings.keep : strings.take_away}
          </Button>
        </div>
      )}
    </div>
  );
}
