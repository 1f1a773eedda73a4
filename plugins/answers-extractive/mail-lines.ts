/** Lines of mail that belong to no statement: headers, greetings, "… wrote:". Pure. */
import { anyOf, words } from "./word-patterns";

/** Of the message itself, and of quoted and forwarded ones in other languages. */
const header = new RegExp(
  "^(?:>\\s*)*[*_]{0,2}(?:from|to|cc|bcc|date|sent|subject|reply-to|von|an|kopie|gesendet|" +
    "betreff|datum|de|à|objet|envoyé|para|asunto|fecha|enviado|da|a|oggetto|data|inviato|" +
    "assunto|aan|onderwerp|verzonden|от|кому|тема|дата)[*_]{0,2}\\s?:[*_]{0,2}\\s*\\S",
  "iu",
);
/** A document has a line like one of them by chance. */
const headers_min = 2;
const attribution = new RegExp(
  "^(?:>\\s*)*(?:on|am|le|el|il|em|op|в)\\s[^\\n]{5,150}" +
    "(?:wrote|schrieb|a écrit|escribió|ha scritto|escreveu|schreef|написал[аи]?)[^\\n]{0,80}:",
  "iu",
);
/** "Dear Ms. Byron,", "Best regards," */
const greeting = /^[\p{L}.’' -]{2,40},$/u;
const address = /\S@\S/u;

/** Who wrote to whom, when, about what: headers say it. */
const asks_header = anyOf(
  words(
    "who whom when (?:e-?mail_)?address(?:es)? subject sender sent date from " +
      "wer wem wen wann absender\\p{L}* empfänger\\p{L}* betreff datum adressen? von_wem " +
      "qui quand objet expéditeur destinataire quién(?:es)? cuándo asunto remitente " +
      "chi quando oggetto mittente quem assunto wanneer onderwerp afzender кто кому когда тема",
  ),
);

/**
 * The indices of such lines among the sentences of a passage. `question`: it may be answered by a
 * header.
 */
export function mailLines(texts: readonly string[], question: string): ReadonlySet<number> {
  const indices = [...texts.keys()];
  const headers = indices.filter((at) => header.test(texts[at]!));
  const is_mail = headers.length >= headers_min && headers.some((at) => address.test(texts[at]!));
  return new Set([
    ...(is_mail && !asks_header.test(question) ? headers : []),
    ...indices.filter((at) => attribution.test(texts[at]!) || greeting.test(texts[at]!)),
  ]);
}
