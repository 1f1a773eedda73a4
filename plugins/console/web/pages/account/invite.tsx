/** An invitation, or a password reset link: both set the password and sign in. */
import { useMutation, useQuery } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { useLocation } from "wouter-preact";
import { api, ApiProblem } from "../../api/client";
import type { Answer } from "../../api/types";
import { setUser } from "../../app/session";
import { Button, ButtonLink } from "../../ui/button";
import { Problem } from "../../ui/note";
import { Skeleton } from "../../ui/states";
import { account_strings as strings } from "../../strings/account";
import { PasswordField } from "./password-field";
import { StandalonePage, tokenOfLink } from "./standalone-page";

type Invitation = Answer<"checkInvitation">;

export default function Invite() {
  const [token] = useState(tokenOfLink);
  const link = useQuery({
    queryKey: ["invite", token],
    queryFn: () => api<Invitation>("/invite/check", { method: "POST", body: { token } }),
    enabled: token !== "",
    gcTime: 0,
  });
  if (token === "")
    return (
      <StandalonePage title={strings.invite.bad_title} text={strings.invite.no_token}>
        <ButtonLink href="/sign-in" block>
          {strings.setup.to_sign_in}
        </ButtonLink>
      </StandalonePage>
    );
  if (link.data) return <NewPassword token={token} invitation={link.data} />;
  if (!link.error)
    return (
      <StandalonePage title={strings.invite.title.invitation}>
        <Skeleton rows={3} />
      </StandalonePage>
    );
  return (
    <StandalonePage title={strings.invite.bad_title}>
      <Problem error={link.error} />
      <ButtonLink href="/sign-in" block>
        {strings.setup.to_sign_in}
      </ButtonLink>
    </StandalonePage>
  );
}

function NewPassword({
  token,
  invitation: { email, kind },
}: {
  readonly token: string;
  readonly invitation: Invitation;
}) {
  const [password, setPassword] = useState("");
  const [, navigate] = useLocation();
  const accept = useMutation({
    mutationFn: (body: { token: string; password: string }) =>
      api<Answer<"acceptInvitation">>("/invite", { method: "POST", body }),
    onSuccess: ({ user }) => {
      setUser(user);
      navigate("/folders", { replace: true });
    },
  });
  const problem = accept.error instanceof ApiProblem ? accept.error : null;
  const send = (event: Event) => {
    event.preventDefault();
    if (!accept.isPending) accept.mutate({ token, password });
  };
  return (
    <StandalonePage title={strings.invite.title[kind]} text={strings.invite.text(email)}>
      <form class="stack" onSubmit={send}>
        <input
          class="vh"
          type="email"
          name="email"
          value={email}
          autocomplete="username"
          readOnly
          tabIndex={-1}
          aria-hidden="true"
        />
        <PasswordField
          label={strings.new_password}
          value={password}
          onValue={setPassword}
          fresh
          autofocus
          error={problem?.at("/password")}
        />
        {problem && !problem.at("/password") && <Problem error={problem} />}
        <Button type="submit" kind="primary" block busy={accept.isPending}>
          {strings.invite.action[kind]}
        </Button>
      </form>
    </StandalonePage>
  );
}
