/** Runs in the child: reads e-books (.epub): one page per part of the spine. */
import { ExtractionFailure } from "../contract";
import { readXhtml } from "../html/page";
import type { Page } from "../child/blocks";
import { resolvePath, type OfficePackage, type Progress } from "./package";
import { scanTags } from "./xml";

/** @throws ExtractionFailure `corrupt`, `encrypted`, and those of the archive */
export function readEpub(pkg: OfficePackage, progress: Progress): Page[] {
  const spine = spineOf(pkg);
  if (spine.length === 0)
    throw new ExtractionFailure(
      "corrupt",
      "This e-book is damaged: it does not say what is in it.",
    );
  const encrypted = encryptedIn(pkg);
  if (spine.some((part) => encrypted.has(part)))
    throw new ExtractionFailure("encrypted", "This e-book is copy-protected.");
  return spine.map((part, at) => {
    progress(at / spine.length);
    return { page: at + 1, blocks: readXhtml(pkg.xml(part) ?? "") };
  });
}

/** The parts to read in order, without duplicates. */
function spineOf(pkg: OfficePackage): string[] {
  const opf = packageDocumentOf(pkg);
  const folder = opf.slice(0, opf.lastIndexOf("/") + 1);
  const manifest = new Map<string, string>();
  const spine: string[] = [];
  scanTags(pkg.xml(opf) ?? "", (tag) => {
    const path = tag.get("href");
    if (
      tag.name === "item" &&
      path !== undefined &&
      /html|xml/i.test(tag.get("media-type") ?? "html")
    )
      manifest.set(tag.get("id") ?? "", resolvePath(folder, decodePath(path)));
    if (tag.name === "itemref") spine.push(tag.get("idref") ?? "");
  });
  return [...new Set(spine.flatMap((id) => manifest.get(id) ?? []))];
}
/** The part (`.opf`) that lists the others. */
function packageDocumentOf(pkg: OfficePackage): string {
  let opf = "";
  scanTags(pkg.xml("META-INF/container.xml") ?? "", (tag) => {
    if (tag.name === "rootfile" && opf === "") opf = tag.get("full-path") ?? "";
  });
  return opf !== "" && pkg.archive.has(opf)
    ? opf
    : (pkg.archive.names.find((name) => name.toLowerCase().endsWith(".opf")) ?? opf);
}
function decodePath(path: string): string {
  const [bare] = path.split("#", 1) as [string];
  try {
    return decodeURIComponent(bare);
  } catch {
    return bare;
  }
}

/** The encrypted parts. In books that only obfuscate their fonts, none is in the spine. */
function encryptedIn(pkg: OfficePackage): Set<string> {
  const encrypted = new Set<string>();
  scanTags(pkg.xml("META-INF/encryption.xml") ?? "", (tag) => {
    if (tag.name === "CipherReference")
      encrypted.add(resolvePath("", decodePath(tag.get("URI") ?? "")));
  });
  return encrypted;
}
