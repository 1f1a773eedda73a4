/** Sign-in methods other than a password: their buttons, and starting one. */
import { useMutation, useQuery } from "@tanstack/preact-query";
import { useEffect } from "preact/hooks";
import { console_base } from "../../api/base";
import { api } from "../../api/client";
import { keys, refresh } from "../../api/queries";
import type { Answer } from "../../api/types";
import { hasSignedOut } from "../../app/session";
import { Button } from "../../ui/button";
import { Problem } from "../../ui/note";
import { account_strings } from "../../strings/account";

const strings = account_strings.sign_in;

type Ways = Answer<"listSignInWays">;
type Way = Ways["ways"][number];

/** The sign-in methods of the server, and why the last sign-in with one of them failed. */
export const useWays = () =>
  useQuery({
    queryKey: keys.sign_in,
    queryFn: () => api<Ways>("/sign-in"),
    // An error is reported once: a second request would get none.
    staleTime: Infinity,
    refetchOnWindowFocus: false,
    gcTime: 0,
  });

/** The page to show after signing in, below the console's root. */
function requestedPage(): string {
  const path = location.pathname.slice(console_base.length);
  return path === "/sign-in" || !path.startsWith("/")
    ? "/"
    : path + location.search + location.hash;
}

/** Redirects to the provider; if the server needs no redirect, the page continues. */
async function continueSignIn(next: Answer<"startSignIn">): Promise<void> {
  if (isExternal(next)) location.assign(next.location);
  else await refresh(keys.session[0]);
}
const isExternal = ({ location: to }: Answer<"startSignIn">): boolean =>
  new URL(to, location.href).origin !== location.origin;

interface WaysProps {
  readonly ways: readonly Way[];
  /** Without passwords the first method is the primary button. */
  readonly without_passwords: boolean;
  /** No automatic sign-in right after a failed one. */
  readonly after_failure: boolean;
}

/** A button for each method; one that is automatic starts by itself. */
export function OtherWays({ ways, without_passwords, after_failure }: WaysProps) {
  const start = useMutation({
    mutationFn: (way: Way) =>
      api<Answer<"startSignIn">>(`/sign-in/${way.id}`, {
        method: "POST",
        body: { to: requestedPage() },
      }),
    onSuccess: continueSignIn,
  });
  useEffect(() => {
    const automatic_way = ways.find(({ automatic }) => automatic);
    if (automatic_way && !after_failure && !hasSignedOut()) start.mutate(automatic_way);
    // A user who comes back with the browser's back button finds the page as it was.
    const resetOnReturn = ({ persisted }: PageTransitionEvent) => persisted && start.reset();
    addEventListener("pageshow", resetOnReturn);
    return () => removeEventListener("pageshow", resetOnReturn);
  }, []);
  const is_starting = start.isPending || (start.isSuccess && isExternal(start.data));
  return (
    <div class="stack">
      {start.error && <Problem error={start.error} />}
      {ways.map((way, index) => (
        <Button
          key={way.id}
          block
          kind={without_passwords && index === 0 ? "primary" : "default"}
          busy={is_starting && start.variables?.id === way.id}
          onClick={() => !is_starting && start.mutate(way)}
        >
          {way.title}
        </Button>
      ))}
      {!without_passwords && (
        <p class="or small muted">
          <span>{strings.or}</span>
        </p>
      )}
    </div>
  );
}
