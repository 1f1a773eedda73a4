/**
 * The files of the glossary, one per language: a concept per line, in the same order in each. A
 * line has the words for it in lower case, the usual one first, separated by commas; it is empty
 * where the language has no single word. Words of several syllables in Vietnamese have spaces.
 */
import ar from "./glossary/ar.txt" with { type: "file" };
import cs from "./glossary/cs.txt" with { type: "file" };
import de from "./glossary/de.txt" with { type: "file" };
import el from "./glossary/el.txt" with { type: "file" };
import en from "./glossary/en.txt" with { type: "file" };
import es from "./glossary/es.txt" with { type: "file" };
import fr from "./glossary/fr.txt" with { type: "file" };
import hi from "./glossary/hi.txt" with { type: "file" };
import it from "./glossary/it.txt" with { type: "file" };
import ja from "./glossary/ja.txt" with { type: "file" };
import ko from "./glossary/ko.txt" with { type: "file" };
import nl from "./glossary/nl.txt" with { type: "file" };
import pl from "./glossary/pl.txt" with { type: "file" };
import pt from "./glossary/pt.txt" with { type: "file" };
import ro from "./glossary/ro.txt" with { type: "file" };
import ru from "./glossary/ru.txt" with { type: "file" };
import sv from "./glossary/sv.txt" with { type: "file" };
import th from "./glossary/th.txt" with { type: "file" };
import tr from "./glossary/tr.txt" with { type: "file" };
import uk from "./glossary/uk.txt" with { type: "file" };
import vi from "./glossary/vi.txt" with { type: "file" };
import zh from "./glossary/zh.txt" with { type: "file" };

/** The path of each language's file, by ISO 639-1. */
export const glossary_files = {
  ar,
  cs,
  de,
  el,
  en,
  es,
  fr,
  hi,
  it,
  ja,
  ko,
  nl,
  pl,
  pt,
  ro,
  ru,
  sv,
  th,
  tr,
  uk,
  vi,
  zh,
};
/** A language of the glossary. */
export type GlossaryLanguage = keyof typeof glossary_files;
