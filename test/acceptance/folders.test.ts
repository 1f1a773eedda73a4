/** Acceptance, on the executable: folders. */
import { describe } from "bun:test";
import { folderCases } from "../cases/folders";
import { startExecutable } from "../helpers/executable";

describe("folders", () => folderCases(startExecutable));
