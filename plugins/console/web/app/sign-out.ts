/** Signing out from a component: the sign-in page follows, or a message that says why not. */
import { useLocation } from "wouter-preact";
import { toastError } from "../ui/toast";
import { signOut } from "./session";

export function useSignOut(): () => void {
  const [, navigate] = useLocation();
  return () => void signOut().then(() => navigate("/"), toastError);
}
