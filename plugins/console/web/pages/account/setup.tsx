/** First run: the holder of the printed link becomes the first administrator. */
import { useMutation, useQuery } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { useLocation } from "wouter-preact";
import { api, ApiProblem } from "../../api/client";
import type { Answer } from "../../api/types";
import { setUser } from "../../app/session";
import { Button, ButtonLink } from "../../ui/button";
import { Secret } from "../../ui/copy";
import { TextField } from "../../ui/field";
import { Problem } from "../../ui/note";
import { Skeleton } from "../../ui/states";
import { account_strings as strings } from "../../strings/account";
import { PasswordField } from "./password-field";
import { StandalonePage, tokenOfLink } from "./standalone-page";

export default function Setup() {
  const [token] = useState(tokenOfLink);
  const link = useQuery({
    queryKey: ["setup", token],
    queryFn: () => api("/setup/check", { method: "POST", body: { token } }).then(() => true),
    enabled: token !== "",
    gcTime: 0,
  });
  if (token === "") return <BadLink text={strings.setup.no_token} />;
  if (link.error instanceof ApiProblem && link.error.code === "already_set_up")
    return (
      <StandalonePage title={strings.setup.done_title}>
        <ButtonLink href="/sign-in" kind="primary" block>
          {strings.setup.to_sign_in}
        </ButtonLink>
      </StandalonePage>
    );
  if (link.error instanceof ApiProblem && link.error.code === "bad_link")
    return <BadLink text={link.error.detail} />;
  if (link.error)
    return (
      <StandalonePage title={strings.setup.title}>
        <Problem error={link.error} />
      </StandalonePage>
    );
  return link.data ? (
    <NewAdministrator token={token} />
  ) : (
    <StandalonePage title={strings.setup.title}>
      <Skeleton rows={3} />
    </StandalonePage>
  );
}

const BadLink = ({ text }: { readonly text: string }) => (
  <StandalonePage title={strings.setup.bad_title} text={text}>
    <div class="stack-small">
      <p>{strings.setup.again}</p>
      <Secret label={strings.setup.again} text={strings.sign_in.setup_command} />
    </div>
    <ButtonLink href="/sign-in" block>
      {strings.setup.to_sign_in}
    </ButtonLink>
  </StandalonePage>
);

function NewAdministrator({ token }: { readonly token: string }) {
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const [, navigate] = useLocation();
  const create = useMutation({
    mutationFn: (body: { token: string; email: string; password: string }) =>
      api<Answer<"setUp">>("/setup", { method: "POST", body }),
    onSuccess: ({ user }) => {
      setUser(user);
      navigate("/folders", { replace: true });
    },
  });
  const problem = create.error instanceof ApiProblem ? create.error : null;
  const send = (event: Event) => {
    event.preventDefault();
    if (!create.isPending) create.mutate({ token, email: email.trim(), password });
  };
  const is_beside_field = problem?.at("/email") ?? problem?.at("/password");
  return (
    <StandalonePage title={strings.setup.title} text={strings.setup.text}>
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
          error={problem?.at("/email")}
        />
        <PasswordField
          label={strings.password}
          value={password}
          onValue={setPassword}
          fresh
          error={problem?.at("/password")}
        />
        {problem && !is_beside_field && <Problem error={problem} />}
        <Button type="submit" kind="primary" block busy={create.isPending}>
          {strings.setup.action}
        </Button>
      </form>
    </StandalonePage>
  );
}
