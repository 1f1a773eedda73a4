/** E-books (.epub): one page for each part of the spine, in the order of reading. */
import { ExtractionFailure } from "../contract";
import { readXhtml } from "../html/page";
import type { Page } from "../child/block-builder";
import { resolvePath, type Parts } from "./package";
import { scanOfficeXml } from "./xml";

/** @throws ExtractionFailure `corrupt`, `encrypted`, and those of the archive */
export function readEpub(parts: Parts, progress: (share: number) => void): Page[] {
  const spine = spineOf(parts);
  if (spine.length === 0)
    throw new ExtractionFailure(
      "corrupt",
      "This e-book is damaged: it does not say what is in it.",
    );
  const encrypted = encryptedIn(parts);
  if (spine.some((part) => encrypted.has(part)))
    throw new ExtractionFailure("encrypted", "This e-book is protected against copying.");
  return spine.map((part, at) => {
    progress(at / spine.length);
    return { page: at + 1, blocks: readXhtml(parts.xml(part) ?? "") };
  });
}

/** What is read, in order; each part once. */
function spineOf(parts: Parts): string[] {
  const book = bookOf(parts);
  const folder = book.slice(0, book.lastIndexOf("/") + 1);
  const manifest = new Map<string, string>();
  const spine: string[] = [];
  scanOfficeXml(parts.xml(book) ?? "", {
    open: (tag) => {
      const path = tag.get("href");
      if (
        tag.name === "item" &&
        path !== undefined &&
        /html|xml/i.test(tag.get("media-type") ?? "html")
      )
        manifest.set(tag.get("id") ?? "", resolvePath(folder, decoded(path)));
      if (tag.name === "itemref") spine.push(tag.get("idref") ?? "");
    },
    close: () => {},
    text: () => {},
  });
  return [...new Set(spine.flatMap((id) => manifest.get(id) ?? []))];
}
function bookOf(parts: Parts): string {
  let book = "";
  scanOfficeXml(parts.xml("META-INF/container.xml") ?? "", {
    open: (tag) => {
      if (tag.name === "rootfile" && book === "") book = tag.get("full-path") ?? "";
    },
    close: () => {},
    text: () => {},
  });
  return book !== "" && parts.archive.has(book)
    ? book
    : (parts.archive.names.find((name) => name.toLowerCase().endsWith(".opf")) ?? book);
}
function decoded(path: string): string {
  const [bare] = path.split("#", 1) as [string];
  try {
    return decodeURIComponent(bare);
  } catch {
    return bare;
  }
}

/** The encrypted parts. Fonts that are only garbled do not count. */
function encryptedIn(parts: Parts): Set<string> {
  const encrypted = new Set<string>();
  scanOfficeXml(parts.xml("META-INF/encryption.xml") ?? "", {
    open: (tag) => {
      if (tag.name === "CipherReference")
        encrypted.add(resolvePath("", decoded(tag.get("URI") ?? "")));
    },
    close: () => {},
    text: () => {},
  });
  return encrypted;
}
