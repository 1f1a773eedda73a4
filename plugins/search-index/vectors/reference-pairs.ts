/**
 * Questions and their answers on different subjects, in many languages and scripts, used to
 * interpret the cosines of a model (`calibration.ts`). Any change must raise the version, so that
 * sets of vectors are calibrated again.
 */
export const reference_version = 2;
/** Each question is answered by its passage and by no other. */
export const reference_pairs: readonly {
  readonly question: string;
  readonly passage: string;
}[] = [
  {
    question: "How often should the air filter be replaced?",
    passage:
      "The air filter keeps dust out of the engine. Replace it every twelve months, or sooner " +
      "when the car is driven on dry roads.",
  },
  {
    question: "Wann hat die Bibliothek am Samstag geöffnet?",
    passage:
      "Die Bibliothek ist montags bis freitags von neun bis achtzehn Uhr geöffnet, am Samstag " +
      "nur bis dreizehn Uhr. Sonntags bleibt sie geschlossen.",
  },
  {
    question: "Quelle est la hauteur de la tour ?",
    passage:
      "La tour fut achevée au quinzième siècle. Haute de soixante-deux mètres, elle domine " +
      "encore la vieille ville et son marché.",
  },
  {
    question: "¿Cuánto tiempo hay que hornear el pan?",
    passage:
      "Se amasa la harina con agua, sal y levadura, se deja reposar dos horas y se hornea el " +
      "pan durante cuarenta minutos.",
  },
  {
    question: "Quem escreveu o romance?",
    passage:
      "O romance foi escrito por uma jovem professora e publicado em folhetins antes de sair " +
      "em livro, dez anos mais tarde.",
  },
  {
    question: "Quanto costa un biglietto per il traghetto?",
    passage:
      "Il traghetto per l'isola parte ogni ora. Un biglietto di sola andata costa otto euro, i " +
      "bambini viaggiano gratis.",
  },
  {
    question: "Какая река самая длинная в этой стране?",
    passage:
      "Через страну протекают три большие реки. Самая длинная из них берёт начало в горах и " +
      "впадает в северное море.",
  },
  {
    question: "ما هي أعراض المرض؟",
    passage: "يبدأ المرض عادة بحمى وصداع شديد، ثم يظهر طفح جلدي على الذراعين بعد يومين أو ثلاثة.",
  },
  {
    question: "किसान धान कब बोते हैं?",
    passage: "बारिश शुरू होते ही किसान खेतों में धान बोते हैं और लगभग चार महीने बाद फसल काटते हैं।",
  },
  {
    question: "公司的年假有多少天?",
    passage: "员工每年享有十五天带薪年假，未使用的假期可以延至次年三月底。",
  },
  {
    question: "この鳥は冬をどこで過ごしますか。",
    passage: "この鳥は夏に北の湿地で巣を作り、秋になると南の島々へ渡って冬を過ごす。",
  },
  {
    question: "비밀번호를 어떻게 바꿉니까?",
    passage:
      "설정에서 계정을 연 다음 비밀번호 바꾸기를 누르고, 새 비밀번호를 두 번 입력하면 됩니다.",
  },
  {
    question: "Takımın yeni teknik direktörü kim oldu?",
    passage:
      "Takım, üst üste beş maç kaybettikten sonra eski kaptanını yeni teknik direktör olarak " +
      "göreve getirdi.",
  },
  {
    question: "เมืองหลวงถูกย้ายในปีใด",
    passage: "หลังสงคราม เมืองหลวงถูกย้ายไปทางใต้ของแม่น้ำ และพระราชวังใหม่สร้างเสร็จในหกปีต่อมา",
  },
  {
    question: "Nước sôi ở nhiệt độ bao nhiêu trên núi cao?",
    passage:
      "Trên núi cao, áp suất không khí thấp hơn nên nước sôi ở nhiệt độ thấp hơn, khoảng chín " +
      "mươi độ.",
  },
  {
    question: "Ποιος νόμος προστατεύει τους ενοικιαστές;",
    passage:
      "Ο νόμος του περασμένου έτους προστατεύει τους ενοικιαστές: το ενοίκιο δεν μπορεί να " +
      "αυξηθεί πριν λήξει το συμβόλαιο.",
  },
];
