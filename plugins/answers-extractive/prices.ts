/** Questions for a price, and what a price looks like, in many languages. */
import { number_pattern } from "./number-words";
import { words } from "./word-patterns";

/** What a price is asked for stands between two words; from each of many, all would be read. */
const asked_for = "\\b.{0,200}\\b";
export const asks_price = [
  `\\bhow much${asked_for}costs?\\b`,
  `\\b(?:what|how much) (?:is|are|was|were)${asked_for}(?:price|cost|fee)s?\\b`,
  words(
    "wie_teuer was_kostet was_kosten wie_?viel_kostet wie_?viel_kosten " +
      "wie_hoch_(?:ist|sind|war)_(?:der|die)_(?:preise?|kosten|gebühr(?:en)?|miete) " +
      "combien_coûte(?:nt)? quels?_(?:est|sont)_les?_(?:prix|tarifs?) " +
      "cuánto_(?:cuesta|vale|cuestan|valen) cuál_es_el_(?:precio|coste|costo) " +
      "quanto_costa(?:no)? qual_è_il_(?:prezzo|costo) quanto_custam? qual_(?:é_)?o_preço " +
      "hoeveel_kost(?:en)? wat_kost(?:en)? ile_kosztuj[eą] jaka_jest_cena kolik_stojí " +
      "сколько_сто[ия]т какова_(?:цена|стоимость) скільки_кошту[єю]ть? " +
      "πόσο_κοστίζ(?:ει|ουν) πόσο_κάν(?:ει|ουν) ποια_είναι_η_τιμή " +
      "kaç_(?:para|lira) (?:fiyatı|ücreti)_(?:ne_kadar|nedir|kaç) " +
      "giá_(?:là_)?bao_nhiêu bao_nhiêu_tiền بكم كم_(?:سعر|ثمن|تكلفة|يكلف|تكلف) कीमत_(?:क्या|कितनी)",
  ),
  "多少[钱錢]|[价價](?:格|钱|錢)(?:是|为|為)?多少",
  "いくら|(?:値段|価格|料金)は(?:どの|どれ|何|[？?]|$)|얼마(?:예요|입니까|인가요)",
];

/** A number near them is a price. */
const price_words = words(
  "prices? costs? fees? charges? totals? amounts? rates? preise? gebühr(?:en)? kostet kosten " +
    "betrag beträge summe prix coûtent? coût precios? cuestan? cuesta vale prezz[oi] costano? " +
    "costa preços? custam? tarif\\p{L}* prijs prijzen kosztuj\\p{L}* cen[ay] cena " +
    "цен\\p{L}+ стоит сто[ия]т стоимост\\p{L}+ плат\\p{L}+ коштує вартість τιμή κοστίζ\\p{L}+ " +
    "fiyat\\p{L}* ücret\\p{L}* giá phí lương سعر ثمن قيمة تكلفة رسوم कीमत मूल्य दाम शुल्क",
);
const unspaced_price_words = "[价價][格钱錢]|费用|費用|値段|価格|料金|代金|가격|요금";
const currencies = words(
  "usd eur chf gbp jpy cny inr rub uah pln czk sek nok dkk huf ron aed sar cad aud " +
    "dollars? dólare?s? dollari? euros? pounds? cents? francs? franken yen yuan pesos? reais " +
    "rupees? рубл(?:ь|я|ей|ях) руб гривен\\p{L}* ευρώ λεπτά lira tl kuruş zł " +
    "złot\\p{L}+ kč korun\\p{L}* kr kronor kroner forint đồng đ vnđ " +
    "ريال درهم\\p{L}* دينار جنيه ليرة دولار يورو " +
    "रुपये रुपए रुपया dirhams? dinars? riyals? baht",
);
const for_nothing = words(
  "free_(?:of_charge|for) (?:is|are|for)_free no_charge gratis kostenlos kostenfrei " +
    "gratuit(?:e|s|es|o|a|i)? бесплатно безкоштовно bezpłatn\\p{L}+ zdarma δωρεάν ücretsiz " +
    "bedava miễn_phí مجان\\p{L}* मुफ़्त निःशुल्क",
);
export const any_price = [
  "\\p{Sc}",
  `(?:${price_words}|${unspaced_price_words})[^.!?。！？]{0,60}(?:${number_pattern})`,
  `(?:${number_pattern})[^.!?。！？]{0,60}(?:${price_words}|${unspaced_price_words})`,
  currencies,
  "[\\p{Nd}十百千万萬]\\s*(?:元|円|块|塊|원)|免[费費]|無料|무료|บาท",
  for_nothing,
];
