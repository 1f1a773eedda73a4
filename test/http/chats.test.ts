/** Chat sessions in this process. */
import { chatCases } from "../cases/chats";
import { startTestServer } from "../helpers/host";

chatCases(startTestServer);
