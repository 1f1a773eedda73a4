/** A multi-line text field that grows with its text, up to the limit of its style. */
import type { JSX, RefObject } from "preact";
import { useLayoutEffect } from "preact/hooks";

export interface GrowingFieldProps extends Omit<
  JSX.TextareaHTMLAttributes<HTMLTextAreaElement>,
  "value" | "ref" | "rows" | "class"
> {
  readonly field: RefObject<HTMLTextAreaElement>;
  readonly class: string;
  readonly value: string;
}

/**
 * Measuring the text costs one more layout per key, so browsers that support it do it themselves.
 */
const measured = !CSS.supports("field-sizing", "content");

export function GrowingField({ field, class: named, value, ...rest }: GrowingFieldProps) {
  useLayoutEffect(() => {
    if (!measured) return;
    const area = field.current!;
    area.style.height = "auto";
    area.style.height = `${area.scrollHeight + area.offsetHeight - area.clientHeight}px`;
  }, [value]);
  return <textarea {...rest} ref={field} class={`${named} grows`} rows={1} value={value} />;
}
