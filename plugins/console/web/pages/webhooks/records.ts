/** Webhooks and deliveries as the server sends them, and how they are shown. */
import type { TagTone } from "../../ui/tag";

export type DeliveryStatus = "pending" | "delivered" | "skipped" | "dropped" | "cancelled";
export interface Webhook {
  readonly id: string;
  readonly event_type: string;
  readonly url: string;
  readonly created_at: string;
  readonly last_delivery: {
    readonly id: string;
    readonly status: DeliveryStatus;
    readonly created_at: string;
    readonly status_code: number | null;
    readonly error: string | null;
  } | null;
}
/** `secret` is shown once and never again. */
export interface WebhookWithSecret extends Webhook {
  readonly secret: string;
}

export interface Attempt {
  readonly at: string;
  readonly status_code: number | null;
  readonly error: string | null;
  readonly duration_ms: number;
  readonly response_body: string | null;
}
export interface Delivery {
  readonly id: string;
  readonly webhook_id: string;
  readonly event_type: string;
  readonly status: DeliveryStatus;
  readonly attempts: readonly Attempt[];
  readonly next_attempt_at: string | null;
  readonly request_body: string;
  readonly created_at: string;
}

export const tones: Readonly<Record<DeliveryStatus, TagTone>> = {
  pending: "run",
  delivered: "ok",
  skipped: "warn",
  dropped: "bad",
  cancelled: "plain",
};

export const languages = ["TypeScript", "Python"] as const;
export type Language = (typeof languages)[number];

/** How a receiver checks a delivery, with the libraries of standardwebhooks.com. */
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

/** JSON with line breaks; anything else as it came. */
export function readable(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
