/** The schema of storable settings in the API document: every setting by name, no other keys. */
import { named, narrowed, setting_kinds, t, type SettingForm } from "../../core/sdk";

/** Settings of running plugins, and of known ones that will run at the next start. */
export const newSettings = (forms: readonly SettingForm[]) => ({
  ...t.Object(Object.fromEntries(forms.map((form) => [form.setting, t.Optional(schemaOf(form))]))),
  additionalProperties: false,
});

function schemaOf({ schema, form: { kind, limits } }: SettingForm) {
  const { description, stored } = schema;
  const choices = limits.enum as readonly unknown[] | undefined;
  if (choices) return t.Unsafe({ type: ["string", "null"], enum: choices, description });
  if (stored?.name !== undefined) {
    const shared = named(`Setting${stored.name}`, t.Unsafe({ ...setting_kinds[kind], ...limits }));
    return narrowed(shared, { description });
  }
  const common = named(`Setting${kind}`, t.Unsafe(setting_kinds[kind]));
  return narrowed(common, { description, ...limits, ...stored?.shown });
}
