/** The frame of pages that stand alone: a card in the middle, with the mark above. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { IconButton } from "../../ui/button";
import { Field } from "../../ui/field";
import { Mark } from "../../ui/icons";
import { useTitle } from "../../ui/page-header";
import { account_strings as strings } from "../../strings/account";
import { common_strings as shared } from "../../strings/common";

export function Alone({
  title,
  text,
  children,
}: {
  readonly title: string;
  readonly text?: ComponentChildren;
  readonly children: ComponentChildren;
}) {
  useTitle(title);
  return (
    <main class="alone">
      <div class="card alone-card">
        <span class="brand">
          <Mark size={24} />
          {shared.product}
        </span>
        <div class="stack-small">
          <h1>{title}</h1>
          {text && <p class="muted">{text}</p>}
        </div>
        {children}
      </div>
    </main>
  );
}

const length_min = 10;

interface PasswordProps {
  readonly label: string;
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly error?: string | undefined;
  /** A new one, with its rule. */
  readonly fresh?: boolean;
  readonly autofocus?: boolean;
}

/** A password that can be shown. */
export function PasswordField({ label, value, onValue, error, fresh, autofocus }: PasswordProps) {
  const [shown, setShown] = useState(false);
  const missing = length_min - [...value].length;
  const hint = !fresh
    ? undefined
    : value !== "" && missing > 0
      ? strings.password_short(missing)
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

/** The secret word of a link: `#t=…`. It is not sent to the server with the address. */
export const tokenOfLink = (): string => new URLSearchParams(location.hash.slice(1)).get("t") ?? "";
