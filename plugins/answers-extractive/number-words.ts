/**
 * Numbers written as words, in many languages. Words that are also articles, or common words of
 * another language, are left out: `un`, `on`, `sei`.
 */

/** Separated by spaces; parts of regular expressions. */
const lists = [
  // English
  "one two three four five six seven eight nine ten eleven twelve thirteen fourteen " +
    "fifteen sixteen seventeen eighteen nineteen dozen half third quarter twice once " +
    "thousand million billion halv(?:es?|ed|ing) doubl(?:es|ed|ing) tripl(?:es|ed|ing) " +
    "(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:-\\p{L}+)? hundreds?",
  // German
  "zwei drei vier fünf sechs sieben neun zehn elf zwölf " +
    "(?:drei|vier|fünf|sech|sieb|acht|neun)zehn " +
    "\\p{L}*(?:zwanzig|dreißig|vierzig|fünfzig|sechzig|siebzig|achtzig|neunzig|hundert|tausend) " +
    "millionen milliarden dutzend hälfte drittel viertel (?:ein|zwei|drei|vier)mal " +
    "halbier\\p{L}+ verdoppel\\p{L}+ verdreifach\\p{L}+",
  // French, Spanish, Portuguese, Italian
  "deux trois quatre cinq huit neuf dix onze douze treize quatorze quinze seize vingt " +
    "trente quarante cinquante soixante cents? mille millions? milliards? moitié tiers",
  "dos tres cuatro cinco seis siete ocho nueve diez doce trece catorce quince " +
    "dieci(?:séis|siete|ocho|nueve) veint\\p{L}+ treinta cuarenta cincuenta sesenta setenta " +
    "ochenta noventa cien(?:to)? \\p{L}+cient[oa]s quinient[oa]s mil mill[oó]n(?:es)? mitad",
  "dois duas três quatro sete oito nove dez doze treze vinte trinta quarenta cinquenta " +
    "sessenta oitenta cem cento \\p{L}+cent[oa]s milhão milhões metade",
  "tre quattro cinque sette otto nove dieci undici dodici tredici quattordici quindici " +
    "sedici venti\\p{L}* trenta\\p{L}* quaranta\\p{L}* cinquanta\\p{L}* sessanta\\p{L}* " +
    "cento mila milioni metà",
  // Dutch, Swedish, Danish, Norwegian
  "twee drie vier vijf zes zeven acht negen tien twaalf \\p{L}+tien twintig dertig veertig " +
    "vijftig zestig honderd duizend miljoen helft två fyra fem sju åtta nio tio tolv tjugo " +
    "trettio femtio hundra tusen miljoner hälften fire seks syv otte ti tyve tredive " +
    "halvtreds hundrede tusind halvdelen",
  // Polish, Czech, Russian, Ukrainian
  "dwa dwie trzy cztery pięć sześć siedem osiem dziewięć dziesięć \\p{L}+naście " +
    "\\p{L}+dzieści \\p{L}+dziesiąt tysiąc\\p{L}* milion\\p{L}* połow\\p{L} dva dvě tři " +
    "čtyři pět šest sedm osm devět deset \\p{L}+náct dvacet třicet tisíc\\p{L}*",
  "два две три четыре пять шесть семь восемь девять десять \\p{L}+надцать двадцать " +
    "тридцать сорок \\p{L}+десят девяносто сто двести \\p{L}+ста \\p{L}+сот тысяч\\p{L}? " +
    "миллион\\p{L}* половин\\p{L} дважды дві чотири шість сім вісім десять двадцять " +
    "тисяч\\p{L}?",
  // Turkish, with endings
  "(?:iki|üç|dört|beş|altı|yedi|sekiz|dokuz|yirmi|otuz|kırk|elli|altmış|yetmiş|seksen|doksan|" +
    "bin|milyon|milyar|yarı|yarım)" +
    "(?:y?[aeıiuü]|[dt][ae]n?|l[ae]r\\p{L}*|[ıiuü]nc[ıiuü]|[ns][ıiuü])? " +
    "on(?:_(?:bir|iki|üç|dört|beş|altı|yedi|sekiz|dokuz))",
  // Greek
  "δύο δυο τρεις τρία τέσσερ[ιαη][ςα]? πέντε έξι ε[πφ]τά ο[κχ]τώ εννέα εννιά δέκα έντεκα " +
    "δώδεκα δεκα\\p{L}+ είκοσι τριάντα σαράντα πενήντα εξήντα εβδομήντα ογδόντα ενενήντα " +
    "εκατό\\p{L}? \\p{L}+κόσι\\p{L}+ χίλι\\p{L}+ χιλιάδες εκατομμύρι\\p{L} μισ[όάή]",
  // Arabic, Persian, Hebrew
  "اثنان اثنين اثنتين ثلاثة? أربعة? خمسة? ستة? سبعة? ثمانية? ثماني تسعة? عشرة? عشرون عشرين " +
    "ثلاثون ثلاثين أربعين خمسين ستين مئة مائة مئتي ألف آلاف مليون نصف دو سه چهار پنج شش هفت " +
    "هشت ده بیست سی چهل پنجاه صد هزار שניים שתיים שני שתי שלושה? ארבעה? חמישה חמש שישה שש " +
    "שבעה? שמונה תשעה? עשרה? עשרים שלושים מאה מאתיים אלף אלפים מיליון חצי",
  // Hindi, Bengali
  "दो तीन चार पाँच पांच छह छः सात आठ नौ दस ग्यारह बारह तेरह चौदह पंद्रह पन्द्रह सोलह सत्रह " +
    "अठारह उन्नीस बीस इक्कीस बाईस तेईस चौबीस पच्चीस छब्बीस सत्ताईस अट्ठाईस तीस चालीस पचास " +
    "साठ सत्तर अस्सी नब्बे सौ हज़ार हजार लाख करोड़ आधा आधी আধা দুই তিন চার পাঁচ ছয় সাত আট " +
    "নয় দশ বারো বিশ কুড়ি ত্রিশ পঞ্চাশ একশ হাজার লাখ",
  // Indonesian, Vietnamese
  "dua tiga empat lima enam tujuh delapan sembilan sepuluh sebelas belas puluh ratus ribu " +
    "juta setengah hai bốn năm sáu bảy tám chín mười mươi trăm nghìn ngàn triệu tỷ nửa",
];
/** Numbers in scripts without spaces between words, or with endings. */
const unspaced =
  "[一二三四五六七八九十百千万億亿两兩半]|" +
  "(?:두|세|네|다섯|여섯|일곱|여덟|아홉|열|스무|서른|백|천|만)\\s?\\p{L}|" +
  "สอง|สาม|สี่|ห้า|หก|เจ็ด|แปด|เก้า|สิบ|ร้อย|พัน|หมื่น|แสน|ล้าน|ครึ่ง";

/** A pattern for any of them, and for digits. */
export const number_pattern = `\\p{Nd}|${unspaced}|(?<![\\p{L}\\p{M}])(?:${lists
  .join(" ")
  .replaceAll(" ", "|")
  .replaceAll("_", "\\s+")})(?![\\p{L}\\p{M}])`;
