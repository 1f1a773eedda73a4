/** Questions about several things of a list or table, in many languages. */
import { anyOf, words } from "./word-patterns";

/** Two things are compared, each of which is named. */
const compares = anyOf(
  words(
    "or vs versus compared? comparison differences? differs? " +
      "oder gegenüber vergleich\\p{L}* unterschied\\p{L}* unterscheide[nt] " +
      "ou différences? diffère comparer comparaison o diferencias? difiere comparar comparación " +
      "differenz[ae] confront[oa]re? confronta diferenças? verschil verschillen vergelijk " +
      "eller skillnad forskel forskjell lub czy różnica różnice или чем_отлича\\p{L}+ " +
      "разниц\\p{L}+ " +
      "сравни\\p{L}* або чи різниц\\p{L}+ ή διαφορ\\p{L}+ σύγκριν\\p{L}+ mı mi mu mü veya yoksa " +
      "fark\\p{L}* karşılaştır\\p{L}* hay khác so_sánh या अंतर तुलना أم أو الفرق atau beda",
  ),
  "还是|還是|区别|區別|比较|比較|それとも|違い|(?<=[とや].{0,20})どちら|아니면|차이|비교",
);
/** All things of a kind are counted or listed, or one stands out. */
const lists = anyOf(
  words(
    "how_many " +
      "(?:what|which)(?:_\\p{L}+){1,3}_(?:are_there|exist|do_(?:you|they|we)_(?:have|offer)) " +
      "(?:list|name)_(?:all|the) what_are_the what_kinds?_of " +
      "wie_?viele " +
      "welche(?:_\\p{L}+){1,2}_(?:gibt_es|haben_sie|bieten_sie|bietet_ihr|habt_ihr) " +
      "combien quel(?:le)?s(?:_\\p{L}+){1,2}_(?:y_a-t-il|proposez-vous|existent) " +
      "quel(?:le)?s_sont_les " +
      "cuánt[oa]s qué(?:_\\p{L}+){1,2}_(?:hay|tienen|ofrecen|existen) cuáles_son_l[oa]s " +
      "quant[ei] quali_sono quant[oa]s quais_são hoeveel welke(?:_\\p{L}+){1,2}_zijn_er " +
      "hur_många hvor_mange ile kolik сколько какие(?:_\\p{L}+){1,2}_(?:есть|бывают) " +
      "скільки які_є πόσ(?:οι|ες|α) ποι(?:οι|ες|α)_\\p{L}+_υπάρχουν " +
      "kaç(?:_tane)? hangi_\\p{L}+_var bao_nhiêu những_\\p{L}+_nào nhất कितन[ेी] कौन_से " +
      "كم ما_هي berapa apa_saja",
  ),
  "多少|几[个个種种]|幾[個種]|哪些|いくつ|何種類|どんな|몇|어떤",
);
/** One stands out: its row tells nothing without the others. */
const extremes = anyOf(
  words(
    "(?:the|at)_(?:most|least) (?:the|which|what)_(?:\\p{L}+_){0,2}\\p{L}{2,}est " +
      "am_\\p{L}+sten am_meisten (?:der|die|das)_\\p{L}+ste[nrs]? l[ea]s?_(?:plus|moins) " +
      "(?:el|la|los|las|qué(?:_\\p{L}+)?_(?:es|tiene))_(?:\\p{L}+_)?(?:más|menos) " +
      "(?:il|la|i|le|più|meno)_(?:più|meno) сам(?:ый|ая|ое|ые) en_\\p{L}+ nhất सबसे paling",
  ),
  "最|一番|가장|제일",
);

/** What a question asks of several things. */
export interface GroupQuestion {
  readonly compares: boolean;
  readonly lists: boolean;
  readonly extremes: boolean;
  /** The words that say so. */
  readonly words: string;
}
/** `needs_figure`: "how much" asks for a price or the like, so nothing is counted. */
export function groupQuestion(question: string, needs_figure: boolean): GroupQuestion {
  const found = [compares, lists, extremes].map((pattern) => pattern.exec(question)?.[0]);
  const [compared, listed, extreme] = found.map((one) => one !== undefined);
  return {
    compares: compared!,
    lists: listed! && !needs_figure,
    extremes: extreme!,
    words: found.filter((one) => one !== undefined).join(" "),
  };
}
