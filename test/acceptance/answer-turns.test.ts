/** Acceptance, on the executable: many ask at the same time, and a language model is slow. */
import { describe } from "bun:test";
import { answerTurnCases } from "../cases/answer-turns";
import { startExecutable } from "../helpers/executable";

describe("turns", () => answerTurnCases(startExecutable));
