/** Questions about how something is done, and the sentences that say it. */
import { anyOf, words } from "./word-patterns";

/** Not "How does it work?", which asks for an explanation. */
export const asks_how_to = anyOf(
  "\\bhow (?:to|do (?:I|one|people|users?|we|you)|can|could|must|should)\\b",
  "\\b(?:is|are) there (?:a|any) ways? (?:to|of)\\b",
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

/** It says what to do, or with which option: "Press …", "To print, …", "you can …", "by …ing". */
export const any_instruction = anyOf(
  `^${item}${first_words}(?:to|${imperatives})\\s`,
  "\\b(?:you|one|users?)\\s(?:just\\s|simply\\s)?(?:can|could|may|might|must|should)\\b",
  "\\b(?:you|one|users?)\\s(?:just\\s|simply\\s)?(?:have|need|want)\\sto\\b",
  "\\bby\\s\\p{L}+ing\\b|\\busing\\s",
  "\\b(?:can|may|must|should)\\s(?:also\\s)?be\\s\\p{L}+(?:ed|en|wn|de|t)\\b",
  "(?<![\\p{L}\\p{N}−–-])[−–-]{1,2}\\p{L}",
  words(
    "\\p{L}+en_Sie (?:man|Sie)_(?:kann|können|muss|müssen|soll|sollen|sollte|sollten) " +
      "(?:kann|können|muss|müssen)_(?:man|Sie) indem mithilfe lässt_sich lassen_sich " +
      "vous_(?:devez|pouvez) il_(?:faut|suffit) à_l['’]aide en_(?:appuyant|cliquant|utilisant) " +
      "(?:debe|puede)n?_\\p{L}+r mediante si_(?:deve|può) è_possibile (?:deve|pode)_\\p{L}+r " +
      "(?:kunt|moet)_u u_(?:kunt|moet) можно необходимо нужно",
  ),
  "^\\p{L}+(?:ez|er)\\s(?:l[ae]|les|l['’]|sur|une?|vos|votre)(?![\\p{L}\\p{M}])",
);
