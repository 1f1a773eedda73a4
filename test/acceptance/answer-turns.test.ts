/** Acceptance, on the executable: many concurrent questions with a slow language model. */
import { describe } from "bun:test";
import { answerTurnCases } from "../cases/answer-turns";
import { startExecutable } from "../helpers/executable";

describe("turns", () => answerTurnCases(startExecutable));
