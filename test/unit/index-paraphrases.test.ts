/** A question with different word forms finds its sentence, in many kinds of languages. */
import { describe, expect, test } from "bun:test";
import { analyzer, analyzers } from "../../plugins/search-index/analysis/analyzer";
import { encodeDocument } from "../../plugins/search-index/indexing/encoder";
import { parseQuery } from "../../plugins/search-index/analysis/query";
import { rerank } from "../../plugins/search-index/ranking/reranker";
import { no_pauses } from "../../plugins/search-index/workers/worker-protocol";
import { rank } from "../helpers/rank";

/** By language: sentences, and questions with the index of the answering sentence. */
const languages: Readonly<
  Record<
    string,
    readonly [
      sentences: readonly string[],
      questions: readonly (readonly [question: string, place: number])[],
    ]
  >
> = {
  Portuguese: [
    [
      "A ponte velha foi construída em 1874 por pedreiros de Braga.",
      "Os pescadores vendem sardinhas frescas no mercado da manhã.",
      "A biblioteca municipal guarda três mil livros antigos.",
      "O comboio noturno liga o porto à capital.",
    ],
    [
      ["Quando construíram a ponte?", 0],
      ["Onde os pescadores vendem a sardinha?", 1],
      ["Quantos livros antigos há na biblioteca?", 2],
      ["Que comboios ligam os portos à capital?", 3],
    ],
  ],
  French: [
    [
      "Le moulin à vent fut restauré en 1998 par des bénévoles.",
      "Les boulangers préparent la pâte avant l'aube.",
      "Le château abrite une collection d'horloges anciennes.",
      "La rivière gèle rarement en hiver.",
    ],
    [
      ["Quand a-t-on restauré le moulin ?", 0],
      ["Quand le boulanger prépare-t-il la pâte ?", 1],
      ["Qu'abrite le château comme horloge ancienne ?", 2],
      ["Les rivières gèlent-elles souvent ?", 3],
    ],
  ],
  Hindi: [
    [
      "पुराना पुल 1874 में राजमिस्त्रियों ने बनाया था।",
      "मछुआरे सुबह के बाज़ार में ताज़ी मछली बेचते हैं।",
      "पुस्तकालय में तीन हज़ार पुरानी किताबें रखी हैं।",
      "रात की रेलगाड़ी बंदरगाह को राजधानी से जोड़ती है।",
    ],
    [
      ["पुल कब बनाया गया?", 0],
      ["मछुआरे मछली कहाँ बेचते हैं?", 1],
      ["पुस्तकालय में कितनी किताबें हैं?", 2],
      ["रेलगाड़ी राजधानी को किससे जोड़ती है?", 3],
    ],
  ],
  Korean: [
    [
      "옛 다리는 1874년에 석공들이 지었다.",
      "어부들은 아침 시장에서 신선한 생선을 판다.",
      "도서관은 고서 삼천 권을 보관한다.",
      "야간 열차는 항구와 수도를 연결한다.",
    ],
    [
      ["다리를 언제 지었습니까?", 0],
      ["어부는 어디에서 생선을 팝니까?", 1],
      ["도서관이 보관하는 고서는 몇 권인가요?", 2],
      ["항구를 수도와 연결하는 열차는?", 3],
    ],
  ],
  Vietnamese: [
    [
      "Cây cầu cũ được thợ xây dựng năm 1874.",
      "Ngư dân bán cá tươi ở chợ buổi sáng.",
      "Thư viện giữ ba nghìn cuốn sách cổ.",
      "Tàu đêm nối cảng với thủ đô.",
    ],
    [
      ["Cầu được xây năm nào?", 0],
      ["Ngư dân bán cá ở đâu?", 1],
      ["Thư viện có bao nhiêu sách cổ?", 2],
      ["Tàu nào nối cảng với thủ đô?", 3],
    ],
  ],
  Turkish: [
    [
      "Eski köprü 1874 yılında taş ustaları tarafından inşa edildi.",
      "Balıkçılar sabah pazarında taze balık satıyor.",
      "Kütüphane üç bin eski kitap saklıyor.",
      "Gece treni limanı başkente bağlıyor.",
    ],
    [
      ["Köprüyü kim inşa etti?", 0],
      ["Balıkçı balıkları nerede satar?", 1],
      ["Kütüphanede kaç eski kitap saklanıyor?", 2],
      ["Limandan başkente hangi tren gider?", 3],
    ],
  ],
  Greek: [
    [
      "Η παλιά γέφυρα χτίστηκε το 1874 από λιθοξόους.",
      "Οι ψαράδες πουλούν φρέσκα ψάρια στην πρωινή αγορά.",
      "Η βιβλιοθήκη φυλάσσει τρεις χιλιάδες παλιά βιβλία.",
      "Το νυχτερινό τρένο συνδέει το λιμάνι με την πρωτεύουσα.",
    ],
    [
      ["Πότε χτίστηκαν οι γέφυρες;", 0],
      ["Πού πουλάει ο ψαράς τα ψάρια;", 1],
      ["Πόσα βιβλία έχει η βιβλιοθήκη;", 2],
      ["Ποιο τρένο συνδέει τα λιμάνια;", 3],
    ],
  ],
  Hebrew: [
    [
      "הגשר הישן נבנה בשנת 1874 בידי סתתים.",
      "הדייגים מוכרים דגים טריים בשוק הבוקר.",
      "הספרייה שומרת שלושת אלפים ספרים עתיקים.",
      "רכבת הלילה מחברת את הנמל לבירה.",
    ],
    [
      ["מתי נבנה גשר ישן?", 0],
      ["איפה מוכרים דייגים דגים?", 1],
      ["כמה ספרים עתיקים בספרייה?", 2],
      ["איזו רכבת מחברת נמל לבירה?", 3],
    ],
  ],
  Persian: [
    [
      "پل قدیمی در سال ۱۸۷۴ به دست سنگ‌تراشان ساخته شد.",
      "ماهیگیران ماهی تازه را در بازار صبح می‌فروشند.",
      "کتابخانه سه هزار کتاب کهن نگه می‌دارد.",
      "قطار شبانه بندر را به پایتخت وصل می‌کند.",
    ],
    [
      ["پل قدیمی کی ساخته شد؟", 0],
      ["ماهیگیر ماهی را کجا می‌فروشد؟", 1],
      ["کتابخانه چند کتاب دارد؟", 2],
      ["کدام قطار بندر را به پایتخت وصل می‌کند؟", 3],
    ],
  ],
  Polish: [
    [
      "Stary most zbudowali kamieniarze w 1874 roku.",
      "Rybacy sprzedają świeże ryby na porannym targu.",
      "Biblioteka przechowuje trzy tysiące starych ksiąg.",
      "Nocny pociąg łączy port ze stolicą.",
    ],
    [
      ["Kiedy zbudowano stare mosty?", 0],
      ["Gdzie rybak sprzedaje ryby?", 1],
      ["Ile ksiąg przechowują biblioteki?", 2],
      ["Jaki pociąg łączy stolicę z portem?", 3],
    ],
  ],
  Finnish: [
    [
      "Vanhan sillan rakensivat kivenhakkaajat vuonna 1874.",
      "Kalastajat myyvät tuoretta kalaa aamutorilla.",
      "Kirjasto säilyttää kolmea tuhatta vanhaa kirjaa.",
      "Yöjuna yhdistää sataman pääkaupunkiin.",
    ],
    [
      ["Missä kalastaja myy kaloja?", 1],
      ["Montako kirjaa kirjastossa säilytetään?", 2],
      ["Mikä juna yhdistää satamat?", 3],
    ],
  ],
  Indonesian: [
    [
      "Jembatan tua dibangun oleh tukang batu pada 1874.",
      "Para nelayan menjual ikan segar di pasar pagi.",
      "Perpustakaan menyimpan tiga ribu buku kuno.",
      "Kereta malam menghubungkan pelabuhan dengan ibu kota.",
    ],
    [
      ["Kapan jembatan itu dibangun?", 0],
      ["Di mana nelayan menjual ikannya?", 1],
      ["Berapa buku kuno di perpustakaan?", 2],
      ["Kereta apa yang menghubungkan pelabuhan?", 3],
    ],
  ],
};

for (const [language, [sentences, questions]] of Object.entries(languages))
  describe(language, () => {
    const segments = sentences.map(
      (text) => [...encodeDocument({ title: "", text, pages: [] }, analyzer)][0]!.data,
    );
    for (const [question, place] of questions)
      test(question, async () => {
        const query = parseQuery(question, undefined, analyzers, analyzer.version);
        const hits = await rerank(await rank(segments, query, 10), query, 10, {
          analyzers,
          textsOf: async (hits) => hits.map((hit) => sentences[hit.segment]!),
          pauses: no_pauses,
        });
        expect(hits[0]?.segment).toBe(place);
      });
  });
