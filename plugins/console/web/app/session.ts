/** The session: the signed-in user, signing in and out. */
import { useQuery } from "@tanstack/preact-query";
import { api } from "../api/client";
import { keys, queries } from "../api/queries";
import type { Answer, Session, User } from "../api/types";

/** The session. It is refetched when it is older than five minutes. */
export const useSession = () =>
  useQuery({
    queryKey: keys.session,
    queryFn: async () => {
      const session = await api<Session>("/session");
      rememberSession(session.user !== null);
      return session;
    },
    staleTime: 5 * 60_000,
  });

/** The signed-in user. Only for components inside the shell, where there is one. */
export function useUser(): User {
  const user = useSession().data?.user;
  if (!user) throw new Error("Nobody is signed in.");
  return user;
}

/**
 * Shows the console for `user`, or the sign-in page, and drops everything cached for the previous
 * user.
 */
export function setUser(user: User | null): void {
  rememberSession(user !== null);
  queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== keys.session[0] });
  queries.setQueryData<Session>(
    keys.session,
    (session) => session && { ...session, user, setup_needed: user ? false : session.setup_needed },
  );
}

/** Whether somebody was signed in in this browser and did not sign out. */
const storage_key = "dossier.signed_in";
function rememberSession(signed_in: boolean): void {
  if (signed_in) localStorage.setItem(storage_key, "1");
}
/** The session of the user who was signed in here has ended. */
export const hasLostSession = (): boolean => localStorage.getItem(storage_key) !== null;

let signed_out = false;
/** Somebody has just signed out here, so automatic sign-in is off until a click. */
export const hasSignedOut = (): boolean => signed_out;

/** Here, and at the identity provider if it has a page for that. */
export async function signOut(): Promise<void> {
  const provider_page = await api<Answer<"signOut"> | undefined>("/session", { method: "DELETE" });
  signed_out = true;
  localStorage.removeItem(storage_key);
  if (!provider_page?.location) return setUser(null);
  location.assign(provider_page.location);
  // Blocks further actions until the browser has left the page.
  return new Promise(() => undefined);
}
