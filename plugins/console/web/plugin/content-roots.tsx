/** Content of plugins inside a page: rendered in separate roots, and removed with it. */
import { render, type ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Router } from "wouter-preact";
import type { Content } from "../../page-contract";
import { console_base } from "../api/base";

/** Everything rendered for one part of a page, to be removed with it. */
export class ContentRoots {
  private readonly roots = new Set<HTMLElement>();

  /** A wrapper element without a box of its own; `into`: where to attach it immediately. */
  readonly show = (children: ComponentChildren, into?: HTMLElement): HTMLElement => {
    const root = document.createElement("div");
    root.className = "plugin-part";
    into?.append(root);
    render(<Router base={console_base}>{children}</Router>, root);
    this.roots.add(root);
    return root;
  };

  /** Removes one root and its elements. */
  remove(root: HTMLElement): void {
    this.roots.delete(root);
    render(null, root);
    root.remove();
  }

  /** Removes everything, when the part of the page is left. */
  clear(): void {
    for (const root of this.roots) this.remove(root);
  }
}

const nodesOf = (content: Content): (Node | string)[] => {
  if (Array.isArray(content)) return content.flatMap(nodesOf);
  if (content === null || content === undefined || content === false) return [];
  return [content instanceof Node ? content : String(content)];
};

/** Embeds plugin content among components. Text becomes text, never HTML. */
export function Place({ content }: { readonly content: Content }) {
  const place = useRef<HTMLSpanElement>(null);
  useLayoutEffect(() => place.current!.replaceChildren(...nodesOf(content)), [content]);
  return <span ref={place} class="plugin-part" />;
}
