/** Buttons, and links that look like one. */
import type { ComponentChildren, JSX } from "preact";
import { Link } from "wouter-preact";
import { Icon, type IconName } from "./icons";

export type ButtonKind = "default" | "primary" | "ghost" | "danger" | "danger-solid";

interface Look {
  /** At most one `primary` per page. */
  readonly kind?: ButtonKind;
  readonly small?: boolean;
  readonly icon?: IconName;
  /** Takes the full width. */
  readonly block?: boolean;
  readonly children?: ComponentChildren;
}

export interface ButtonProps
  extends Look, Omit<JSX.ButtonHTMLAttributes<HTMLButtonElement>, "icon" | "children"> {
  /** Shows a spinner and ignores clicks. */
  readonly busy?: boolean;
}

const classOf = ({
  kind = "default",
  small,
  block,
  square,
  extra_class,
}: {
  kind?: ButtonKind | undefined;
  small?: boolean | undefined;
  block?: boolean | undefined;
  square?: boolean;
  extra_class?: unknown;
}): string =>
  [
    "button",
    kind !== "default" && `button-${kind}`,
    small && "button-small",
    block && "button-block",
    square && "button-icon",
    typeof extra_class === "string" && extra_class,
  ]
    .filter(Boolean)
    .join(" ");

/** A button; other attributes are passed to the element. */
export function Button({
  kind,
  small,
  icon,
  block,
  busy,
  children,
  class: extra_class,
  onClick,
  type = "button",
  ...attributes
}: ButtonProps) {
  return (
    <button
      {...attributes}
      type={type}
      class={classOf({ kind, small, block, extra_class })}
      aria-disabled={busy ? true : undefined}
      aria-busy={busy ? true : undefined}
      onClick={(event) => {
        if (busy) event.preventDefault();
        else onClick?.(event);
      }}
    >
      {busy ? (
        <span class="spinner" aria-hidden="true" />
      ) : (
        icon && <Icon name={icon} size={small ? 16 : 18} />
      )}
      {children}
    </button>
  );
}

/** A button that is only an icon; `label` is its accessible name and its tooltip. */
export function IconButton({
  label,
  icon,
  kind = "ghost",
  small,
  class: extra_class,
  type = "button",
  ...attributes
}: Omit<ButtonProps, "icon" | "children" | "label" | "busy" | "block"> & {
  readonly label: string;
  readonly icon: IconName;
}) {
  return (
    <button
      {...attributes}
      type={type}
      class={classOf({ kind, small, square: true, extra_class })}
      aria-label={label}
      title={label}
    >
      <Icon name={icon} size={18} />
    </button>
  );
}

/** Navigates to a page of the console; `href` is below /console. */
export function ButtonLink({
  kind,
  small,
  icon,
  block,
  children,
  href,
}: Look & { readonly href: string }) {
  return (
    <Link href={href} class={classOf({ kind, small, block })}>
      {icon && <Icon name={icon} size={small ? 16 : 18} />}
      {children}
    </Link>
  );
}
