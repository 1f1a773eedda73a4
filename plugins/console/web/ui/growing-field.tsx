/** A text field of several lines that is as high as its text, up to the limit of its style. */
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

/** Measuring the text lays the page out once more for each key: browsers that can do it alone. */
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
