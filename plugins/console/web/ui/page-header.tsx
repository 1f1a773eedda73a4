/** The header of a page: breadcrumbs, title and actions; also sets the title of the browser tab. */
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { Link } from "wouter-preact";
import { common_strings as strings } from "../strings/common";
import { Icon } from "./icons";

/** A page above this one. */
export interface Crumb {
  readonly label: string;
  readonly href: string;
}

/** Sets the title of the browser tab while the page is shown. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · ${strings.product}`;
  }, [title]);
}

/** The header, with breadcrumbs if there are pages above. */
export function PageHeader({
  title,
  text,
  crumbs = [],
  actions,
}: {
  readonly title: string;
  readonly text?: ComponentChildren;
  readonly crumbs?: readonly Crumb[];
  readonly actions?: ComponentChildren;
}) {
  useTitle(title);
  return (
    <header class="page-head">
      <div class="page-head-text">
        {crumbs.length > 0 && (
          <nav class="crumbs" aria-label={strings.breadcrumbs}>
            <ol>
              {crumbs.map(({ label, href }, index) => (
                <li key={href}>
                  {index > 0 && <Icon name="chevron-right" size={14} />}
                  <Link href={href} class="clip">
                    {label}
                  </Link>
                </li>
              ))}
            </ol>
          </nav>
        )}
        <h1 tabIndex={-1}>{title}</h1>
        {text && <p>{text}</p>}
      </div>
      {actions && <div class="page-head-actions">{actions}</div>}
    </header>
  );
}
