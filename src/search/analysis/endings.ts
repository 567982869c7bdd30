import type { EndingRules } from "./light-stemmer.js";

// Made by `node scripts/endings/main.js`.
/** Of languages, primary subtags. */
export const ENDINGS = {
  af: {
    least: 4,
    passes: 2,
    endings:
      "e s se ste t d ne me te pe p ende le al eel ele de wende f we aar are id ede aak ake sse am et at ad ot wwe ue ae",
    last: "g:k",
  },
  am: {
    least: 2,
    passes: 3,
    endings: "u ን ə ው ብəት ም ህ ክ wa e uት waል oእəል ኝ aት ልaት ሽ o ውaን ንa əች ስa əህ aች əው əኝ ምu",
    fronts: "ልə: ብə: ይə: ክə: እəት: ስi: ብት: እንድə: ስaይ: ብi: ይ: እəል:",
    syllables: true,
  },
  az: {
    least: 4,
    passes: 3,
    endings:
      "n i də lər da im in ə lar a izdə m zi lərin zin z zə dan zda za u mdən imizdə yə lərdə mi ləri lari ni larin zdən dən un min nə mə imdə ya ma imdan mda zu uzdə zun zdan ən əni ələri alari sin zlari iya ilari uləri nləri inizdə",
  },
  be: {
    least: 3,
    passes: 3,
    endings: "у а ы м х і я е и ага i ць лі ь ці це ла ю мі аи ом ау ым амі ам о аны юць аючы цi цю ця ма",
    fleeting: "ае",
    last: "к:ц г:з",
  },
  bg: {
    least: 3,
    passes: 1,
    endings:
      "и ите а ата то ът о ото ият ия я ове ам ят овете ята ат ете ем е ето ията аха ии аше аме иха иш аш еше ате ал али еш ало ала иите ано ани алите алата ила ил или оха ех ял еха ема ена ие",
    fleeting: "е",
    last: "к:ц",
  },
  cs: {
    least: 3,
    passes: 1,
    endings:
      "u a y e ou i em ych eho o ym ymi ich im ech ami ach um am at al ala ali ovi eme emi mi ho it il ila ili iho alo aji imi emu ame ilo aly ime ejte ejsi as imu ily ate out ete ejme ul",
    fleeting: "e",
    last: "k:c",
  },
  da: {
    least: 4,
    passes: 1,
    endings: "t ed n um ted en end 's st nt s es et ked aet r rt red ag aeg ned rn tted",
    fleeting: "e",
    afterSnowball: true,
  },
  de: {
    least: 4,
    passes: 1,
    endings: "t ert et tet s st n nt net nn tigt",
    fleeting: "eo",
    afterSnowball: true,
  },
  el: {
    least: 3,
    passes: 1,
    endings:
      "σ υ υσ τε τα των τεσ τοσ τερα τερο ω ει ουν ουμε ε εται αν ονται τησ ων εσ τη α ασ η ησ εισ εων οσ ο ου ουσ οι ομαι ηκε αμε ησε ησει ατα οντασ ησουμε το ησουν ησαν ωντασ ηκαν ετε ονταν ηθει ηθηκε ουσε ομαστε ειται ουνται ησαμε ηθουν οταν του τουσ ουσαμε ουσαν ηθηκαν ησω ατε τασ αει οτερο τοι ατοσ ατων ησετε οτερεσ οτερα οτερουσ ειτε τηκαν ηκαμε υτερη εωσ εσε εσει εσουν εσουμε θηκαν",
  },
  et: {
    least: 4,
    passes: 2,
    endings:
      "i d e t es el ga ks id l est te a as sse na at ad b ma vad is in ed ele eks ega lt sid test ki nud tel tele il tes tega eid ide ile gi iga ade al aid ate aks ale ime iks ast ena 'i esse sin asse isse teks idega aga de ti dest takse an mata mas tid eni ini tist ame p bki mast li tesse tide nas sime",
    fleeting: "e",
    last: "g:k",
  },
  eu: {
    least: 4,
    passes: 2,
    endings:
      "a k ren ko n ra ri ta z rekin etan en ek tik koa etako ena ekin ei tzat etara ez rek agoa rik ik etatik gatik ago rentzat rena go rei rekiko retan reko rean ela koak da dako riko ean na rako etarako otan e ea eko era ekoa rantz takoa entzat erako rengatik u ua tako tan otako etakoa enak ak rak za zea ze tak un ekiko",
    last: "t:d",
  },
  fa: {
    least: 4,
    passes: 1,
    endings:
      "ي ان ‌هاي هاي ‌ها ‌اي ها ات ‌هايي ند ه‌اند اتي م يم ين ترين ‌ترين ي‌هاي ‌تر ‌اش مان ه‌ايم ‌تري ست يان شان هايي ي‌ها ء تر يد مي تري ش اني هاست يها يهاي مات ش‌ها ش‌هاي بي م‌هاي يات ‌",
  },
  fi: {
    least: 4,
    passes: 1,
    endings:
      "t i e v m nu d s n ks st ny iv ia ttav em ev emp mp p ie tiv tam tany tav ety ettav tanu tan et ae ai a as am etya av at anu ant an tamat any ea ih imp net im tim yj ej siv attav aam aim aint iin tya atu ed uhu nt no nto tak itu ittav nety tet tetu ttam tety tai tae sia amp its itsev inu dittav nettav mat",
    last: "t:d e:i g:k",
    afterSnowball: true,
  },
  fo: {
    least: 3,
    passes: 2,
    endings:
      "in i ur um ar a ir an u id num st uni nir nar s sins t urin adi anum inum ini arnar unum arnir una ad nn tt rs",
    fleeting: "a",
  },
  ga: {
    least: 3,
    passes: 1,
    endings:
      "a e i ai eadh eann tear feadh fidh eanna fi faidh ann tar fadh adh anna aim eacha nna atha s is ain an gh odh onn inn each",
    fronts: "ch:c g: bh:b mh:m th:t fh:f sh:s dh:d h: ph:p n: bhf:fh",
  },
  gd: {
    least: 2,
    passes: 2,
    endings: "ean eadh adh an aidh ail ar e as al ear tainn tean ich ch nich neachadh aidhean eachadh",
    fronts: "ch:c bh:b th:t dh:d gh:g mh:m fh:f sh:s dh’: ph:p ':",
  },
  gl: {
    least: 4,
    passes: 1,
    endings:
      "s r se ndo n da das dos do nse ron rse ns ra rase mos ndose ban ranse ba ronse ran ren res u base use ais al ras veron los lo sen i",
    last: "o:a e:i",
  },
  he: {
    least: 2,
    passes: 1,
    endings: "ים ה ת ות ו תה יהם תם ותיו יו תו יה",
    fronts: "ה: ב: ל: ו: וה: שה: וב: מה: שב: ול: להי:נ יי:נ כש: ומ:",
    last: "ן:נ ם:מ ך:כ ף:פ ץ:צ",
  },
  hr: {
    least: 3,
    passes: 1,
    endings:
      "a e i u om ih o im og ima oj em eg oga ati iti io ama ao ili ila aju ala ali alo ilo amo ile imo emo ite ljena ljeno ljene",
    fleeting: "a",
    last: "k:c",
    letters:
      "а:a б:b в:v г:g д:d ђ:d е:e ж:z з:z и:i ј:j к:k л:l љ:lj м:m н:n њ:nj о:o п:p р:r с:s т:t ћ:c у:u ф:f х:h ц:c ч:c џ:dz ш:s",
  },
  hu: {
    least: 3,
    passes: 2,
    endings:
      "t e a k ak ban ben nek ra ja ot ok at nak ek et re rol on bol uk unk hoz ei vel ba jak ni tol ai jat kent en val be hez an sal em je ott na gel nal enek okat juk nel sel ebb tam eben ig ekben heti tak bb kkal oknak jaban aban het te ert jenek tek jet hatja ne ta okkal ottak otta jan aval javal mal ait janak anak ekkel ara jara hat om ik j tat ka ein ttal nul nia tem jaba ere tunk jai ttel",
  },
  hy: {
    least: 3,
    passes: 2,
    endings:
      "ի ը ներ ն ով ից ում եր ին ել ած ները ների յի ներում ներին նել եց ուց ներից վա ներն դ ս վան ներով իս յով նի նում երի ուն ու ան ա նելով նալ այի ցած ամբ ման ցան ցավ ացել նամ անալու սի եմ ելու ցվում ցվել շում եցին նա սը իի ավ նեց",
  },
  is: {
    least: 3,
    passes: 1,
    endings:
      "ur i a um u ar id ir inn in s inu sins ist st ast t urinn anna unum ina una arinnar ana arnar inni irnar unni ja ji jum ri ra rar an ad adi arnir anum ans jast tina ju junum is enn rinn rdi arid ts ann adur num udum",
  },
  ka: {
    least: 2,
    passes: 3,
    endings:
      "ს ი ა ები თ ში ებს ზე ებში დან სთვის თან ებზე სა მ გან დ თაც საც მდე ებსა საგან შიც ებამდე ების ებმა ის მა ათვის მი ე დი ისათვის ას აზე ად აში თი ბ ათა ასა ამ ბაც ბენ აა ებია ოდა ასთან ებით დნენ ებთან ამდე",
  },
  kk: {
    least: 3,
    passes: 2,
    endings:
      "ды ы п і н ға ына да у ның мен сы ге ді нда дар лар тар де дың қа е ін ген тың нің ған ке дан лары сына иды маиды дер ынан лған луы дағы тер тің лері меиді дің кен ілген іне са ушы ны тен лды тары тан дегі імен лер міз имын сін нған сі ындағы ні ден лады уға дері іп ңыз пты се дым лді уы сті ымыз ің ен ліп еу нады сінің лып лу нын сып луға іміз мді",
    last: "қ:ғ к:г п:б",
  },
  ky: {
    least: 3,
    passes: 2,
    endings:
      "н ды га да ы сы лар ына дагы лык нда дын тар и ү п уу ну лары ди ге ду го у сына дар дү үүдө нин инде тер гө дан үү нүн де ын сын дук ке ти дык нү ит дик тагы тик су ат лери си ган тары сыз лер дин үлөт инин не уна те до ларды ине ып ууда луу кан тү тын ты дардын лор унун гон тун унда тук дарды дарга сынын ынын тин ылды нө ө дөрү илди гөн дөн өт нде лардын ндө дер дыгы ларын лүүдө дор үлдү үүсү ам ндар тык дорду ндагы кө илет бөит өсү са ң б ден ин түн тту үлөр лүү улду лат ги шту луп лип лөрдүн терге ындагы көн үп",
    last: "к:г",
  },
  lt: {
    least: 4,
    passes: 2,
    endings:
      "s i u o as e ai ms ose ams a je t us mis os ais iu kite es ite iems me uose ios eti io jau jo oje usiu ui m oju nciu ji ntis yti ys ia ant iam am oms davo omis aja uju yje damas si dami usia sis iais tumete ykite ate ancios aus uosius usi dama esne esni zio jes ciau oma ytu yta ydami usius mi ejusi ame eda sta",
    last: "e:i o:a",
  },
  lv: {
    least: 4,
    passes: 3,
    endings:
      "s a u i o am t j ie iem ais as jai jot us jos jam sim aka akos iet dams ama ak im jus ed jis so",
    last: "k:c",
  },
  ml: {
    least: 3,
    passes: 2,
    endings:
      "ം വും യും യുടെ ത്തിൽ മായ യിൽ കളും ക്ക് യാണ് കളിൽ മാണ് യിലും ക ന്നു ന്നത് ന്ന ് ിൽ ിന്റെ ാണ് ു ിയത് കയും ത്തിന് ി ാൻ ികൾ മ് ുമായി ുള്ള യ റും ർ കം ങ്ങൾ ക്കും ൾ ക്കാൻ ിച്ചു ത്തിനും ിക്കുക ച്ച് ന് മം െ ിയുടെ ികുക",
  },
  mn: {
    least: 3,
    passes: 2,
    endings:
      "аа таи ыг ын д а оо иин ээ ииг тэи өө ид тои ы э аар аас и ээс ээр т ад эд ин иг оор оос н ии г өөс өөр од эр энд нии нээс наас ны аи гаар гаа гаас гиин гоо гоор ноос гоос нд нөөс эс атаи эи гт гээр гээ гииг гээс эгтэи агтаи ан ь иас иор га аг",
    fleeting: "ао",
  },
  mr: {
    least: 2,
    passes: 3,
    endings: "ात े ा ी न त ू ऊ ला णार ली ले तो ्या ण्यात ांना स य चे ल वर ं च्या ची चा ाकडे ाबाहेर ण ही ून तील ने िले ायला",
  },
  nl: {
    least: 4,
    passes: 1,
    endings: "t d s end n ' en f and er eerd erd ss dt st jes j ef ev es e eert ert al aald nn nt ijv z",
    afterSnowball: true,
  },
  no: {
    least: 4,
    passes: 1,
    endings:
      "t er ar ern ast um ter a aer en art est dd e tet et d att ok ens der at tar ikk o add r rt os te dar rs ost dn ot den tt dt dan rast ra ret ett dr tatt tok rar lj",
    fleeting: "e",
    afterSnowball: true,
  },
  pl: {
    least: 3,
    passes: 1,
    endings:
      "a e y i u o em ow ym ego ach ej ami ic ie ia ac al ala ec iem yc yl om iu iach yli ali ych eli zie iami ono il owi my aja am alo aly ila ili amy ilo aj iego ela ano ii im yla imy isz iej ich ymi ajac ysz ily yly acie ylo asz one eje ij icie iony emy esz ane iono ely awszy cie ecie",
    fleeting: "e",
    last: "k:c e:i",
  },
  ro: {
    least: 3,
    passes: 2,
    endings:
      "a e i ul ului lor ele u and aza ei urile ii uri au am at ea se ind em elor este sca ile sera lui eaza eze it eau andu pii reasca sem",
  },
  sk: {
    least: 3,
    passes: 1,
    endings:
      "a e y u om i ej eho ych ou ym o ov ach ymi mi och ami emu ovi m am ovia at al ali ala aju alo ich us",
    fleeting: "eo",
    last: "k:c",
  },
  sl: {
    least: 4,
    passes: 2,
    endings: "a i e o h m u ega ov mi em ma ih om am ejsih oma l t tu al jo te ta jte ti mo li la le ij ejsa",
    fleeting: "e",
    last: "e:i o:a",
  },
  sq: {
    least: 4,
    passes: 3,
    endings: "n i t e a j m en ve u in es h mit se at me ti nte tin tur va",
    last: "e:i",
  },
  sv: {
    least: 3,
    passes: 1,
    endings:
      "en a er ar erna e as et ens s es at arna ets are an aste ernas t ten or re terna ter ts ste dde orna ornas ats ades ena ans tens it um att tet te tes ret ternas",
    fleeting: "e",
  },
  ta: {
    least: 3,
    passes: 3,
    endings:
      "ம் கள் ப் ு க்க த் யை க் ச் களை களில் த்த த்தில் களுக்கு யும் களின் ார் னர் ங்கள் ந்த து கிறது த்தை ுள்ள த்துக்கு ய களும் களுக்காக யாக ங்களில் ிருந்தார் ந்து தாக வுக்கு வும் வில் வின் வுடன் ப்பட்ட ுள்ளது ள்ளனர் மான ிருந்த கிறார் ி ுள்ளார் களிலும் ன ் ால் த்து ங்களை வது வதாக கின்றன வதில் தில் வதற்காக ந்தனர் வதற்கு டன் ளுக்கு ிக் ப்படும் லும் தை வதற்கான லை தால் ாக ான ில் ுக்கு ்ட ிலிருந்து ாமல் ிக்க ின் ிலான ிய மாக ுவதற்காக ிலேயே ாவது ரான றது",
  },
  uk: {
    least: 3,
    passes: 1,
    endings:
      "а и у і ии их ів я ого ою оі ом ами о ах е ь ю іи ам ем вати є им уть ому ими ям ють єю ях вав вали ючи ями іх чено ємо ути ув уло ти ли вши тиме єте мо в ла",
    fleeting: "ео",
    last: "к:ц г:з",
  },
  ur: { least: 2, passes: 1, endings: "وں نا نے ا ے يں تے تا تي ات ےگا يي ےگي يے يا ں گا اں ين گي يےگا تہ" },
  uz: {
    least: 3,
    passes: 3,
    endings:
      "lar i da ga ning b di ish gan dan si m adi moqda miz sa ayotgan ilgan ar magan ini lari sh ildi iladi n ilmoqda ardi larining ilishi mga k s gi ida larda ay ining larning kka imni nni tdi hning hda",
  },
} as const satisfies Readonly<Record<string, EndingRules>>;
