/** Chat sessions in this process. */
import { describe } from "bun:test";
import { chatCases } from "../cases/chats";
import { startTestServer } from "../helpers/host";

describe("sessions", () => chatCases(startTestServer));
