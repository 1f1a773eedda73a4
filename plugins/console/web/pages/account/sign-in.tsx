/**
 * Sign-in: email and password, and other methods. Says what to do if there is no administrator yet.
 */
import { useMutation } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { api } from "../../api/client";
import type { Answer } from "../../api/types";
import { hasLostSession, setUser, useSession } from "../../app/session";
import { SignInPanels } from "../../plugin/panels";
import { Button } from "../../ui/button";
import { Secret } from "../../ui/copy";
import { TextField } from "../../ui/field";
import { Note, Problem } from "../../ui/note";
import { account_strings as strings } from "../../strings/account";
import { OtherWays, useWays } from "./other-ways";
import { PasswordField } from "./password-field";
import { StandalonePage } from "./standalone-page";

/** A command that wraps between its words only, never inside an option. */
const Command = ({ text }: { readonly text: string }) => (
  <code class="command">
    {text.split(" ").map((word) => (
      <>
        <span class="nowrap">{word}</span>{" "}
      </>
    ))}
  </code>
);

function PasswordForm() {
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const signIn = useMutation({
    // Takes the fields as an argument: the closure of an earlier render may still be in use.
    mutationFn: (body: { email: string; password: string }) =>
      api<Answer<"signIn">>("/session", { method: "POST", body }),
    onSuccess: ({ user }) => setUser(user),
    onError: () => setPassword(""),
  });
  const send = (event: Event) => {
    event.preventDefault();
    if (!signIn.isPending) signIn.mutate({ email: email.trim(), password });
  };
  return (
    <>
      <form class="stack" onSubmit={send}>
        <TextField
          label={strings.email}
          type="email"
          name="email"
          value={email}
          onValue={setEmail}
          autocomplete="username"
          required
          autofocus
        />
        <PasswordField label={strings.password} value={password} onValue={setPassword} />
        {signIn.error && <Problem error={signIn.error} />}
        <Button type="submit" kind="primary" block busy={signIn.isPending}>
          {strings.sign_in.action}
        </Button>
      </form>
      <SignInPanels />
      <p class="small muted">
        {strings.sign_in.forgot} <Command text={strings.sign_in.command} />
      </p>
    </>
  );
}

export default function SignIn() {
  const session = useSession();
  const ways = useWays();
  // Without a response, the password form is still offered.
  const { password, ways: others, problem } = ways.data ?? password_alone;
  return (
    <StandalonePage title={strings.sign_in.title}>
      {session.data?.setup_needed && (
        <Note title={strings.sign_in.setup_title}>
          <div class="stack-small">
            <p>{strings.sign_in.setup_text}</p>
            <Secret label={strings.sign_in.setup_title} text={strings.sign_in.setup_command} />
          </div>
        </Note>
      )}
      {hasLostSession() && problem === null && (
        <Note title={strings.sign_in.lost_title}>{strings.sign_in.lost_text}</Note>
      )}
      {problem !== null && (
        <Note tone="bad" title={strings.sign_in.failed} live>
          <p class="wrap-anywhere">{problem}</p>
        </Note>
      )}
      {others.length > 0 && (
        <OtherWays ways={others} without_passwords={!password} after_failure={problem !== null} />
      )}
      {password && !ways.isPending && <PasswordForm />}
    </StandalonePage>
  );
}

const password_alone: Answer<"listSignInWays"> = { password: true, ways: [], problem: null };
