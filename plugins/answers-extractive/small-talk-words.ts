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

export const languages: readonly Vocabulary[] = [
  // English
  row(
    "hello hi hey hiya howdy greetings there everyone good_morning good_afternoon good_evening " +
      "good_day thanks thank_you very_much a_lot many_thanks thx bye goodbye see_you cheers ok " +
      "okay how_are_you how_are_you_doing how_do_you_do how_is_it_going hows_it_going whats_up " +
      "nice_to_meet_you today help help_me who_are_you what_are_you what_can_you_do",
    "what whats which list show tell",
    "here this these folder folders document documents file files collection library content " +
      "contents texts sources uploads",
    "an_overview overview a_summary summary summarize summarise what_can_i_ask",
    "is are in inside of the do does you have me i can could ask about kind kinds sort topics " +
      "subjects there it stored available uploaded contained contain say all my your give please " +
      "find cover know hold holds names titles",
  ),
  // German
  row(
    "hallo moin servus guten_morgen guten_tag guten_abend grüß_gott grüezi danke schön sehr " +
      "vielen_dank dankeschön tschüss auf_wiedersehen bis_bald wie_geht_es_dir wie_geht_es_ihnen " +
      "wie_gehts wer_bist_du was_kannst_du hilfe",
    "was welche welcher welches zeig zeige liste nenne worum wovon fasse",
    "hier darin drin hierin dies diese diesen diesem dieser ordner ordnern dokument dokumente " +
      "dokumenten datei dateien unterlagen inhalt inhalte sammlung texte texten",
    "überblick einen_überblick übersicht eine_übersicht zusammenfassung eine_zusammenfassung " +
      "was_kann_ich_fragen",
    "ist sind steht stehen in im den der die das dem es gibt gib hast du haben sie wir ich " +
      "kannst können kann finde finden mir bitte alles alle auf über um für geht handelt " +
      "handeln sich von enthält enthalten befindet befinden liegt liegen gespeichert verfügbar " +
      "vorhanden denn " +
      "eigentlich fragen dich namen themen zusammen",
  ),
  // French
  row(
    "bonjour salut bonsoir coucou merci beaucoup ça_va comment_ça_va comment_allez-vous " +
      "comment_vas-tu au_revoir bonne_journée qui_es-tu aide",
    "que quoi quel quels quelle quelles qu'est-ce_que qu'est-ce_qu'il qu'y liste montre montrez",
    "ici ce cet ces cette dossier dossiers document documents fichier fichiers contenu dedans",
    "résumé un_résumé résume aperçu un_aperçu vue_d'ensemble sommaire",
    "il y a t-il dans le la les là des de du sont est se trouve trouvent contient contiennent tu " +
      "vous as avez moi donne peux puis je demander sur parle parlent tous mes s'il te plaît " +
      "traite traitent disponibles c'est",
  ),
  // Spanish
  row(
    "hola buenos_días buenas_tardes buenas_noches buenas gracias muchas qué_tal cómo_estás " +
      "cómo_está_usted adiós hasta_luego quién_eres ayuda",
    "qué cuáles cuál lista muestra muéstrame dime",
    "aquí este estos esta estas esto carpeta carpetas documento documentos archivo archivos " +
      "fichero ficheros contenido contenidos",
    "resumen un_resumen resume",
    "hay en la el los las de del son es tienes tiene tienen contiene contienen puedo preguntar " +
      "preguntarte sobre se encuentra encuentran guardado disponibles todos tratan trata me por " +
      "favor hablan dentro",
  ),
  // Portuguese
  row(
    "olá oi bom_dia boa_tarde boa_noite obrigado obrigada muito tudo_bem como_vai tchau " +
      "quem_é_você ajuda",
    "que quais qual liste mostre mostra diga",
    "aqui este estes esta estas isto isso neste nesta nestes pasta pastas documento documentos " +
      "arquivo arquivos ficheiro ficheiros conteúdo",
    "resumo um_resumo resuma visão_geral",
    "há tem existe existem em na no nas nos a o as os de da do das dos são é contém posso " +
      "perguntar sobre se encontra você tens por favor me todos disponíveis tratam trata falam",
  ),
  // Italian
  row(
    "ciao buongiorno buonasera salve grazie mille come_stai come_va arrivederci chi_sei aiuto",
    "che cosa cos'è quali quale elenca mostra mostrami dimmi",
    "qui qua questo questa questi queste cartella cartelle documento documenti file contenuto",
    "riassunto un_riassunto riassumi panoramica una_panoramica",
    "c'è ci sono è in nella nelle nel dei di del della delle il la i le gli contiene contengono " +
      "hai posso chiedere chiederti su trova trovano dentro mi per favore tutti disponibili " +
      "parlano parla tratta trattano",
  ),
  // Dutch
  row(
    "hoi dag goedemorgen goedemiddag goedenavond bedankt dank_je dank_u hoe_gaat_het tot_ziens",
    "wat welke toon lijst",
    "hier hierin dit deze map mappen document documenten bestand bestanden inhoud",
    "overzicht een_overzicht samenvatting een_samenvatting",
    "is zijn staat staan zit zitten er in de het van je heb hebt kan ik vragen over gaan gaat " +
      "alle mij me geef",
  ),
  // Polish
  row(
    "cześć dzień_dobry dobry_wieczór dziękuję dzięki jak_się_masz co_słychać do_widzenia pomoc",
    "co jakie które jaki jaka pokaż wymień wypisz",
    "tu tutaj ten te to tym tych folder folderze folderu dokument dokumenty dokumentach plik " +
      "pliki plikach zawartość",
    "podsumowanie przegląd streszczenie podsumuj",
    "jest są w się znajduje znajdują zawiera zawierają masz mam o czym można mogę zapytać mówią " +
      "wszystkie mi proszę",
  ),
  // Swedish, Danish, Norwegian
  row(
    "hej hei hallå god_morgon god_morgen god_dag tack takk tak mange hvordan_går_det hur_mår_du",
    "vad hva hvad vilka vilket hvilke hvilken visa vis lista",
    "här her denna dessa detta dette disse mapp mappen mappe dokument dokumenten dokumenter " +
      "dokumenterne filer filerna filerne innehåll innhold indhold",
    "översikt oversikt oversigt sammanfattning sammendrag",
    "finns står är er i den det de du jag jeg kan spørge spørre fråga om alla alle der som " +
      "handlar handler",
  ),
  // Czech
  row(
    "ahoj dobrý_den děkuji díky jak_se_máš na_shledanou",
    "co jaké jaký které ukaž vypiš",
    "tady zde tento tyto tato složka složce složky dokument dokumenty soubor soubory obsah",
    "přehled shrnutí shrň",
    "je jsou v se nachází obsahuje máš mám o čem můžu zeptat všechny mi prosím",
  ),
  // Romanian
  row(
    "bună bună_ziua mulțumesc ce_mai_faci la_revedere",
    "ce care arată listează",
    "aici acest acesta aceste aceasta dosar dosarul document documente documentele fișiere " +
      "fișierele conținut conținutul",
    "rezumat un_rezumat",
    "este sunt e în se află conține ai pot întreba despre toate",
  ),
  // Turkish
  row(
    "merhaba selam günaydın iyi_günler iyi_akşamlar teşekkürler teşekkür_ederim sağ_ol nasılsın " +
      "nasılsınız görüşürüz",
    "ne neler nedir hangi göster listele",
    "burada bu bunlar klasör klasörde klasörün dosya dosyalar dosyada dosyalarda belge belgeler " +
      "belgelerde doküman dokümanlar içerik içinde",
    "özet özetle genel_bakış",
    "var vardır hakkında sorabilirim bana tüm mevcut yazıyor bulunuyor",
  ),
  // Russian
  row(
    "привет здравствуйте здравствуй добрый_день доброе_утро добрый_вечер спасибо большое " +
      "как_дела до_свидания кто_ты помощь",
    "что какие какой какая чём покажи перечисли",
    "здесь тут этот эта это эти этих этой папка папке папки папках документ документы документах " +
      "документов файл файлы файлов файлах содержимое",
    "обзор резюме",
    "есть в за о об находится находятся лежит содержит содержится содержат у тебя вас можно я " +
      "могу спросить мне пожалуйста все говорится говорят идёт речь хранится",
  ),
  // Ukrainian
  row(
    "привіт добрий_день вітаю дякую як_справи до_побачення",
    "що які який яка покажи",
    "тут ця цей це ці цих цій папка папці документ документи документів файл файли файлів вміст",
    "огляд підсумок",
    "є в у за про знаходиться містить міститься тебе вас можна запитати мені усі",
  ),
  // Greek
  row(
    "γεια γεια_σου γεια_σας καλημέρα καλησπέρα ευχαριστώ τι_κάνεις πώς_είσαι αντίο",
    "τι ποια ποιο ποιες δείξε",
    "εδώ αυτός αυτά αυτό αυτόν αυτή φάκελος φάκελο φακέλου έγγραφο έγγραφα αρχείο αρχεία " +
      "περιεχόμενο περιεχόμενα",
    "περίληψη σύνοψη επισκόπηση",
    "είναι υπάρχει υπάρχουν έχει έχεις περιέχει περιέχουν σε στον στο μέσα τα το ο η οι του των " +
      "μπορώ να ρωτήσω για όλα γράφει μου",
  ),
  // Arabic
  row(
    "مرحبا السلام_عليكم أهلا وسهلا صباح_الخير مساء_الخير شكرا جزيلا كيف_حالك مع_السلامة",
    "ما ماذا أي اعرض اذكر",
    "هنا هذا هذه المجلد المجلدات المستند المستندات الوثائق الملف الملفات المحتوى محتويات محتوى",
    "ملخص نظرة_عامة لخص",
    "هو هي في يوجد توجد الموجود الموجودة لديك يمكنني أن أسأل عن تتحدث يحتوي تحتوي عليه كل",
  ),
  // Persian
  row(
    "سلام درود ممنون متشکرم مرسی چطوری صبح_بخیر خداحافظ",
    "چه چی چیست کدام",
    "اینجا این پوشه سند اسناد فایل محتوا",
    "خلاصه",
    "در هست هستند است وجود دارد دارند ها های درباره می توانم بپرسم همه چیزی چیزهایی",
  ),
  // Hebrew
  row(
    "שלום היי תודה רבה בוקר_טוב ערב_טוב מה_שלומך מה_נשמע להתראות",
    "מה אילו איזה הצג",
    "כאן פה זה אלה אלו התיקייה בתיקייה תיקייה המסמכים מסמכים הקבצים קבצים התוכן",
    "סיכום תקציר סקירה",
    "יש של הם אפשר לשאול על כל הזאת הזו האלה",
  ),
  // Hindi
  row(
    "नमस्ते नमस्कार धन्यवाद शुक्रिया आप_कैसे_हैं कैसे_हो सुप्रभात",
    "क्या कौन कौनसे दिखाओ दिखाएँ बताओ",
    "यहाँ यहां यह ये इस इन इसमें फ़ोल्डर दस्तावेज़ दस्तावेज़ों फ़ाइल फ़ाइलें फ़ाइलों सामग्री",
    "सारांश अवलोकन",
    "है हैं में के बारे का की से सा सी पूछ सकता सकती सकते हूँ मैं सब सभी मुझे लिखा",
  ),
  // Bengali
  row(
    "নমস্কার হ্যালো ধন্যবাদ কেমন_আছেন কেমন_আছো আসসালামু_আলাইকুম",
    "কী কি কোন দেখাও",
    "এখানে এই এগুলো এগুলি ফোল্ডার ফোল্ডারে নথি ফাইল",
    "সারাংশ",
    "আছে সম্পর্কে কোন আমি সব",
  ),
  // Indonesian, Malay
  row(
    "halo hai selamat_pagi selamat_siang selamat_sore selamat_malam terima_kasih makasih " +
      "apa_kabar",
    "apa apakah mana tampilkan sebutkan",
    "sini ini folder dokumen berkas file isi isinya",
    "ringkasan ikhtisar rangkum",
    "di dalam yang ada saja adalah tentang bisa saya tanyakan semua tersedia",
  ),
  // Vietnamese
  row(
    "xin_chào chào chào_bạn cảm_ơn cảm_ơn_bạn bạn_khỏe_không tạm_biệt",
    "gì nào liệt_kê hiển_thị",
    "đây này thư_mục tài_liệu tệp nội_dung văn_bản",
    "tóm_tắt tổng_quan",
    "có ở trong là các những tôi thể hỏi về tất_cả cái được lưu",
  ),
  // Thai
  row(
    "สวัสดี ขอบคุณ สบายดีไหม ครับ ค่ะ คะ",
    "อะไร ไหน แสดง",
    "ที่นี่ นี้ เหล่านี้ โฟลเดอร์ เอกสาร ไฟล์ เนื้อหา ข้างใน",
    "สรุป ภาพรวม",
    "มี ใน อยู่ บ้าง คือ เป็น เกี่ยวกับ ฉัน ผม ถาม ได้ ครับ ค่ะ คะ ทั้งหมด",
  ),
  // Chinese
  row(
    "你好 您好 大家好 早上好 下午好 晚上好 谢谢 謝謝 多谢 你好吗 你好嗎 再见 再見 嗨",
    "什么 什麼 哪些 列出 显示 顯示",
    "这里 這裡 這裏 这儿 这个 這個 这些 這些 文件夹 文件夾 資料夾 文件 文档 文檔 資料 资料 " +
      "内容 內容 里面 裡面",
    "概述 总结 總結 摘要 概览",
    "有 是 的 里 裡 在 都 我 能 可以 问 問 关于 關於 讲 說 说 了 请 請 所有 呢 吗 嗎 你 包含 写 寫",
  ),
  // Japanese
  row(
    "こんにちは こんばんは おはよう ございます ありがとう どうも はじめまして お元気ですか さようなら",
    "何 なに なん どんな どの どれ 教えて 見せて",
    "ここ これ これら この フォルダ フォルダー 文書 ファイル ドキュメント 資料 書類 内容 中身 中",
    "概要 要約 まとめ",
    "に は が の を で も ある あり ます です か 入って いる い って 書かれて 書いて について 聞け すべて 全部 " +
      "ください して",
  ),
  // Korean
  row(
    "안녕 안녕하세요 안녕하십니까 감사합니다 고마워 고맙습니다 잘_지내요 반갑습니다",
    "무엇 뭐 무슨 어떤 보여 알려",
    "여기 이것 이 폴더 문서 파일 자료 내용 안",
    "요약 개요",
    "에 에는 가 은 는 을 를 의 들 들어 있어 있어요 있나요 있습니까 있는 인가요 입니까 대해 줘 주세요 모든",
  ),
];
