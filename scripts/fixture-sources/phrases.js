/** Languages of the generated fixtures. */
export const LANGUAGES = /** @type {const} */ (["zh", "en", "es", "id"]);
/** @typedef {(typeof LANGUAGES)[number]} Language */

/** @typedef {Readonly<Record<Language, T>>} PerLanguage */

/**
 * What is said about one subject. `{brand}`, `{model}`, `{city}`, `{n}` and `{pct}` are filled in.
 * @typedef {{ readonly key: string; readonly tag: PerLanguage<string>; readonly captions: PerLanguage<readonly string[]>; readonly comments: PerLanguage<readonly string[]>; readonly headlines: PerLanguage<readonly string[]>; readonly sentences: PerLanguage<readonly string[]>; }} Topic
 */

/** Invented brands: no company goes by these names in these trades. */
export const BRANDS = /** @type {const} */ (["Lumora", "Kestrelo", "Nivano", "Treskel", "Oparin", "Zelkova"]);
export const MODELS = /** @type {const} */ (["X7", "Air 3", "Mini 2", "Pro 5", "S40", "One"]);

/** @type {PerLanguage<readonly string[]>} */
export const CITIES = {
  zh: ["成都", "杭州", "青岛", "西安", "广州"],
  en: ["Bristol", "Portland", "Leeds", "Austin", "Perth"],
  es: ["Sevilla", "Valencia", "Bogotá", "Rosario", "Puebla"],
  id: ["Bandung", "Surabaya", "Medan", "Makassar", "Malang"],
};

/**
 * Two halves of invented nicknames.
 * @type {PerLanguage<readonly [readonly string[], readonly string[]]>}
 */
export const NICKNAMES = {
  zh: [
    ["安静的", "会飞的", "爱喝茶的", "迷路的", "早起的", "慢半拍的"],
    ["海豚", "橘子", "风筝", "蜗牛", "小山", "铅笔"],
  ],
  en: [
    ["quiet", "paper", "amber", "lazy", "seven", "northern"],
    ["heron", "kettle", "comet", "badger", "lantern", "otter"],
  ],
  es: [
    ["luna", "nube", "gato", "faro", "rio", "tinta"],
    ["azul", "lento", "lejano", "dormido", "claro", "verde"],
  ],
  id: [
    ["kopi", "langit", "burung", "hujan", "sepeda", "bintang"],
    ["senja", "pagi", "kecil", "biru", "pelan", "jauh"],
  ],
};

/**
 * Comments that fit under anything.
 * @type {PerLanguage<readonly string[]>}
 */
export const REMARKS = {
  zh: [
    "哈哈哈哈笑死我了",
    "收藏了，明天就试",
    "求链接",
    "讲得很清楚，谢谢",
    "第一次看就关注了",
    "等更新",
    "说得太对了",
  ],
  en: [
    "saving this for later",
    "finally someone said it",
    "link please?",
    "this made my day 😂",
    "clear and short, thanks",
  ],
  es: [
    "me lo guardo",
    "muy bien explicado, gracias",
    "¿dónde se consigue?",
    "jajaja tal cual",
    "espero la segunda parte",
  ],
  id: [
    "simpan dulu ah",
    "penjelasannya jelas banget, makasih",
    "minta linknya kak",
    "ngakak 😂",
    "ditunggu part dua",
  ],
};

/**
 * Answers to a comment.
 * @type {PerLanguage<readonly string[]>}
 */
export const REPLIES = {
  zh: ["同意", "我也是这么想的", "不一定吧，看情况", "感谢回复！", "你说的是哪一款？", "用了半年，没问题"],
  en: [
    "same here",
    "not sure, mine is fine",
    "which one do you mean?",
    "thanks for answering!",
    "agreed, had it for months",
  ],
  es: [
    "igual que yo",
    "depende, a mí me va bien",
    "¿cuál dices?",
    "¡gracias por contestar!",
    "de acuerdo, ya llevo meses",
  ],
  id: [
    "setuju",
    "tergantung sih, punyaku aman",
    "yang mana kak?",
    "makasih sudah jawab!",
    "sama, sudah dipakai berbulan-bulan",
  ],
};

/** @type {readonly Topic[]} */
export const TOPICS = [
  {
    key: "phone",
    tag: { zh: "手机评测", en: "phonereview", es: "moviles", id: "reviewhp" },
    captions: {
      zh: [
        "{brand} {model} 手机续航实测：重度使用 {n} 小时还剩 {pct}% 电",
        "换了 {brand} {model} 手机一个月，说说优点和缺点",
        "千元手机怎么选？拍照、屏幕、电池一次讲清楚",
        "手机夜景对比：{brand} {model} 在{city}街头随手拍",
      ],
      en: [
        "{brand} {model} phone battery test: {n} hours of heavy use, {pct}% left",
        "One month with the {brand} {model} phone, the good and the bad",
        "How to choose a cheap phone: camera, screen, battery explained",
        "Night photos around {city} with the {brand} {model}",
      ],
      es: [
        "Prueba de batería del móvil {brand} {model}: {n} horas de uso y queda el {pct}%",
        "Un mes con el teléfono {brand} {model}: lo bueno y lo malo",
        "Cómo elegir un móvil barato: cámara, pantalla y batería",
        "Fotos nocturnas en {city} con el {brand} {model}",
      ],
      id: [
        "Tes baterai HP {brand} {model}: {n} jam pemakaian berat, sisa {pct}%",
        "Sebulan pakai HP {brand} {model}, ini kelebihan dan kekurangannya",
        "Cara memilih HP murah: kamera, layar, baterai dijelaskan",
        "Foto malam di {city} pakai {brand} {model}",
      ],
    },
    comments: {
      zh: [
        "这手机发热严重吗？",
        "电池比我的旧手机强多了",
        "屏幕晚上看着舒服",
        "拍照颜色有点偏黄",
        "等降价再入手",
      ],
      en: [
        "does it get hot while gaming?",
        "battery beats my old phone by far",
        "the screen is easy on the eyes",
        "photos look a bit yellow",
        "waiting for a price drop",
      ],
      es: [
        "¿se calienta al jugar?",
        "la batería gana de lejos a mi viejo móvil",
        "la pantalla cansa poco la vista",
        "las fotos salen algo amarillas",
        "espero a que baje de precio",
      ],
      id: [
        "panas gak kalau main game?",
        "baterainya jauh lebih awet dari HP lamaku",
        "layarnya nyaman di mata",
        "hasil fotonya agak kuning",
        "nunggu turun harga dulu",
      ],
    },
    headlines: {
      zh: ["{brand} 发布 {model} 手机，主打长续航", "手机出货量环比增长 {pct}%"],
      en: [
        "{brand} unveils {model} phone with longer battery life",
        "Phone shipments grow {pct}% on the quarter",
      ],
      es: ["{brand} presenta el móvil {model} con más batería", "Las ventas de móviles crecen un {pct}%"],
      id: [
        "{brand} meluncurkan HP {model} dengan baterai lebih awet",
        "Pengiriman HP naik {pct}% per kuartal",
      ],
    },
    sentences: {
      zh: [
        "厂商称新电池可循环充电 {n}00 次。",
        "分析师认为中端机型的竞争将更加激烈。",
        "首批机型将先在{city}的门店开售。",
      ],
      en: [
        "The maker says the new battery lasts {n}00 charges.",
        "Analysts expect tighter competition among mid-range models.",
        "Shops in {city} will have the first units.",
      ],
      es: [
        "El fabricante asegura que la batería aguanta {n}00 cargas.",
        "Los analistas esperan más competencia en la gama media.",
        "Las tiendas de {city} tendrán las primeras unidades.",
      ],
      id: [
        "Produsen menyebut baterai baru tahan {n}00 kali isi ulang.",
        "Analis memperkirakan persaingan kelas menengah makin ketat.",
        "Toko di {city} mendapat unit pertama.",
      ],
    },
  },
  {
    key: "desk",
    tag: { zh: "桌面好物", en: "desksetup", es: "escritorio", id: "mejakerja" },
    captions: {
      zh: [
        "无线鼠标静音对比，{brand} {model} 值不值这个价",
        "机械键盘轴体怎么选，{n} 种手感一次听完",
        "小桌面收纳改造，只花了 {n} 块钱",
      ],
      en: [
        "Silent wireless mouse shoot-out: is the {brand} {model} worth it?",
        "Choosing keyboard switches, {n} sounds in one minute",
        "Small desk makeover for {n} dollars",
      ],
      es: [
        "Comparativa de ratones inalámbricos silenciosos: {brand} {model}",
        "Qué interruptores elegir para tu teclado, {n} sonidos",
        "Reforma de un escritorio pequeño por {n} euros",
      ],
      id: [
        "Adu mouse wireless tanpa suara: {brand} {model} layak dibeli?",
        "Memilih switch keyboard, {n} suara dalam satu menit",
        "Menata meja kecil dengan biaya {n} ribu",
      ],
    },
    comments: {
      zh: ["鼠标滚轮用久了会响", "手小的人用着刚好", "键盘声音太大，舍友抗议了", "这个灯是什么牌子"],
      en: [
        "the scroll wheel gets noisy after a while",
        "fits small hands well",
        "too loud, my roommate complained",
        "what lamp is that?",
      ],
      es: [
        "la rueda hace ruido con el tiempo",
        "va bien para manos pequeñas",
        "demasiado ruido, se quejó mi compañero",
        "¿qué lámpara es?",
      ],
      id: [
        "scroll-nya lama-lama bunyi",
        "pas untuk tangan kecil",
        "berisik, teman kos protes",
        "lampunya merek apa?",
      ],
    },
    headlines: {
      zh: ["居家办公带动无线鼠标和键盘销量上涨 {pct}%", "{brand} 召回一批 {model} 充电器"],
      en: [
        "Home working lifts wireless mouse and keyboard sales {pct}%",
        "{brand} recalls a batch of {model} chargers",
      ],
      es: [
        "El teletrabajo eleva un {pct}% la venta de ratones y teclados",
        "{brand} retira un lote de cargadores {model}",
      ],
      id: [
        "Kerja dari rumah mengerek penjualan mouse dan keyboard {pct}%",
        "{brand} menarik satu batch charger {model}",
      ],
    },
    sentences: {
      zh: ["门店表示库存可以维持 {n} 天。", "消费者更看重静音和续航。", "公司承诺免费更换受影响的产品。"],
      en: [
        "Retailers report {n} days of stock left.",
        "Buyers care most about quiet clicks and battery life.",
        "The company will replace affected units at no cost.",
      ],
      es: [
        "Las tiendas dicen tener existencias para {n} días.",
        "Los compradores valoran el silencio y la batería.",
        "La empresa cambiará gratis las unidades afectadas.",
      ],
      id: [
        "Toko mengaku stok cukup untuk {n} hari.",
        "Pembeli mengutamakan klik senyap dan baterai awet.",
        "Perusahaan mengganti unit terdampak tanpa biaya.",
      ],
    },
  },
  {
    key: "coffee",
    tag: { zh: "手冲咖啡", en: "coffee", es: "cafe", id: "kopi" },
    captions: {
      zh: [
        "在家手冲咖啡，水温 {pct} 度最好喝",
        "{city}巷子里的咖啡馆，一杯只要 {n} 块",
        "咖啡豆怎么保存才不会走味",
      ],
      en: [
        "Pour-over coffee at home, {n} grams is all you need",
        "A tiny café in {city} worth the walk",
        "How to store coffee beans so they stay fresh",
      ],
      es: [
        "Café de filtro en casa con {n} gramos",
        "Una cafetería diminuta en {city}",
        "Cómo guardar el café en grano para que no pierda aroma",
      ],
      id: [
        "Seduh kopi manual di rumah, cukup {n} gram",
        "Kedai kopi kecil di {city} yang wajib dicoba",
        "Cara menyimpan biji kopi supaya tetap segar",
      ],
    },
    comments: {
      zh: ["磨细一点就不酸了", "浅烘的豆子我喝不惯", "这家店周末排队"],
      en: [
        "grind finer and it stops being sour",
        "light roasts are not for me",
        "there is a queue at weekends",
      ],
      es: [
        "muele más fino y deja de ser ácido",
        "el tueste claro no es lo mío",
        "los fines de semana hay cola",
      ],
      id: ["giling lebih halus biar tidak asam", "light roast bukan seleraku", "akhir pekan antre"],
    },
    headlines: {
      zh: ["咖啡豆价格一周下跌 {pct}%", "{city}举办秋季咖啡节"],
      en: ["Coffee bean prices fall {pct}% in a week", "{city} hosts its autumn coffee festival"],
      es: ["El precio del café cae un {pct}% en una semana", "{city} celebra su feria del café"],
      id: ["Harga biji kopi turun {pct}% dalam sepekan", "{city} menggelar festival kopi musim gugur"],
    },
    sentences: {
      zh: ["产区雨水充足，收成好于预期。", "约有 {n} 家烘焙商参加。"],
      en: ["Good rain in growing regions has lifted the harvest.", "Some {n} roasters took part."],
      es: ["Las buenas lluvias han mejorado la cosecha.", "Participaron unos {n} tostadores."],
      id: ["Hujan yang cukup membuat panen lebih baik.", "Sekitar {n} penyangrai ikut serta."],
    },
  },
  {
    key: "cycling",
    tag: { zh: "骑行日常", en: "cycling", es: "ciclismo", id: "gowes" },
    captions: {
      zh: ["环湖骑行 {n} 公里，{city}的秋天太美了", "公路车补胎三分钟学会", "上下班骑车 {n} 天，省了多少钱"],
      en: [
        "{n} km around the lake near {city}, autumn colours",
        "Fix a flat road-bike tyre in three minutes",
        "Cycling to work for {n} days: what I saved",
      ],
      es: [
        "{n} km en bici alrededor del lago, otoño en {city}",
        "Arregla un pinchazo en tres minutos",
        "{n} días yendo al trabajo en bicicleta",
      ],
      id: [
        "Gowes {n} km keliling danau dekat {city}",
        "Tambal ban sepeda balap dalam tiga menit",
        "{n} hari bersepeda ke kantor, hemat berapa?",
      ],
    },
    comments: {
      zh: ["头盔一定要戴", "这段坡我推上去的", "求路线"],
      en: ["always wear the helmet", "I walked up that hill", "route please!"],
      es: ["siempre con casco", "esa cuesta la subí andando", "¡pasa la ruta!"],
      id: ["helm wajib dipakai", "tanjakan itu aku tuntun", "minta rutenya dong"],
    },
    headlines: {
      zh: ["{city}新增 {n} 公里自行车道", "共享单车事故数下降 {pct}%"],
      en: ["{city} adds {n} km of bicycle lanes", "Shared-bike accidents down {pct}%"],
      es: ["{city} estrena {n} km de carril bici", "Los accidentes en bici bajan un {pct}%"],
      id: ["{city} menambah {n} km jalur sepeda", "Kecelakaan sepeda turun {pct}%"],
    },
    sentences: {
      zh: ["市民希望夜间照明尽快完善。", "工程将在 {n} 周内完工。"],
      en: ["Residents ask for better lighting at night.", "Works end within {n} weeks."],
      es: ["Los vecinos piden más luz por la noche.", "Las obras acaban en {n} semanas."],
      id: ["Warga meminta lampu jalan diperbaiki.", "Proyek selesai dalam {n} minggu."],
    },
  },
  {
    key: "weather",
    tag: { zh: "天气", en: "weather", es: "tiempo", id: "cuaca" },
    captions: {
      zh: ["{city}今天的暴雨有多大，一小时积水过膝", "台风前夜的云，像电影一样", "雨后彩虹，等了 {n} 分钟"],
      en: [
        "Heavy rain in {city}: water to the knees within an hour",
        "Clouds the night before the storm",
        "Waited {n} minutes for this rainbow",
      ],
      es: [
        "Lluvia intensa en {city}: agua hasta las rodillas",
        "Las nubes la noche antes de la tormenta",
        "Esperé {n} minutos por este arcoíris",
      ],
      id: [
        "Hujan deras di {city}, air selutut dalam satu jam",
        "Awan malam sebelum badai",
        "Menunggu {n} menit demi pelangi ini",
      ],
    },
    comments: {
      zh: ["注意安全，别出门", "我们这边停电了", "排水系统该修了"],
      en: ["stay safe, don't go out", "the power is off here", "the drains need fixing"],
      es: ["cuidado, no salgan", "aquí se fue la luz", "hay que arreglar el alcantarillado"],
      id: ["hati-hati, jangan keluar dulu", "di sini mati lampu", "saluran airnya harus diperbaiki"],
    },
    headlines: {
      zh: ["{city}发布暴雨预警，部分河流水位上涨", "防洪演练在{city}举行"],
      en: ["River flood warning for {city} as rain continues", "{city} holds a flood drill"],
      es: [
        "Alerta por inundaciones en {city}: el río sigue creciendo",
        "{city} realiza un simulacro de inundación",
      ],
      id: ["Peringatan banjir di {city}, permukaan sungai naik", "{city} menggelar latihan tanggap banjir"],
    },
    sentences: {
      zh: ["气象部门预计降雨将持续 {n} 小时。", "当地已转移 {n}00 名居民。", "铁路部分线路停运。"],
      en: [
        "Forecasters expect {n} more hours of rain.",
        "About {n}00 residents have been moved to safety.",
        "Some rail lines are closed.",
      ],
      es: [
        "Se esperan {n} horas más de lluvia.",
        "Unos {n}00 vecinos han sido evacuados.",
        "Algunas líneas de tren están cerradas.",
      ],
      id: [
        "Hujan diperkirakan berlanjut {n} jam.",
        "Sekitar {n}00 warga dipindahkan.",
        "Sebagian jalur kereta ditutup.",
      ],
    },
  },
  {
    key: "cats",
    tag: { zh: "猫咪", en: "cats", es: "gatos", id: "kucing" },
    captions: {
      zh: ["我家猫第 {n} 次打翻水杯", "流浪猫领养一周，终于肯让摸了", "猫咪洗澡全过程，水花四溅"],
      en: [
        "My cat knocks over the glass, take {n}",
        "A week after adopting a stray, it lets me pet it",
        "Bathing the cat, water everywhere",
      ],
      es: [
        "Mi gato tira el vaso, toma {n}",
        "Una semana después de adoptarlo ya se deja tocar",
        "Bañando al gato, agua por todas partes",
      ],
      id: [
        "Kucingku menjatuhkan gelas, ke-{n} kalinya",
        "Seminggu setelah diadopsi, akhirnya mau dielus",
        "Memandikan kucing, air ke mana-mana",
      ],
    },
    comments: {
      zh: ["它的眼神好无辜", "我家的也这样", "太可爱了吧"],
      en: ["that innocent face", "mine does exactly this", "too cute"],
      es: ["esa cara de inocente", "el mío hace lo mismo", "qué ternura"],
      id: ["mukanya polos banget", "punyaku juga begitu", "gemes banget"],
    },
    headlines: {
      zh: ["{city}流浪猫绝育计划完成 {n}00 例", "宠物食品价格上涨 {pct}%"],
      en: ["{city} neuters {n}00 stray cats in a year", "Pet food prices rise {pct}%"],
      es: ["{city} esteriliza {n}00 gatos callejeros", "La comida para mascotas sube un {pct}%"],
      id: ["{city} mensterilkan {n}00 kucing liar", "Harga makanan hewan naik {pct}%"],
    },
    sentences: {
      zh: ["志愿者还在寻找领养家庭。", "兽医提醒按时接种疫苗。"],
      en: ["Volunteers still look for homes.", "Vets remind owners of vaccinations."],
      es: ["Los voluntarios buscan familias.", "Los veterinarios recuerdan las vacunas."],
      id: ["Relawan masih mencari pengadopsi.", "Dokter hewan mengingatkan vaksinasi."],
    },
  },
];
