/** The frame of pages without the shell: a card in the middle, with the logo above. */
import type { ComponentChildren } from "preact";
import { base_path } from "../../api/base";
import { Mark } from "../../ui/icons";
import { useTitle } from "../../ui/page-header";
import { common_strings as shared } from "../../strings/common";

/** A page for visitors who are not signed in: a title, a sentence, and the content. */
export function StandalonePage({
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
      <a class="small" href={`${base_path}/docs`}>
        {shared.documentation}
      </a>
    </main>
  );
}

/** The token of a link, `#t=…`: browsers do not send the fragment to the server. */
export const tokenOfLink = (): string => new URLSearchParams(location.hash.slice(1)).get("t") ?? "";
