/** A password field that can be made visible; a new password comes with its rule. */
import { useState } from "preact/hooks";
import { IconButton } from "../../ui/button";
import { Field } from "../../ui/field";
import { account_strings as strings } from "../../strings/account";

const length_min = 10;

interface PasswordProps {
  readonly label: string;
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly error?: string | undefined;
  /** A new password, with its rule, as opposed to the current one. */
  readonly fresh?: boolean;
  readonly autofocus?: boolean;
}

/** The field, with a button that shows the password. */
export function PasswordField({ label, value, onValue, error, fresh, autofocus }: PasswordProps) {
  const [shown, setShown] = useState(false);
  const missing_characters = length_min - [...value].length;
  const hint = !fresh
    ? undefined
    : value !== "" && missing_characters > 0
      ? strings.password_short(missing_characters)
      : strings.password_hint;
  return (
    <Field label={label} hint={hint} error={error}>
      {(control) => (
        <div class="password">
          <input
            {...control}
            type={shown ? "text" : "password"}
            value={value}
            autocomplete={fresh ? "new-password" : "current-password"}
            autofocus={autofocus}
            spellcheck={false}
            autocapitalize="none"
            onInput={(event) => onValue(event.currentTarget.value)}
          />
          <IconButton
            label={shown ? strings.hide_password : strings.show_password}
            icon={shown ? "eye-off" : "eye"}
            small
            onClick={() => setShown(!shown)}
          />
        </div>
      )}
    </Field>
  );
}
