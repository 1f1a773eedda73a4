/** A sample folder to try Dossier with: a bundled handbook and three questions about it. */
import { useState } from "preact/hooks";
import { useLocation } from "wouter-preact";
import { api, problemOf } from "../../api/client";
import { createChat, sendMessage } from "../../api/chats";
import { refresh } from "../../api/queries";
import type { Document, Folder } from "../../api/types";
import { upload } from "../../api/upload";
import { Button } from "../../ui/button";
import { toast, toastError } from "../../ui/toast";
import { folder_strings } from "../../strings/folders";
import { newMessage } from "../chat/messages";

/** The build sets the name of the file beside this script. */
declare const SAMPLE_FILE: string;

const strings = folder_strings.sample;
/** The id of the sample folder, kept in this browser. */
const storage_key = "dossier.sample";

async function makeSample(): Promise<Folder> {
  const file = await fetch(new URL(SAMPLE_FILE, import.meta.url));
  if (!file.ok) throw new Error(strings.no_file);
  const folder = await api<Folder>("/folders", {
    method: "POST",
    body: { name: strings.name, description: strings.description },
  });
  await upload<Document>(
    "/documents/file",
    new File([await file.blob()], strings.file, { type: "application/pdf" }),
    { query: { folder_id: folder.id } },
  );
  localStorage.setItem(storage_key, folder.id);
  await refresh("folder", "document");
  return folder;
}

/** Creates the sample folder and opens it. */
export function SampleButton() {
  const [busy, setBusy] = useState(false);
  const [, navigate] = useLocation();
  const make = async () => {
    setBusy(true);
    try {
      navigate(`/folders/${(await makeSample()).id}`);
    } catch (error) {
      toastError(error);
      setBusy(false);
    }
  };
  return (
    <Button icon="book" busy={busy} title={strings.hint} onClick={() => void make()}>
      {strings.make}
    </Button>
  );
}

/** Only in the sample folder, once its handbook is indexed. */
export function SampleQuestions({ folder }: { readonly folder: Folder }) {
  const [, navigate] = useLocation();
  const [asking, setAsking] = useState("");
  const [is_hidden, setHidden] = useState(localStorage.getItem(storage_key) !== folder.id);
  if (is_hidden) return null;
  const ask = async (question: string) => {
    if (asking) return;
    setAsking(question);
    try {
      const chat = await createChat({ name: question, usedFolders: [folder.id], usedPrompts: [] });
      await sendMessage(chat.id, question, newMessage(question).requestId);
      navigate(`/chats/${chat.id}`);
    } catch (error) {
      toast({ text: problemOf(error).sentence, tone: "bad" });
      setAsking("");
    }
  };
  const dismiss = () => {
    localStorage.removeItem(storage_key);
    setHidden(true);
  };
  const { synced } = folder.status_counts;
  return (
    <section class="card card-body stack-small" aria-label={strings.title}>
      <div class="row row-between">
        <h2>{strings.title}</h2>
        <Button small kind="ghost" onClick={dismiss}>
          {strings.dismiss}
        </Button>
      </div>
      <p class="muted" role="status">
        {synced > 0 ? strings.text : strings.reading}
      </p>
      <div class="row row-wrap">
        {strings.questions.map((question) => (
          <Button
            key={question}
            icon="chat"
            class="sample-question"
            disabled={synced === 0}
            busy={asking === question}
            onClick={() => void ask(question)}
          >
            {question}
          </Button>
        ))}
      </div>
    </section>
  );
}
