/** Acceptance, on the executable: text documents, and documents in their folders. */
import { describe } from "bun:test";
import { documentLinkCases } from "../cases/document-links";
import { documentCases } from "../cases/documents";
import { startExecutable } from "../helpers/executable";

describe("texts", () => documentCases(startExecutable));
describe("in folders", () => documentLinkCases(startExecutable));
