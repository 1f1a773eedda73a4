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
 * Measuring the text costs one more layout per key press, so it is left to browsers that can size a
 * field by its content.
 */
const needs_measuring = !CSS.supports("field-sizing", "content");

export function GrowingField({
  field,
  class: base_class,
  value,
  ...attributes
}: GrowingFieldProps) {
  useLayoutEffect(() => {
    if (!needs_measuring) return;
    const area = field.current!;
    area.style.height = "auto";
    area.style.height = `${area.scrollHeight + area.offsetHeight - area.clientHeight}px`;
  }, [value]);
  return (
    <textarea {...attributes} ref={field} class={`${base_class} grows`} rows={1} value={value} />
  );
}
