/** Questions about how something is done, and the sentences that say it. */
import { anyOf, words } from "./word-patterns";

/** Not "How does it work?", which asks for an explanation. */
export const asks_how_to = anyOf(
  "\\bhow (?:to|do (?:I|one|people|users?|we|you)|can|could|must|should)\\b",
  "\\b(?:is|are) there (?:a|any) ways? (?:to|of)\\b",
  "\\bwhat(?:['’]s| is) the (?:\\p{L}+ )?way (?:to|of)\\b",
  "\\bwhat (?:do|can|could|must|should) (?:I|one|we|you) (?:do|need|press|run|set|type|use)\\b",
  words(
    "wie_(?:\\p{L}+_)?(?:ich|man|wir) wie_(?:kann|können|muss|müssen|soll|sollen|lässt|lassen) " +
      "was_(?:kann|muss|soll)_(?:ich|man) womit " +
      "comment(?!_(?:fonctionne|marche|s['’]appelle)) cómo(?!_(?:es|está|funciona|se_llama)) " +
      "come_(?:faccio|fare|posso|si) como_(?:faço|fazer|posso|se) " +
      "hoe_(?:kan|moet|\\p{L}+_(?:ik|je|men|we)) как_(?:мне|можно|\\p{L}+ть)",
  ),
);

/** Verbs of instructions, which begin with them. */
const imperatives =
  "add|adjust|attach|change|check|choose|clean|click|close|configure|connect|copy|create|define|" +
  "delete|disable|disconnect|download|drag|edit|enable|ensure|enter|give|go|hold|include|insert|" +
  "install|invoke|lift|load|make|move|open|place|plug|press|pull|push|put|release|remove|rename|" +
  "replace|restart|run|save|select|set|slide|specify|start|stop|switch|tap|touch|turn|type|" +
  "unplug|use|wait|write";
const item = "(?:\\(?\\d{1,3}[.)]\\s|[•▪‣●]\\s)?";
const first_words = "(?:(?:always|finally|first|just|next|now|please|simply|then),?\\s)?";

/**
 * It says what to do, or names an option or a command: "Press …", "To print, …", `--print`. Not
 * "you can …", which manuals say of much else.
 */
export const any_instruction = anyOf(
  `^${item}${first_words}(?:to|${imperatives})\\s`,
  "(?<![\\p{L}\\p{N}−–-])[−–-]{1,2}\\p{L}|\\\\\\p{L}{2,}",
  words("\\p{L}+en_Sie il_(?:faut|suffit)"),
  // "This is avoided by using …".
  words("(?:be|is|are)(?:_\\p{L}+){1,3}_by_\\p{L}+ing lässt_sich wird_dadurch indem_(?:Sie|man)"),
  `^${item}\\p{L}+(?:ez|er)\\s(?:l[ae]|les|l['’]|sur|une?|vos|votre)(?![\\p{L}\\p{M}])`,
  `^${item}(?:abra|cierre|conecte|haga|pulse|presione|seleccione|use|utilice)\\s`,
  `^${item}\\p{L}+(?:are|ere|ire)\\s(?:i|il|la|le|lo|l['’]|su|un[ao]?)(?![\\p{L}\\p{M}])`,
);
