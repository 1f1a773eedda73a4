/**
 * The console's components for plugins: functions that create elements from the components of the
 * console's own pages.
 */
import { computed, signal, type ReadonlySignal } from "@preact/signals";
import { useState } from "preact/hooks";
import type {
  ButtonOptions,
  ConsoleComponents,
  FieldOptions,
  FormField,
  TableOptions,
} from "../../page-contract";
import { Button, ButtonLink } from "../ui/button";
import { Checkbox, Select, TextArea, TextField } from "../ui/field";
import { Note } from "../ui/note";
import { Empty } from "../ui/states";
import { Table } from "../ui/table";
import { Progress, Tag } from "../ui/tag";
import { toast, toastError } from "../ui/toast";
import { confirmIn, dialogIn } from "./dialogs";
import { Place, type ContentRoots } from "./content-roots";

function ActionButton({ label, onPress, kind, small }: ButtonOptions) {
  const [busy, setBusy] = useState(false);
  const press = async () => {
    setBusy(true);
    try {
      await onPress();
    } catch (error) {
      toastError(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Button
      kind={kind ?? "default"}
      small={small ?? false}
      busy={busy}
      onClick={() => void press()}
    >
      {label}
    </Button>
  );
}

interface Keyed<T> {
  readonly row: T;
  readonly key: string;
}

function PluginTable<T>({ label, columns, rows, empty }: TableOptions<T>) {
  if (rows.length === 0 && empty !== undefined) return <p class="muted">{empty}</p>;
  const keyed = rows.map((row, index): Keyed<T> => ({ row, key: String(index) }));
  return (
    <Table
      label={label}
      columns={columns.map(({ title, cell, kind }, index) => ({
        key: String(index),
        header: title,
        cell: ({ row }: Keyed<T>) => <Place content={cell(row)} />,
        ...(kind && { kind }),
      }))}
      rows={keyed}
      row_key={({ key }) => key}
    />
  );
}

/** `value` and `error` are read and written by the plugin. */
function fieldIn(roots: ContentRoots, options: FieldOptions): FormField {
  const { kind = "text", choices = [] } = options;
  const initial = options.value ?? (kind === "check" ? false : (choices[0]?.value ?? ""));
  const value = signal<string | boolean>(typeof initial === "number" ? String(initial) : initial);
  const error = signal<string | null>(null);
  const change = (next: string | boolean) => {
    value.value = next;
    options.onChange?.(next);
  };
  const text = computed(() => String(value.value));
  const element = roots.show(
    kind === "check" ? (
      <Check options={options} value={value} onChecked={change} />
    ) : (
      <Input options={options} value={text} error={error} onValue={change} />
    ),
  );
  return {
    element,
    get value() {
      return value.value;
    },
    set value(next) {
      value.value = next;
    },
    get error() {
      return error.value;
    },
    set error(next) {
      error.value = next;
    },
  };
}

function Check({
  options: { label, hint },
  value,
  onChecked,
}: {
  readonly options: FieldOptions;
  readonly value: ReadonlySignal<string | boolean>;
  readonly onChecked: (checked: boolean) => void;
}) {
  return (
    <Checkbox label={label} hint={hint} checked={value.value === true} onChecked={onChecked} />
  );
}

function Input({
  options: { kind = "text", label, hint, placeholder, choices = [] },
  value,
  error,
  onValue,
}: {
  readonly options: FieldOptions;
  readonly value: ReadonlySignal<string>;
  readonly error: ReadonlySignal<string | null>;
  readonly onValue: (value: string) => void;
}) {
  const field = { label, hint, value: value.value, onValue, error: error.value ?? undefined };
  if (kind === "choice") return <Select {...field} options={choices} />;
  if (kind === "area") return <TextArea {...field} placeholder={placeholder} rows={4} />;
  return (
    <TextField
      {...field}
      placeholder={placeholder}
      type={kind === "password" ? "password" : "text"}
      inputmode={kind === "number" ? "decimal" : "text"}
    />
  );
}

/** The components, bound to one part of a page. */
export function componentsIn(roots: ContentRoots): ConsoleComponents {
  const { show } = roots;
  return {
    button: (options) => show(<ActionButton {...options} />),
    link: ({ label, path }) => show(<ButtonLink href={path}>{label}</ButtonLink>),
    table: (options) => show(<PluginTable {...options} />),
    field: (options) => fieldIn(roots, options),
    note: ({ tone, title, text, actions }) =>
      show(
        <Note
          tone={tone ?? "info"}
          {...(title !== undefined && { title })}
          {...(actions !== undefined && { actions: <Place content={actions} /> })}
        >
          {text !== undefined && <Place content={text} />}
        </Note>,
      ),
    tag: (label, tone) => show(<Tag tone={tone ?? "plain"}>{label}</Tag>),
    empty: ({ title, text, actions }) =>
      show(
        <Empty
          icon="plug"
          title={title}
          {...(actions !== undefined && { actions: <Place content={actions} /> })}
        >
          {text}
        </Empty>,
      ),
    facts: (facts) =>
      show(
        <dl class="facts">
          {facts.flatMap(([label, value]) => [
            <dt key={`${label} of`}>{label}</dt>,
            <dd key={label}>
              <Place content={value} />
            </dd>,
          ])}
        </dl>,
      ),
    text: (content, { muted, small } = {}) =>
      show(
        <p class={`${muted ? "muted" : ""}${small ? " small" : ""}`}>
          <Place content={content} />
        </p>,
      ),
    heading: (text) => show(<h3>{text}</h3>),
    row: (...content) =>
      show(
        <div class="row row-wrap">
          <Place content={content} />
        </div>,
      ),
    stack: (...content) =>
      show(
        <div class="stack">
          <Place content={content} />
        </div>,
      ),
    progress: (label, value) => show(<Progress label={label} value={value} />),
    dialog: (options) => dialogIn(roots, options),
    confirm: (options) => confirmIn(roots, options),
    toast: (text, options) => void toast({ text, ...options }),
  };
}
