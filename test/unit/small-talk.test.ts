/** Which questions are greetings or ask for an overview, and how both are answered. */
import { expect, test } from "bun:test";
import { overviewAnswer } from "../../plugins/answers-extractive/overview";
import { smallTalkOf, type SmallTalk } from "../../plugins/answers-extractive/small-talk";
import type { OutlinedDocument } from "../../plugins/documents/contract";
import { mainHeadings } from "../../plugins/documents/overview";

const greetings = [
  "hello",
  "Hello!",
  "hi there",
  "danke",
  "Danke schön!",
  "¿qué tal?",
  "Hola, ¿qué tal?",
  "merci beaucoup",
  "ça va?",
  "спасибо большое",
  "你好",
  "こんにちは！",
  "안녕하세요",
  "مرحبا",
  "नमस्ते",
  "Xin chào",
  "สวัสดีครับ",
  "guten Morgen",
  "Thank you very much",
  "Hi, how are you today?",
  "Ευχαριστώ!",
  "Mulțumesc mult",
  "Çok teşekkürler",
  "Cảm ơn nhiều",
  "Ευχαριστώ πολύ",
  "बहुत धन्यवाद",
  "非常感谢",
];
const overviews = [
  "what is in here?",
  "What's in here?",
  "which documents are these",
  "was steht hier drin",
  "Was steht hier drin?",
  "Welche Dokumente sind das hier?",
  "Welche Dateien gibt es?",
  "worum geht es hier?",
  "What are these documents about?",
  "Which documents do you have?",
  "list all documents",
  "Show me the files",
  "Give me an overview",
  "Gib mir einen Überblick über die Dokumente",
  "Fasse die Dokumente zusammen",
  "Qu'est-ce qu'il y a ici ?",
  "Que contient ce dossier ?",
  "Quels documents y a-t-il dans ce dossier ?",
  "¿Qué hay aquí?",
  "¿Qué documentos hay en esta carpeta?",
  "O que há aqui?",
  "Quais documentos existem nesta pasta?",
  "Cosa c'è qui?",
  "Quali documenti ci sono?",
  "Wat staat hier in?",
  "Co tu jest?",
  "Jakie dokumenty są w tym folderze?",
  "Vad finns här?",
  "Burada ne var?",
  "Bu belgeler ne hakkında?",
  "Bu klasörde hangi belgeler var?",
  "Что здесь?",
  "Какие здесь документы?",
  "Что это за документы?",
  "О чём эти документы?",
  "Що тут є?",
  "Τι υπάρχει εδώ;",
  "Ποια έγγραφα υπάρχουν;",
  "ماذا يوجد هنا؟",
  "ما هي هذه المستندات؟",
  "اینجا چه چیزی هست؟",
  "מה יש כאן?",
  "यहाँ क्या है?",
  "इस फ़ोल्डर में कौन से दस्तावेज़ हैं?",
  "এখানে কী আছে?",
  "Apa isi folder ini?",
  "Ada dokumen apa saja di sini?",
  "Ở đây có gì?",
  "Có những tài liệu nào?",
  "ที่นี่มีอะไรบ้าง",
  "มีเอกสารอะไรบ้าง",
  "这里有什么？",
  "这些是什么文件？",
  "有哪些文档",
  "ここには何がありますか？",
  "どんな文書がありますか？",
  "여기에 무엇이 있나요?",
  "어떤 문서가 있나요?",
  "What can I ask you about?",
  "what can i ask here",
  "Was kann ich dich fragen?",
  "Que puis-je demander ?",
  "¿Qué puedo encontrar aquí?",
  "Dame un resumen",
  "O que posso perguntar?",
  "Dammi un riassunto",
  "Waar gaan deze documenten over?",
  "O czym są te dokumenty?",
  "Hvad kan jeg spørge om?",
  "Vad innehåller mappen?",
  "Dej mi shrnutí",
  "Ce pot întreba?",
  "Ne sorabilirim?",
  "Burada neler bulabilirim?",
  "Bana bir özet ver",
  "Bu klasör ne içeriyor?",
  "О чём я могу спросить?",
  "Що тут можна знайти?",
  "Τι υπάρχει σε αυτόν τον φάκελο;",
  "Για τι μιλάνε αυτά τα έγγραφα;",
  "Τι μπορώ να ρωτήσω;",
  "Δώσε μου μια περίληψη",
  "ماذا يمكنني أن أسأل؟",
  "یک خلاصه بده",
  "מה מכילה התיקייה?",
  "मैं क्या पूछ सकता हूँ?",
  "ये दस्तावेज किस बारे में हैं?",
  "मुझे सारांश दीजिए",
  "আমি কী জিজ্ঞাসা করতে পারি?",
  "Beri saya ringkasan",
  "Thư mục này chứa gì?",
  "Các tài liệu này nói về cái gì?",
  "Tôi có thể hỏi gì?",
  "Cho tôi xem các tài liệu",
  "ฉันถามอะไรได้บ้าง",
  "我可以问什么？",
  "总结一下",
  "给我看看所有文档",
  "文件夹里都有些什么内容？",
  "何が聞けますか？",
  "このフォルダの中身は？",
  "무엇을 물어볼 수 있나요?",
];
const questions = [
  "👋",
  "?!",
  "What is a folder?",
  "Wie groß ist der Ordner?",
  "how do I delete files?",
  "What is the price of a BMW?",
  "Hello, how many days of leave do I get?",
  "Who wrote this document?",
  "what is in the tank?",
  "Was kostet das hier?",
  "When were these documents written?",
  "How many documents are there?",
  "What is the password?",
  "Where is it?",
  "Was ist eine Datei?",
  "ordner",
  "What does the heron eat?",
  "Which files does LaTeX write?",
  "¿Quién escribió este documento?",
  "hier",
  "documents",
  " what is this document's author",
  "文件大小限制是什么",
  "Wat is een map?",
  "Ab wann gilt das?",
  "¿Cuántos documentos se pueden subir?",
  "Burada park etmek yasak mı?",
  "Τι ώρα κλείνει;",
  "यह फ़ाइल कितनी बड़ी है?",
  "Ai đã viết tài liệu này?",
  "这个文件有多大？",
  "Bana notu kim verdi?",
  "hello ".repeat(14),
];
const cases: [text: string, kind: SmallTalk | null][] = [
  ...greetings.map((text): [string, SmallTalk] => [text, "greeting"]),
  ...overviews.map((text): [string, SmallTalk] => [text, "overview"]),
  ...questions.map((text): [string, null] => [text, null]),
];
test.each(cases)("%s: %s", (text, kind) => expect(smallTalkOf(text)).toBe(kind));

test("repetitive texts of any kind are classified quickly", () => {
  for (const part of ["ここ", "in ", "is", "的", "a", " ", "?"])
    expect(["greeting", null]).toContain(smallTalkOf(part.repeat(80).slice(0, 80)));
});

const documentOf = (n: number, ...headings: string[]): OutlinedDocument => ({
  id: `doc_${n}`,
  name: `Part ${n}.md`,
  current_version: 2,
  folder_id: "fld_1",
  language: null,
  headings: headings.map((text, at) => ({
    text,
    start: at * 100,
    end: at * 100 + text.length,
    page: null,
    page_label: null,
  })),
});
const overview = (documents: OutlinedDocument[], count = documents.length, all_counted = true) => ({
  documents,
  count,
  all_counted,
});

test("documents are listed with their headings, and their first heading is cited", () => {
  const answer = overviewAnswer(
    "overview",
    overview([documentOf(1, "Leave", "Working\n hours"), documentOf(2), documentOf(3, "Pay [1]")]),
  );
  expect(answer).toMatchObject({
    answer: [
      "The selected folders contain 3 documents:",
      "- Part 1.md: Leave [1]; Working hours\n- Part 2.md\n- Part 3.md: Pay (1) [2]",
      "Ask about something in them.",
    ].join("\n\n"),
    outcome: "answered",
    grounded: false,
    related: [],
    warnings: [{ code: "overview" }],
  });
  expect(answer.citations).toMatchObject([
    { id: 1, document_id: "doc_1", document_version: 2, quote: "Leave", start: 0, end: 5 },
    { id: 2, document_id: "doc_3", quote: "Pay [1]", start: 0, end: 7 },
  ]);
});
test("of many documents only ten are listed and five cited", () => {
  const ten = Array.from({ length: 10 }, (_, n) => documentOf(n, "A", "B"));
  const { answer, citations } = overviewAnswer("greeting", overview(ten, 42));
  expect(answer).toStartWith("Hello!");
  expect(answer).toContain("contain 42 documents:");
  expect(answer).toContain("- Part 9.md: A; B\n- and 32 more\n");
  expect(citations.length).toBe(5);
  const { answer: at_least } = overviewAnswer("overview", overview(ten, 1_000, false));
  expect(at_least).toContain("contain more than 1000 documents:");
  expect(at_least).toContain("- and more than 990 more\n");
});
test.each(["greeting", "overview"] as const)("a %s in empty folders asks for documents", (kind) => {
  const { answer, outcome, grounded, citations } = overviewAnswer(kind, overview([]));
  expect([outcome, grounded, citations]).toEqual(["no_answer", false, []]);
  expect(answer).toContain("Add documents");
});
test("a single document is counted in the singular", () => {
  expect(overviewAnswer("overview", overview([documentOf(1)])).answer).toContain("1 document:");
});

const heading = (level: number, start: number, length = 5) => ({
  level,
  start,
  end: start + length,
});
const main: [why: string, headings: ReturnType<typeof heading>[], starts: number[]][] = [
  ["the top level", [heading(2, 0), heading(3, 10), heading(2, 20)], [0, 20]],
  ["below the title", [heading(1, 0), heading(2, 10), heading(3, 20), heading(2, 30)], [10, 30]],
  ["only the title", [heading(1, 0)], [0]],
  ["none", [], []],
  ["not an overlong one", [heading(1, 0, 300), heading(2, 400)], [400]],
];
test.each(main)("main headings: %s", (_why, headings, starts) =>
  expect(mainHeadings(headings).map(({ start }) => start)).toEqual(starts),
);
