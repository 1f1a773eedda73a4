/** Chat sessions in this process. */
import { describe } from "bun:test";
import { chatDeletionCases } from "../cases/chat-deletion";
import { chatCases } from "../cases/chats";
import { startTestServer } from "../helpers/host";

describe("sessions", () => chatCases(startTestServer));
describe("deletion of sessions", () => chatDeletionCases(startTestServer));
