/** Form fields: label, control, hint and error, connected for screen readers too. */
import type { ComponentChildren, JSX } from "preact";
import { Icon, type IconName } from "./icons";
import { useUniqueId } from "./unique-id";

interface Frame {
  readonly label: string;
  readonly hint?: ComponentChildren;
  /** The validation error; undefined or empty if the value is valid. */
  readonly error?: string | undefined;
  /** The label is for screen readers only. */
  readonly label_hidden?: boolean;
}

interface ControlProps {
  readonly id: string;
  readonly class: string;
  readonly "aria-describedby": string | undefined;
  readonly "aria-invalid": boolean | undefined;
}

/** A field around any control: `children` receives the attributes that the control must have. */
export function Field({
  label,
  hint,
  error,
  label_hidden,
  children,
}: Frame & { readonly children: (control: ControlProps) => ComponentChildren }) {
  const id = useUniqueId();
  const description_ids = [hint ? `${id}-hint` : "", error ? `${id}-error` : ""]
    .filter(Boolean)
    .join(" ");
  return (
    <div class="field">
      <label for={id} class={label_hidden ? "vh" : undefined}>
        {label}
      </label>
      {children({
        id,
        class: "input",
        "aria-describedby": description_ids || undefined,
        "aria-invalid": error ? true : undefined,
      })}
      {hint && (
        <div id={`${id}-hint`} class="field-hint">
          {hint}
        </div>
      )}
      {error && (
        <div id={`${id}-error`} class="field-error" role="alert">
          <Icon name="alert" size={16} />
          {error}
        </div>
      )}
    </div>
  );
}

type Value = { readonly value: string; readonly onValue: (value: string) => void };

/** A text field of one line; other attributes are passed to the element. */
export function TextField({
  label,
  hint,
  error,
  label_hidden,
  value,
  onValue,
  icon,
  ...attributes
}: Frame &
  Value & { readonly icon?: IconName } & Omit<
    JSX.InputHTMLAttributes<HTMLInputElement>,
    "label" | "value" | "icon"
  >) {
  return (
    <Field label={label} hint={hint} error={error} label_hidden={label_hidden ?? false}>
      {(control) => {
        const input = (
          <input
            type="text"
            autocomplete="off"
            {...attributes}
            {...control}
            value={value}
            onInput={(event) => onValue(event.currentTarget.value)}
          />
        );
        return icon ? (
          <div class="input-with-icon">
            <Icon name={icon} size={16} />
            {input}
          </div>
        ) : (
          input
        );
      }}
    </Field>
  );
}

/** A text field of several lines; other attributes are passed to the element. */
export function TextArea({
  label,
  hint,
  error,
  label_hidden,
  value,
  onValue,
  ...attributes
}: Frame & Value & Omit<JSX.TextareaHTMLAttributes<HTMLTextAreaElement>, "label" | "value">) {
  return (
    <Field label={label} hint={hint} error={error} label_hidden={label_hidden ?? false}>
      {(control) => (
        <textarea
          {...attributes}
          {...control}
          value={value}
          onInput={(event) => onValue(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

export interface Option {
  readonly value: string;
  readonly label: string;
  readonly disabled?: boolean;
}

/** A choice from a list; other attributes are passed to the element. */
export function Select({
  label,
  hint,
  error,
  label_hidden,
  value,
  onValue,
  options,
  ...attributes
}: Frame &
  Value & { readonly options: readonly Option[] } & Omit<
    JSX.SelectHTMLAttributes<HTMLSelectElement>,
    "label" | "value"
  >) {
  return (
    <Field label={label} hint={hint} error={error} label_hidden={label_hidden ?? false}>
      {(control) => (
        <select
          {...attributes}
          {...control}
          value={value}
          onChange={(event) => onValue(event.currentTarget.value)}
        >
          {options.map((option) => (
            <option key={option.value} value={option.value} disabled={option.disabled}>
              {option.label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

export function Checkbox({
  label,
  hint,
  checked,
  onChecked,
  disabled,
}: {
  readonly label: ComponentChildren;
  readonly hint?: ComponentChildren;
  readonly checked: boolean;
  readonly onChecked: (checked: boolean) => void;
  readonly disabled?: boolean;
}) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={checked}
        disabled={disabled}
        onChange={(event) => onChecked(event.currentTarget.checked)}
      />
      <span class="two-lines">
        <span>{label}</span>
        {hint && <span>{hint}</span>}
      </span>
    </label>
  );
}

/** A segmented control: a few choices side by side. */
export function Segments({
  label,
  value,
  onValue,
  options,
}: Value & {
  readonly label: string;
  readonly options: readonly (Option & { readonly icon?: IconName })[];
}) {
  const name = useUniqueId();
  return (
    <div class="segments" role="radiogroup" aria-label={label}>
      {options.map((option) => (
        <label key={option.value}>
          <input
            type="radio"
            name={name}
            value={option.value}
            checked={option.value === value}
            onChange={() => onValue(option.value)}
          />
          {option.icon && <Icon name={option.icon} size={16} />}
          {option.label}
        </label>
      ))}
    </div>
  );
}
