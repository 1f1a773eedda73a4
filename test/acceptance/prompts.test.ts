/** Acceptance, on the executable: saved prompts. */
import { describe } from "bun:test";
import { promptCases } from "../cases/prompts";
import { startExecutable } from "../helpers/executable";

describe("prompts", () => promptCases(startExecutable));
