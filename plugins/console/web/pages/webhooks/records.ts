/** Webhooks and deliveries as the server sends them, and how they are shown. */
import type { Answer, RowOf } from "../../api/types";
import type { TagTone } from "../../ui/tag";

export type Webhook = Answer<"getWebhook">;
/** `secret` is shown only once. */
export type WebhookWithSecret = Answer<"createWebhook">;
export type Delivery = RowOf<"listWebhookDeliveries">;
/** One attempt to deliver, with the response to it. */
export type Attempt = Delivery["attempts"][number];

/** The colour of a delivery's status. */
export const tones: Readonly<Record<Delivery["status"], TagTone>> = {
  pending: "run",
  delivered: "ok",
  skipped: "warn",
  dropped: "bad",
  cancelled: "plain",
};

export const languages = ["TypeScript", "Python"] as const;
export type Language = (typeof languages)[number];

/** How a receiver verifies a delivery, with the libraries of standardwebhooks.com. */
export const snippet = (language: Language): string =>
  language === "TypeScript"
    ? [
        "// npm install standardwebhooks",
        'import { Webhook } from "standardwebhooks";',
        "",
        "const webhook = new Webhook(process.env.DOSSIER_WEBHOOK_SECRET);",
        "const body = await request.text();",
        "const event = webhook.verify(body, Object.fromEntries(request.headers));",
      ].join("\n")
    : [
        "# pip install standardwebhooks",
        "import os",
        "from standardwebhooks import Webhook",
        "",
        'webhook = Webhook(os.environ["DOSSIER_WEBHOOK_SECRET"])',
        "event = webhook.verify(request.body, dict(request.headers))",
      ].join("\n");

/** Indented JSON; anything else unchanged. */
export function readable(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
