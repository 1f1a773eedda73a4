/** Starts the console in the page. */
import { QueryClientProvider } from "@tanstack/preact-query";
import { render } from "preact";
import { onSignedOut, unreachable } from "./api/client";
import { queries } from "./api/queries";
import { App } from "./app/app";
import { setUser } from "./app/session";
import "./app/theme";

onSignedOut(() => setUser(null));
addEventListener("online", () => {
  unreachable.value = false;
});

const root = document.getElementById("app")!;
root.replaceChildren();
render(
  <QueryClientProvider client={queries}>
    <App />
  </QueryClientProvider>,
  root,
);
