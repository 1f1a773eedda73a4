/**
 * Stopwords by language (ISO 639-1): removed from queries, and used to detect the language of a
 * text.
 */
export const stopwords: Readonly<Record<string, string>> = {
  en:
    "a about above after again against all also am an and any are aren as at be because been " +
    "before being below between both but by can cannot could couldn did didn do does " +
    "doesn doing don down during each either else ever few for from further had hadn has hasn " +
    "have haven having he her here hers herself him himself his how however i if in " +
    "into is isn it its itself just let ll many me might more most much must my myself neither " +
    "no nor not " +
    "now of off on once only or other others ought our ours ourselves out over own " +
    "rather re s same shall she should shouldn since so some such t than that the their theirs " +
    "them themselves then there these they this those through thus to too under until " +
    "up upon ve very was wasn we were weren what whatever when where whether which while who " +
    "whom whose why will with within without won would wouldn yet you your yours " +
    "yourself yourselves",
  de:
    "aber alle als also am an auch auf aus bei beim bin bis da dabei damit dann das dass dem " +
    "den denn der deren des dessen die dies diese diesem diesen dieser dieses doch dort du " +
    "durch ein eine einem einen einer eines er es etwas für gegen gibt hat hatte hatten habe " +
    "haben hier ich ihm ihn ihr ihre ihrem ihren ihrer im in ins ist ja jede jeder jedes kann " +
    "kein keine können man mehr mit nach nicht noch nur ob oder ohne sehr sein seine seinem " +
    "seinen seiner seit sich sie sind so sowie über um und uns unter viel viele vom von vor " +
    "wann war waren warum was welche welchem welchen welcher welches wem wen wenn wer werden " +
    "wessen weshalb wie wieso wird wo wodurch wofür woher wohin womit wovon worden wozu wurde " +
    "wurden zu zum zur zwischen bevor bist daher darauf daraus darf darfst darin darüber davon " +
    "dazu dein deine deinem deinen deiner denen derselbe dich dir durfte durften dürfen euch " +
    "euer eure falls genau habt hast hätte ihnen indem jedem jeden jedoch jemand kannst konnte " +
    "könnte könnten manche mein meine meinem meinen meiner mich mir muss musst muß mußt musste " +
    "müssen müsste nein obwohl sei soll sollen sollte sollten solche sondern sonst tun tut " +
    "unser unsere unserem unseren unserer wäre wären weder weil will wir wirst wohl wollen " +
    "während würde würden zwar",
  fr:
    "a ai aient ait au aussi aux avait avec avoir c ce cela ces cet cette ceux combien comme " +
    "comment d dans de depuis des donc dont du elle elles en entre est et étaient était été " +
    "être eu fait furent fut il ils j je l la laquelle le lequel les lesquelles lesquels leur " +
    "leurs lors lui m mais me même mes mon n ne nos notre nous on ont ou où par pas pendant " +
    "plus pour pourquoi qu quand que quel quelle quelles quels qui quoi s sa sans se ses si son " +
    "sont sous sur ta te tes ton tous tout toute toutes très tu un une vos votre vous y afin " +
    "ainsi alors après aucun aucune avant celui celle celles certains chaque chez ci déjà " +
    "dès devrait dois doit doivent encore es étant êtes ete faire fais faut ici là lorsque ma " +
    "moi moins ni non nul parce peu peut peuvent peux puis puisque quelque quelques sera serait " +
    "seront soit suis tel telle toi vais veut vers voici voilà",
  es:
    "a al algo ante antes aunque bajo como cómo con cual cuál cuales cuáles cuando cuándo " +
    "cuanta cuánta cuantas cuántas cuanto cuánto cuantos cuántos de del desde donde dónde dos " +
    "durante e el él ella ellas ellos en entre era eran es esa ese eso esta está estaba están " +
    "este esto estos fue fueron ha había han hasta hay hizo la las le les lo los más me mi muy " +
    "ni no nos o otra otro para pero por porque qué que quien quién quienes quiénes se sea " +
    "según ser si sí sido sin sobre son su sus también tan tanto te tenía tiene tienen tipo " +
    "todo todos tras tu u un una uno unos usted y ya ahora algún alguna algunas algunos así aún " +
    "bien cada casi cuyo cuya debe deben debería debo dentro después dicho ello fuera hacer " +
    "haga hacen hacia incluso mis mía mío mientras mismo misma nada nuestra nuestro nunca " +
    "podría poder puede pueden puedo pues quiero siempre soy tengo tienes tus vez",
  it:
    "a ad ai al alla alle agli allo anche avere aveva c che chi ci come con cosa cui da dagli " +
    "dai dal dalla dalle d degli dei del della delle dello di dopo dove due e è ed era erano " +
    "essere fa fra fu furono gli ha hanno i il in io l la le lei lo loro lui ma mi nei negli " +
    "nel nella nelle nello noi non nostro o ogni per perché più prima qual quale quali quando " +
    "quanta quante quanti quanto quella quelle quello questa queste questi questo se si sia " +
    "sono sta stata stati stato su sua sue sugli sui sul sulla suo suoi tra tu tutti tutto un " +
    "una uno vi allora ancora bisogna chiunque ciò dall debe deve devo devono dovrebbe fare " +
    "finché già invece mai mentre mia mie miei mio molto né neanche nell nessun nessuna nostra " +
    "oppure poi possa posso possono potrebbe può quindi sarà sempre senza sei siamo solo sopra " +
    "sotto stesso tale tua tuo vostro",
  pt:
    "a à ao aos as às até com como da das de dela dele deles depois do dos e é ela elas ele " +
    "eles em entre era eram essa esse esta está estão este eu foi foram há isso isto já la lhe " +
    "mais mas me mesmo meu muito na nas não nas nem no nos nossa nosso num numa o onde os ou " +
    "para pela pelas pelo pelos por porque porquê pois qual quais quando quanta quantas quanto " +
    "quantos que quê quem se seja sem ser seu seus sido são sob sobre sua suas também te tem " +
    "têm ter tinha um uma você ainda além alguma algum algumas alguns antes aquela aquele " +
    "aquilo assim cada deve devem devo disso dessa desse desta deste enquanto então fazer faz " +
    "hoje minha minhas meus nada nunca outra outro outras outros pode podem posso poder pouco " +
    "qualquer quero sempre só tenho toda todo todas todos tudo vai vou",
  nl:
    "aan al alle als ander bij d dan dat de der deze die dit doch doen door dus een en er ge " +
    "geen had hadden heb hebben heeft hem het hij hoe hoeveel hun ik in is ja je kan kon kunnen " +
    "maar me meer men met mij na naar niet nog nu of om omdat onder ons ook op over reeds te " +
    "tegen ten ter tot toch toen tussen u uit uw van veel voor waar waarom waardoor wanneer " +
    "waren was wat wel welk welke werd werden wie wiens wij worden wordt zal ze zich zij zijn " +
    "zo zonder zou alles altijd anders daar daarom deed eens eerst eigen elke hier hoewel " +
    "iemand iets jij jou jouw jullie kunt mag mijn moet moeten mocht mogen nadat naast nergens " +
    "niets nodig onze ooit sinds sommige steeds terwijl vanaf via vooral want waarin waarmee " +
    "wil zelf zodat zoals zouden zult",
  sv:
    "alla att av bara blev bli blir vid de dem den denna deras dess det detta där då efter ej " +
    "eller en enligt er ett från för ha hade han har hans hon hur hos i icke in inte " +
    "ingen jag kan kunde man med mellan men min mot mycket många ni nu när och om oss på samma " +
    "sedan sig sin sina ska skulle som så till under upp ut utan vad var vara varför " +
    "varit vars vart vem vems vi vid vilka vilken vilket är över",
  da:
    "af alle at blev blive bliver da de dem den denne der deres det dette dig din disse dog du " +
    "efter eller en end er et for fra få ham han hans har havde have hende hendes her " +
    "hos hun hvad hvem hvilke hvilken hvilket hvis hvor hvordan hvorfor hvornår i ikke ind jeg " +
    "jo kan kunne man mange med meget mellem men mere mig min mod ned nogle noget nok " +
    "nu når og også om op os over på sig sin skal skulle som så til ud under var ved vi vil " +
    "ville være",
  no:
    "alle at av ble bli blir da de dem den denne der deres det dette disse du eller en er et " +
    "etter for fra få ha hadde han hans har hennes her hos hun hva hvem hvilke hvilken " +
    "hvilket hvor hvordan hvorfor i ikke inn jeg kan kunne man mange med mellom men mer mot mye " +
    "ned noe noen nå når og også om opp oss over på seg sin skal skulle som så til " +
    "under ut var ved vi vil ville være",
  fi:
    "ei eivät ennen että he hän heidän hänen ja jo joka jos jossa jotka joten kanssa keitä " +
    "keiden kenen ketkä koska kuin kuinka kuka kun kuten me mihin mikä milloin millainen " +
    "minkä minä missä mistä mitkä mitä monta moni mukaan mutta myös ne niiden niin nyt oli " +
    "olivat olla on ovat paljonko se sekä sen siihen siinä sitä tai tämä tämän vai vaan " +
    "vain",
  pl:
    "a aby ale albo ani bardzo bez bo by był była było były być co czego czemu czy czyj dla do " +
    "dlaczego gdy gdzie go i ich ile ilu im inne ja jak jaka jaki jakie jakiego " +
    "jakiej jako je jego jej jest już kiedy kim kogo komu kto która które którego której który " +
    "którzy którym lub ma mają może na nad nie niż o od oraz po pod przed przez przy " +
    "są się skąd ta tak także tam te tego tej ten to tu tym tylko w we więc z za ze że",
  cs:
    "a aby ale ani až bez by byl byla bylo byly být co čeho či do ho i jak jaká jaké jaký jako " +
    "je jeho její jejich jen jestli ještě ji jich jsou k kam kde kdo kdy když kolik " +
    "koho který která které kterého kterých má mezi může na nad ne nebo než o od odkud po pod " +
    "podle pro proč proti před při s se si tak také tato ten tento to tohoto tu už v " +
    "ve více však z za ze že",
  ro:
    "a acea această acest ai al ale am ar are as au că care cât câte câți ce cel cele cea cei " +
    "cine cu cum când cărui căror când de decât deci deja despre din dintr dintre doar " +
    "după ea ei el ele era erau este eu fi fie fost în într între la le lor lui mai mult nu o " +
    "ori pe pentru până prin sa sale sau se și si sunt său tot un unde unei unor unui " +
    "va",
  hu:
    "a az az egy és hogy nem is ez azt ezt volt van vagy de meg csak már mint még ki kik kinek " +
    "kit mi mit milyen mikor miért melyik mely hol hová honnan hogyan hány mennyi " +
    "amely amelyek aki akik ami által után között szerint ha el le fel be voltak lett lesz sem " +
    "pedig",
  tr:
    "acaba ama ancak aslında az bana bazı belki ben bile bir biri birçok biz bu buna bunu " +
    "bunun çok çünkü da daha de defa değil diye en gibi göre hangi hangisi hem hep her hiç " +
    "için ile ise kaç kadar ki kim kimdir kimin kime mı mi mu mü nasıl ne neden nedir nerede " +
    "nereye neresi nereden niçin niye o olan olarak oldu olduğu olup onu onun sonra şu " +
    "tarafından ve veya ya yani zaman beni benim sen senin sizin bizim kaça kaçta neler " +
    "nelerdir nerededir neresidir hangileri midir mıdır misin mısın miyim mıyım var vardır",
  ru:
    "а без более бы был была были было быть в вам вас ведь весь во вот все всего вы где да даже " +
    "для до другой его ее её если есть еще ещё же за здесь и из или им их к как " +
    "какая какие каким каких какого какое какой каком какую каков какова каково каковы когда " +
    "который которая которые которых кого кому кто ли либо между меня мне может мы на над " +
    "надо нас не него нее нет " +
    "ни них но ну о об однако он она они оно от откуда по под после потому почему при про с сам " +
    "свое свои себя сколько со так такие такой там то того тоже той только том ты у " +
    "уже чего чей чем через что чтобы чье чья эта эти это этого этой этом этот я",
  uk:
    "а або але б без був була були було бути в вам вас ви від він вона вони воно все всі де для " +
    "до ж за з зі і із її їх його й коли ким кого кому котрий ли між ми на над не ні " +
    "ніж але по під після при про скільки та так також там те ти то того той у хто це цей ця " +
    "через чи чия чого чому що щоб як яка які який яких якого якої якому є",
  el:
    "από αυτά αυτή αυτό αυτός αν για δεν είναι εκεί ενώ ένα ένας έναν επίσης έχει έχουν ή η " +
    "ήταν θα και κατά κάθε με μετά μη μια μία μόνο να ο οι όμως όπου όπως όταν ότι που πού " +
    "ποια ποιά ποιο ποιό ποιοι ποιος ποιός ποιον πόσα πόσες πόση πόσο πόσοι πότε πριν προς " +
    "πως πώς σε στα στη στην στις στο στον στους συν τα τη την της τι τις το τον του τους " +
    "των υπό ως εγώ μου μας σου σας ποιες ποιους ποιων πόσους πόσων έχω μπορώ μπορεί πρέπει " +
    "αυτές αυτούς αυτήν αλλά γιατί",
  ar:
    "أن أو أي أية أين إذا إلى إن التي الذي الذين اللذان ال ايضا أيضا بعد بل بين تلك ثم حتى حول " +
    "خلال دون ذلك سوى على عن عند عندما غير فإن في قبل قد كان كانت كم كما كل كيف لا " +
    "لأن لدى لكن لم لماذا لما لن له لها ليس ما ماذا متى مع مما من منذ منها منه هل هذا هذه هم " +
    "هناك هو هي و وكان وما ومن يكون وهو وهي بم بماذا لمن ممن",
  fa:
    "آن آنها از است اند او این اگر با باید بر برای بود بودند به بین پس تا چرا چه چگونه چند چطور " +
    "چیست خود در دو را روی سپس شد شده شود کجا کدام کرد که کی کیست ما می ن نه نیز " +
    "نیست ها هایی هر هم همه هیچ و ولی یا یک",
  he:
    "אבל או אז איזה איזו אילו איך איפה אל אם אנחנו אני אשר את אתה בין גם הוא היא היה היו היתה " +
    "הייתה הם הן זה זאת זו יש כאשר כדי כי כך כל כמה כמו לא לו לה להם לפני לאחר למה " +
    "מאין מדוע מה מי מתי מן נגד עד על עם עצמו רק של שלו שלה שם",
  hi:
    "अब अपना अपनी अपने इस इसका इसकी इसके इन इसे उस उसका उसकी उसके उन उन्हें एक ऐसे और कब कहा " +
    "कहां कहाँ का कि कितना कितनी कितने किस किसका किसकी किसके किसने किसे की के कैसे को कोई " +
    "कौन कौनसा क्या क्यों गई गए गया जब जो तक तथा तो था थी थे दिया द्वारा ने नहीं पर फिर भी " +
    "में यदि यह या ये रहा रहे लिए लेकिन वह वाला वाले वे सकते साथ से हुआ हुई हुए हैं है हो " +
    "होता होती होते आप आपका आपकी आपके मैं मुझे मेरा मेरी मेरे हम हमें हमारा हमारी हमारे किसी " +
    "करना करने करें सकता सकती चाहिए सी",
  id:
    "ada adalah akan apa apakah atau bagaimana bagi bahwa banyak berapa bisa dalam dan dapat " +
    "dari dengan di dia hal harus ia ini itu jika juga kami kapan karena ke kepada kita " +
    "lagi lebih mana mengapa mereka merupakan namun oleh pada para saat sangat saya sebagai " +
    "sebuah secara seperti serta siapa siapakah suatu sudah tahun telah tentang tersebut " +
    "tetapi tidak untuk yaitu yang",
  vi:
    "ai bao bằng bị bởi các cái cho chỉ có của cũng cùng đã đang đâu để đến đó được gì giữa " +
    "hay hoặc khi không là lại làm lên mà mấy một muốn nào này nên nếu ngoài người nhiều như " +
    "những nhưng ở ra rằng rất sao sau sẽ tại thế thì theo trên trong từ và vào vẫn về vì " +
    "việc với tôi bạn chúng ta mình họ nó phải vậy chưa",
};
