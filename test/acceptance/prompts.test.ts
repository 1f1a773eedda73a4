/** Acceptance, on the executable: saved prompts. */
import { promptCases } from "../cases/prompts";
import { startExecutable } from "../helpers/executable";

promptCases(startExecutable);
