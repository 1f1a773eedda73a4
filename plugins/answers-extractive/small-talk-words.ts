/**
 * Words of greetings, and of questions such as "What is in here?", one row per language. Accents
 * and apostrophes are ignored.
 */

/** Words separated by spaces; `_` stands for a space within one. */
export interface Vocabulary {
  readonly greeting: string;
  /** What, which, show … */
  readonly asks: string;
  /** Here, this folder, the documents … */
  readonly things: string;
  /** Words that are a question on their own: an overview, a summary. */
  readonly both: string;
  /** Words between them. Without `a`: "What is a folder?" asks for something else. */
  readonly others: string;
}
const row = (
  greeting: string,
  asks: string,
  things: string,
  both: string,
  others: string,
): Vocabulary => ({ greeting, asks, things, both, others });

/** The vocabularies by language. */
export const languages: readonly Vocabulary[] = [
  // English
  row(
    "hello hi hey hiya howdy greetings there everyone good_morning good_afternoon " +
      "good_evening good_day thanks thank_you very_much a_lot many_thanks thx bye goodbye " +
      "see_you cheers ok okay how_are_you how_are_you_doing how_do_you_do how_is_it_going " +
      "hows_it_going whats_up nice_to_meet_you today help help_me who_are_you what_are_you " +
      "what_can_you_do",
    "what whats which list show tell",
    "here this these folder folders document documents file files collection library content " +
      "contents texts sources uploads",
    "an_overview overview a_summary summary summarize summarise what_can_i_ask",
    "is are in inside of the do does you have me i can could ask about kind kinds sort " +
      "topics subjects there it stored available uploaded contained contain say all my your " +
      "give please find cover know hold holds names titles",
  ),
  // German
  row(
    "hallo moin servus guten_morgen guten_tag guten_abend grüß_gott grüezi danke schön sehr " +
      "vielen_dank dankeschön tschüss auf_wiedersehen bis_bald wie_geht_es_dir " +
      "wie_geht_es_ihnen wie_gehts wer_bist_du was_kannst_du hilfe",
    "was welche welcher welches zeig zeige liste nenne worum wovon fasse",
    "hier darin drin hierin dies diese diesen diesem dieser ordner ordnern dokument " +
      "dokumente dokumenten datei dateien unterlagen inhalt inhalte sammlung texte texten",
    "überblick einen_überblick übersicht eine_übersicht zusammenfassung eine_zusammenfassung " +
      "was_kann_ich_fragen was_kann_ich_dich_fragen was_kann_ich_sie_fragen",
    "ist sind steht stehen in im den der die das dem es gibt gib hast du haben sie wir ich " +
      "kannst können kann finde finden mir bitte alles alle auf über um für geht handelt " +
      "handeln sich von enthält enthalten befindet befinden liegt liegen gespeichert verfügbar " +
      "vorhanden denn eigentlich fragen dich namen themen zusammen",
  ),
  // French
  row(
    "bonjour salut bonsoir coucou merci beaucoup ça_va comment_ça_va comment_allez-vous " +
      "comment_vas-tu au_revoir bonne_journée qui_es-tu aide",
    "que quoi quel quels quelle quelles qu'est-ce_que qu'est-ce_qu'il qu'y liste montre " +
      "montrez",
    "ici ce cet ces cette dossier dossiers document documents fichier fichiers contenu dedans",
    "résumé un_résumé résume aperçu un_aperçu vue_d'ensemble sommaire que_puis-je_demander " +
      "que_puis-je_vous_demander que_puis-je_te_demander",
    "il y a t-il dans le la les là des de du sont est se trouve trouvent contient " +
      "contiennent tu vous as avez moi donne peux puis je demander sur parle parlent tous mes " +
      "s'il te plaît traite traitent disponibles c'est trouver",
  ),
  // Spanish
  row(
    "hola buenos_días buenas_tardes buenas_noches buenas gracias muchas qué_tal cómo_estás " +
      "cómo_está_usted adiós hasta_luego quién_eres ayuda",
    "qué cuáles cuál lista muestra muéstrame dime",
    "aquí este estos esta estas esto carpeta carpetas documento documentos archivo archivos " +
      "fichero ficheros contenido contenidos",
    "resumen un_resumen resume qué_puedo_preguntar qué_puedo_preguntarte",
    "hay en la el los las de del son es tienes tiene tienen contiene contienen puedo " +
      "preguntar preguntarte sobre se encuentra encuentran guardado disponibles todos tratan " +
      "trata me por favor hablan dentro dame encontrar",
  ),
  // Portuguese
  row(
    "olá oi bom_dia boa_tarde boa_noite obrigado obrigada muito tudo_bem como_vai tchau " +
      "quem_é_você ajuda",
    "que quais qual liste mostre mostra diga",
    "aqui este estes esta estas isto isso neste nesta nestes pasta pastas documento " +
      "documentos arquivo arquivos ficheiro ficheiros conteúdo",
    "resumo um_resumo resuma visão_geral que_posso_perguntar",
    "há tem existe existem em na no nas nos a o as os de da do das dos são é contém posso " +
      "perguntar sobre se encontra você tens por favor me todos disponíveis tratam trata falam " +
      "dê dá encontrar",
  ),
  // Italian
  row(
    "ciao buongiorno buonasera salve grazie mille come_stai come_va arrivederci chi_sei aiuto",
    "che cosa cos'è quali quale elenca mostra mostrami dimmi",
    "qui qua questo questa questi queste cartella cartelle documento documenti file contenuto",
    "riassunto un_riassunto riassumi panoramica una_panoramica cosa_posso_chiedere " +
      "cosa_posso_chiederti",
    "c'è ci sono è in nella nelle nel dei di del della delle il la i le gli contiene " +
      "contengono hai posso chiedere chiederti su trova trovano dentro mi per favore tutti " +
      "disponibili parlano parla tratta trattano dammi trovare",
  ),
  // Dutch
  row(
    "hoi dag goedemorgen goedemiddag goedenavond bedankt dank_je dank_u hoe_gaat_het " +
      "tot_ziens dank_je_wel dank_u_wel",
    "wat welke toon lijst waarover waar_gaan waar_gaat laat",
    "hier hierin dit deze map mappen document documenten bestand bestanden inhoud",
    "overzicht een_overzicht samenvatting een_samenvatting wat_kan_ik_vragen",
    "is zijn staat staan zit zitten er in de het van je heb hebt kan ik vragen over gaan " +
      "gaat alle mij me geef bevat bevatten vinden zien",
  ),
  // Polish
  row(
    "cześć dzień_dobry dobry_wieczór dziękuję dzięki jak_się_masz co_słychać do_widzenia " +
      "pomoc bardzo",
    "co jakie które jaki jaka pokaż wymień wypisz czym",
    "tu tutaj ten te to tym tych folder folderze folderu dokument dokumenty dokumentach plik " +
      "pliki plikach zawartość",
    "podsumowanie przegląd streszczenie podsumuj co_mogę_zapytać",
    "jest są w się znajduje znajdują zawiera zawierają masz mam o czym można mogę zapytać " +
      "mówią wszystkie mi proszę daj znaleźć",
  ),
  // Swedish, Danish, Norwegian
  row(
    "hej hei hallå god_morgon god_morgen god_dag tack takk tak mange hvordan_går_det " +
      "hur_mår_du så_mycket tusen_takk",
    "vad hva hvad vilka vilket hvilke hvilken visa vis lista",
    "här her denna denne dessa detta dette disse mapp mappen mappe dokument dokumenten " +
      "dokumenter dokumenterne filer filerna filerne innehåll innhold indhold",
    "översikt oversikt oversigt sammanfattning sammendrag overblik et_overblik oversigten " +
      "en_oversigt en_sammanfattning et_sammendrag vad_kan_jag_fråga hvad_kan_jeg_spørge " +
      "hva_kan_jeg_spørre",
    "finns står är er i den det de du jag jeg kan spørge spørre fråga om alla alle der som " +
      "handlar handler ge giv gi mig meg innehåller indeholder inneholder hitta finde finne",
  ),
  // Czech
  row(
    "ahoj dobrý_den děkuji díky jak_se_máš na_shledanou moc",
    "co jaké jaký které ukaž vypiš čem",
    "tady zde tento tyto tato složka složce složky dokument dokumenty soubor soubory obsah " +
      "tu této těchto",
    "přehled shrnutí shrň na_co_se_můžu_zeptat na_co_se_mohu_zeptat",
    "je jsou v se nachází obsahuje máš mám o čem můžu zeptat všechny mi prosím dej najdu " +
      "najít",
  ),
  // Romanian
  row(
    "bună bună_ziua mulțumesc ce_mai_faci la_revedere mult",
    "ce care arată listează",
    "aici acest acesta aceste aceasta dosar dosarul document documente documentele fișiere " +
      "fișierele conținut conținutul",
    "rezumat un_rezumat ce_pot_întreba",
    "este sunt e în se află conține ai pot întreba despre toate dă mi găsi",
  ),
  // Turkish
  row(
    "merhaba selam günaydın iyi_günler iyi_akşamlar teşekkürler teşekkür_ederim sağ_ol " +
      "nasılsın nasılsınız görüşürüz çok",
    "ne neler nedir hangi göster listele neler_bulabilirim ne_bulabilirim",
    "burada bu bunlar klasör klasörde klasörün dosya dosyalar dosyada dosyalarda belge " +
      "belgeler belgelerde doküman dokümanlar içerik içinde dosyaları belgeleri dokümanları " +
      "klasörü",
    "özet özetle genel_bakış ne_sorabilirim neler_sorabilirim bir_özet",
    "var vardır hakkında sorabilirim bana tüm mevcut yazıyor bulunuyor sana ver içeriyor",
  ),
  // Russian
  row(
    "привет здравствуйте здравствуй добрый_день доброе_утро добрый_вечер спасибо большое " +
      "как_дела до_свидания кто_ты помощь",
    "что какие какой какая чём покажи перечисли",
    "здесь тут этот эта это эти этих этой папка папке папки папках документ документы " +
      "документах документов файл файлы файлов файлах содержимое",
    "обзор резюме чём_я_могу_спросить чём_можно_спросить что_я_могу_спросить " +
      "что_можно_спросить краткое_содержание",
    "есть в за о об находится находятся лежит содержит содержится содержат у тебя вас можно " +
      "я могу спросить мне пожалуйста все говорится говорят идёт речь хранится дай найти",
  ),
  // Ukrainian
  row(
    "привіт добрий_день вітаю дякую як_справи до_побачення дуже",
    "що які який яка покажи",
    "тут ця цей це ці цих цій папка папці документ документи документів файл файли файлів " +
      "вміст",
    "огляд підсумок що_я_можу_запитати що_можна_запитати",
    "є в у за про знаходиться містить міститься тебе вас можна запитати мені усі дай всі " +
      "знайти",
  ),
  // Greek
  row(
    "γεια γεια_σου γεια_σας καλημέρα καλησπέρα ευχαριστώ τι_κάνεις πώς_είσαι αντίο πολύ",
    "τι ποια ποιο ποιες δείξε δείξτε",
    "εδώ αυτός αυτά αυτό αυτόν αυτή φάκελος φάκελο φακέλου έγγραφο έγγραφα αρχείο αρχεία " +
      "περιεχόμενο περιεχόμενα",
    "περίληψη σύνοψη επισκόπηση μια_περίληψη μια_σύνοψη τι_μπορώ_να_ρωτήσω " +
      "περί_τίνος_πρόκειται",
    "είναι υπάρχει υπάρχουν έχει έχεις περιέχει περιέχουν σε στον στο μέσα τα το ο η οι του " +
      "των μπορώ να ρωτήσω για όλα γράφει μου τον μιλάνε μιλούν δώσε δώστε βρω",
  ),
  // Arabic
  row(
    "مرحبا السلام_عليكم أهلا وسهلا صباح_الخير مساء_الخير شكرا جزيلا كيف_حالك مع_السلامة",
    "ما ماذا أي اعرض اذكر",
    "هنا هذا هذه المجلد المجلدات المستند المستندات الوثائق الملف الملفات المحتوى محتويات " +
      "محتوى",
    "ملخص نظرة_عامة لخص ملخصا ماذا_يمكنني_أن_أسأل",
    "هو هي في يوجد توجد الموجود الموجودة لديك يمكنني أن أسأل عن تتحدث يحتوي تحتوي عليه كل " +
      "أعطني لي جميع أجد",
  ),
  // Persian
  row(
    "سلام درود ممنون متشکرم مرسی چطوری صبح_بخیر خداحافظ خیلی_ممنون",
    "چه چی چیست کدام نشان",
    "اینجا این پوشه سند اسناد فایل محتوا اسنادی",
    "خلاصه یک_خلاصه چه_می_توانم_بپرسم",
    "در هست هستند است وجود دارد دارند ها های درباره می توانم بپرسم همه چیزی چیزهایی بده را " +
      "شامل",
  ),
  // Hebrew
  row(
    "שלום היי תודה רבה בוקר_טוב ערב_טוב מה_שלומך מה_נשמע להתראות",
    "מה אילו איזה הצג",
    "כאן פה זה אלה אלו התיקייה בתיקייה תיקייה המסמכים מסמכים הקבצים קבצים התוכן",
    "סיכום תקציר סקירה מה_אפשר_לשאול מה_אני_יכול_לשאול מה_אני_יכולה_לשאול",
    "יש של הם אפשר לשאול על כל הזאת הזו האלה תן תני לי את מכילה מכיל למצוא",
  ),
  // Hindi
  row(
    "नमस्ते नमस्कार धन्यवाद शुक्रिया आप_कैसे_हैं कैसे_हो सुप्रभात बहुत",
    "क्या कौन कौनसे दिखाओ दिखाएँ बताओ किस दिखाइए दो दें दीजिए",
    "यहाँ यहां यह ये इस इन इसमें फ़ोल्डर दस्तावेज़ दस्तावेज़ों फ़ाइल फ़ाइलें फ़ाइलों सामग्री",
    "सारांश अवलोकन क्या_पूछ_सकता क्या_पूछ_सकती क्या_पूछ_सकते",
    "है हैं में के बारे का की से सा सी पूछ सकता सकती सकते हूँ मैं सब सभी मुझे लिखा आपसे कृपया",
  ),
  // Bengali
  row(
    "নমস্কার হ্যালো ধন্যবাদ কেমন_আছেন কেমন_আছো আসসালামু_আলাইকুম অনেক",
    "কী কি কোন দেখাও",
    "এখানে এই এগুলো এগুলি ফোল্ডার ফোল্ডারে নথি ফাইল নথিগুলো নথিগুলি ফাইলগুলো ফাইলগুলি",
    "সারাংশ কী_জিজ্ঞাসা_করতে_পারি কি_জিজ্ঞাসা_করতে_পারি",
    "আছে সম্পর্কে কোন আমি সব দাও দিন",
  ),
  // Indonesian, Malay
  row(
    "halo hai selamat_pagi selamat_siang selamat_sore selamat_malam terima_kasih makasih " +
      "apa_kabar banyak",
    "apa apakah mana tampilkan sebutkan tunjukkan",
    "sini ini folder dokumen berkas file isi isinya",
    "ringkasan ikhtisar rangkum apa_yang_bisa_saya_tanyakan apa_yang_dapat_saya_tanyakan",
    "di dalam yang ada saja adalah tentang bisa saya tanyakan semua tersedia beri berikan " +
      "temukan",
  ),
  // Vietnamese
  row(
    "xin_chào chào chào_bạn cảm_ơn cảm_ơn_bạn bạn_khỏe_không tạm_biệt nhiều",
    "gì nào liệt_kê hiển_thị xem",
    "đây này thư_mục tài_liệu tệp nội_dung văn_bản",
    "tóm_tắt tổng_quan hỏi_gì hỏi_những_gì hỏi_bạn_gì hỏi_bạn_những_gì một_bản_tóm_tắt",
    "có ở trong là các những tôi thể hỏi về tất_cả cái được lưu bạn chứa nói giúp cho tìm " +
      "thấy",
  ),
  // Thai
  row(
    "สวัสดี ขอบคุณ สบายดีไหม ครับ ค่ะ คะ มาก",
    "อะไร ไหน แสดง",
    "ที่นี่ นี้ เหล่านี้ โฟลเดอร์ เอกสาร ไฟล์ เนื้อหา ข้างใน",
    "สรุป ภาพรวม ถามอะไรได้ ถามอะไรได้บ้าง",
    "มี ใน อยู่ บ้าง คือ เป็น เกี่ยวกับ ฉัน ผม ถาม ได้ ครับ ค่ะ คะ ทั้งหมด ขอ หน่อย",
  ),
  // Chinese
  row(
    "你好 您好 大家好 早上好 下午好 晚上好 谢谢 謝謝 多谢 你好吗 你好嗎 再见 再見 嗨 感谢 感謝 非常感谢 非常感謝",
    "什么 什麼 哪些 列出 显示 顯示 看看",
    "这里 這裡 這裏 这儿 这个 這個 这些 這些 文件夹 文件夾 資料夾 文件 文档 文檔 資料 资料 内容 內容 里面 裡面 这里面 這裡面",
    "概述 总结 總結 摘要 概览 可以问什么 可以问你什么 能问什么 能问你什么 可以問什麼 可以問你什麼 能問什麼 能問你什麼",
    "有 是 的 里 裡 在 都 我 能 可以 问 問 关于 關於 讲 說 说 了 请 請 所有 呢 吗 嗎 你 包含 写 寫 些 给 給 一下 一个 一個 找到",
  ),
  // Japanese
  row(
    "こんにちは こんばんは おはよう ございます ありがとう どうも はじめまして お元気ですか さようなら",
    "何 なに なん どんな どの どれ 教えて 見せて 一覧",
    "ここ これ これら この フォルダ フォルダー 文書 ファイル ドキュメント 資料 書類 内容 中身 中",
    "概要 要約 まとめ 中身は 何を聞けますか 何が聞けますか 何を質問できますか",
    "に は が の を で も ある あり ます です か 入って いる い って 書かれて 書いて について 聞け すべて 全部 ください して 表示 見つかります",
  ),
  // Korean
  row(
    "안녕 안녕하세요 안녕하십니까 감사합니다 고마워 고맙습니다 잘_지내요 반갑습니다 정말 대단히",
    "무엇 뭐 무슨 어떤 보여 알려 목록",
    "여기 이것 이 폴더 문서 파일 자료 내용 안 여기서",
    "요약 개요 무엇을_물어볼_수_있나요 뭘_물어볼_수_있어요 무엇을_질문할_수_있나요 요약해",
    "에 에는 가 은 는 을 를 의 들 들어 있어 있어요 있나요 있습니까 있는 인가요 입니까 대해 줘 주세요 모든 들은 들이 대한 것 수 찾을",
  ),
];
