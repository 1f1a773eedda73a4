/** Acceptance, on the executable: folders. */
import { folderCases } from "../cases/folders";
import { startExecutable } from "../helpers/executable";

folderCases(startExecutable);
