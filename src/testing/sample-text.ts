import type { Domain } from "../contract/platforms.js";

/** A sentence in its language. */
export type SampleText = readonly [lang: string, text: string];

/** What sample records are about, by domain; every sentence is written for this file. */
export const SUBJECTS: Readonly<Record<Domain, readonly SampleText[]>> = {
  social: [
    ["en", "Trail running shoes after five hundred kilometres: what wore out first"],
    ["zh", "手机拍夜景的三个设置,不用三脚架也能拍清楚"],
    ["id", "Resep sambal matah yang segar untuk ikan bakar"],
    ["es", "Cómo limpiar una bicicleta en diez minutos con poca agua"],
    ["en", "A small balcony garden that survived a very dry summer"],
    ["zh", "周末徒步路线推荐:人少、风景好、地铁可达"],
    ["en", "I built a quiet desktop computer from second-hand parts"],
    ["id", "Tips naik kereta ke Bandung saat musim hujan"],
  ],
  ecommerce: [
    ["en", "Wireless mouse with silent buttons, 2.4 GHz, rechargeable"],
    ["id", "Botol minum stainless 1 liter tahan panas"],
    ["es", "Auriculares inalámbricos con cancelación de ruido"],
    ["en", "USB-C hub with seven ports and Ethernet"],
    ["id", "Tas ransel laptop 15 inci anti air"],
    ["en", "Mechanical keyboard, 75 percent layout, hot-swappable switches"],
  ],
  web: [
    ["en", "Port city opens a tidal power station after six years of work"],
    ["es", "El puerto amplía su terminal de contenedores con fondos europeos"],
    ["fr", "La région investit dans les trains de nuit vers le sud"],
    ["en", "Central bank holds interest rates as inflation slows"],
    ["zh", "新研究显示城市树木可使夏季气温下降两度"],
    ["en", "Shipping firms test wind-assisted cargo vessels on the northern route"],
  ],
};

/** Remarks under social items. */
export const REMARKS: readonly SampleText[] = [
  ["en", "This is the clearest explanation I have seen"],
  ["zh", "学到了,周末就去试试"],
  ["en", "Does it also work in the rain?"],
  ["id", "Terima kasih, sangat membantu"],
  ["es", "Muy útil, gracias por compartir"],
  ["en", "Mine broke after a month, be careful"],
  ["zh", "请问是在哪里买的?"],
];

/** Reviews under products and listings. */
export const REVIEWS: readonly SampleText[] = [
  ["en", "Works as described, arrived in two days"],
  ["id", "Barang bagus, pengiriman cepat"],
  ["es", "Buena calidad por el precio"],
  ["en", "The battery lasts less than promised"],
  ["id", "Warnanya beda dengan foto"],
];

/** Names of made-up people. */
export const NICKNAMES = [
  "harbour_walks",
  "小橙子",
  "dapur_rina",
  "luz.norte",
  "quiet_builds",
  "lena.k",
] as const;
