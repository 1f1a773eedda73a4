/** A copy button, alone or beside a secret or a piece of code. */
import { useState } from "preact/hooks";
import { common_strings as strings } from "../strings/common";
import { Button } from "./button";
import { toast } from "./toast";

/** The clipboard API exists on HTTPS and localhost only; elsewhere `execCommand` still works. */
async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement("textarea");
    area.value = text;
    area.className = "vh";
    (document.querySelector("dialog[open]") ?? document.body).append(area);
    area.select();
    const succeeded = document.execCommand("copy");
    area.remove();
    return succeeded;
  }
}

/** Copies the text; says for two seconds that it did. */
export function CopyButton({
  text,
  small,
  onCopied,
}: {
  readonly text: string;
  readonly small?: boolean;
  readonly onCopied?: () => void;
}) {
  const [is_copied, setCopied] = useState(false);
  const copyText = async () => {
    if (!(await copy(text))) return toast({ text: strings.copy_failed, tone: "bad" });
    setCopied(true);
    onCopied?.();
    setTimeout(() => setCopied(false), 2_000);
  };
  return (
    <Button small={small ?? false} icon={is_copied ? "check" : "copy"} onClick={copyText}>
      <span aria-live="polite">{is_copied ? strings.copied : strings.copy}</span>
    </Button>
  );
}

/** A line meant for copying: a key, an address, a command. `label` describes it. */
export function Secret({
  label,
  text,
  onCopied,
}: {
  readonly label: string;
  readonly text: string;
  readonly onCopied?: () => void;
}) {
  return (
    <div class="secret" role="group" aria-label={label}>
      <code tabIndex={0}>{text}</code>
      <CopyButton text={text} {...(onCopied ? { onCopied } : {})} />
    </div>
  );
}

/** Several lines of code. */
export function CodeBlock({ label, code }: { readonly label: string; readonly code: string }) {
  return (
    <div class="code-block" role="group" aria-label={label}>
      <pre tabIndex={0}>
        <code>{code}</code>
      </pre>
      <CopyButton text={code} small />
    </div>
  );
}
