/**
 * Words without a meaning of their own, in the languages whose negations are known: none that has a
 * meaning in another one, such as Dutch `van` and `door`.
 */
import { folded } from "../../../core/lib/folded";

const grammar =
  "a an the this that these those it its he she they them his her their we you your i my our " +
  "us one " +
  "is are was were be been being am do does did has have had will would can could may might " +
  "must " +
  "shall should of in on at to for from by with as into about than then there here and or " +
  "but if so " +
  "which who whom whose what when where why how also only very just such some any each every " +
  "all " +
  "both most more between during through over under after before while because since until " +
  "yes no " +
  "not never cannot none " +
  "nie niemals etre avoir doivent jamais nunca jamas ser haber tambien aussi auch noch schon " +
  "der die das den dem des ein eine einen einem einer eines ist sind war waren wird werden " +
  "wurde " +
  "wurden sein hat haben hatte kann konnen muss mussen soll sollen darf durfen und oder aber " +
  "wenn " +
  "dass von vom zu zum zur mit im am an auf aus bei beim nach vor fur um durch uber unter " +
  "ohne als " +
  "auch nur sich er sie es wir ihr ich man nicht kein keine ja nein alle jede jeder jedes " +
  "dies diese " +
  "dieser dieses es gibt " +
  "le la les un une des du de d l et ou mais si que qui quoi dont ce cet cette ces il elle " +
  "ils elles " +
  "on nous vous je son sa ses leur leurs est sont etait etaient sera ont avait peut doit " +
  "faut au aux " +
  "en dans par pour sur sous avec sans pas ne plus se tous toutes tout oui non y " +
  "el los las una unos unas lo del al y o pero si quien cual cuando donde como este esta " +
  "estos estas " +
  "ese esa eso su sus ella ellos ellas es son era eran fue sera ha han habia puede debe hay " +
  "en por " +
  "para con sin sobre entre no se todo toda todos todas " +
  "della delle dello degli dei dal dalla dalle nel nella nelle sul sulla per gli che anche sono " +
  "viene vengono deve devono puo possono essere questo questa questi queste ogni senza " +
  "das dos nas nos pelo pela com uma nao tambem sao foi pode podem devem isto cada " +
  "het een voor naar bij deze dit dat wordt worden werd moet moeten mag mogen kan kunnen heeft " +
  "hebben niet geen ook nog maar zijn zonder " +
  "jest sie czy oraz lub dla przez nalezy mozna moze tylko bez " +
  "это этот эта эти для при под над без как что или его ее их он она оно они можно нужно надо " +
  "следует должен должна должно должны может могут быть был была было были на по от до из за со " +
  "во не но и в с у о к а";
/** Introductory phrases of answers. */
const fillers =
  "answer answers answered question questions source sources text passage passages document " +
  "documents article excerpt context information following based according provided given " +
  "stated " +
  "states mentioned mentions says said described describes found shown see below above here " +
  "sure certainly okay ok course help please note summary " +
  "antwort antworten frage quelle quellen dokument dokumente dokumenten passage folgende " +
  "folgenden " +
  "laut gemass steht lautet angegeben " +
  "reponse reponses sources texte selon suivante suivant voici indique d'apres " +
  "respuesta respuestas pregunta fuente fuentes documento documentos texto segun siguiente " +
  "indica";
const grammar_words: ReadonlySet<string> = new Set(grammar.split(" "));
const filler_words: ReadonlySet<string> = new Set(fillers.split(" "));

/** Whether the word has no meaning of its own. */
export const isFunctionWord = (word: string): boolean => grammar_words.has(folded(word));
/** The meaningful words of a text. */
export const contentWords = (text: string): string[] =>
  (text.match(/[\p{L}\p{M}\p{Nd}]+/gu) ?? []).filter((word) => {
    const key = folded(word);
    return !grammar_words.has(key) && !filler_words.has(key);
  });
/** The words with a meaning, separated by spaces. */
export const contentOf = (text: string): string => contentWords(text).join(" ");

const german_words =
  "der die das den dem des ein eine einen einem einer ist sind war wird werden wurde und oder " +
  "nicht kein keine mit von vom zu zum zur im bei nach fur auf aus";
const other_words =
  "the of is are was and not with from to for le la les du et est pas dans pour avec el los las " +
  "y es no en por para con del";
const german = new Set(german_words.split(" "));
const others = new Set(other_words.split(" "));
/** German nouns are capitalised. */
export function isGerman(text: string): boolean {
  const words = (text.match(/[\p{L}\p{M}]+/gu) ?? []).map(folded);
  const count = (list: ReadonlySet<string>) => words.filter((word) => list.has(word)).length;
  return count(german) > count(others);
}
