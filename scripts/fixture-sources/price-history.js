import { DAY_MS, FIXTURE_NOW_MS } from "./moment.js";

/** @import { Random } from "./random.js" */

/**
 * Product names by category: the groceries of an invented Spanish chain.
 * @type {readonly (readonly [string, readonly string[]])[]}
 */
const CATALOGUE = [
  [
    "Aceite, vinagre y sal",
    ["Aceite de oliva virgen extra", "Aceite de girasol", "Vinagre de manzana", "Sal marina"],
  ],
  [
    "Café e infusiones",
    ["Café molido natural", "Café en grano tueste medio", "Té verde", "Infusión de manzanilla"],
  ],
  ["Leche y huevos", ["Leche entera", "Leche desnatada sin lactosa", "Huevos camperos", "Bebida de avena"]],
  [
    "Pan y bollería",
    ["Pan integral de molde", "Barra de pan rústica", "Magdalenas caseras", "Tostadas de trigo"],
  ],
  [
    "Fruta y verdura",
    ["Tomate pera", "Plátano de Canarias", "Manzana roja", "Lechuga romana", "Patata para freír"],
  ],
  ["Pescado y carne", ["Pechuga de pollo", "Filete de merluza", "Salmón fresco", "Carne picada de ternera"]],
  ["Limpieza", ["Detergente líquido", "Lavavajillas a mano", "Papel de cocina", "Lejía"]],
  ["Agua y refrescos", ["Agua mineral", "Zumo de naranja", "Refresco de limón", "Cerveza sin alcohol"]],
];
const BRANDS = /** @type {const} */ (["Valdoro", "La Alquería", "Costa Clara"]);
const STORES = /** @type {const} */ ([
  ["sevilla_41001", "Sevilla", "41001"],
  ["valencia_46001", "Valencia", "46001"],
]);
const DAYS = 8;

/**
 * One day's price of one product in one city.
 * @typedef {{ readonly day: string; readonly store: string; readonly fields: Readonly<Record<string, string | number | boolean | null>>; }} PriceRow
 */

/**
 * Eight days of prices of about a hundred products in two cities; some fall, some rise, most stay.
 * @param {Random} random
 * @returns {PriceRow[]}
 */
export function priceHistory(random) {
  /** @type {PriceRow[]} */
  const rows = [];
  let product = 4000;
  for (const [at, [category, names]] of CATALOGUE.entries()) {
    for (const name of names) {
      for (const brand of BRANDS) {
        product += random.int(3, 40);
        const id = String(product);
        const slug = `${name} ${brand}`
          .toLowerCase()
          .normalize("NFD")
          .replace(/\p{M}/gu, "")
          .replace(/[^a-z0-9]+/g, "-");
        let cents = random.int(60, 1900);
        const move = random.chance(0.35) ? random.int(1, DAYS - 1) : -1;
        const factor = random.pick([0.7, 0.8, 0.85, 0.9, 0.95, 1.05, 1.1]);
        for (let day = 0; day < DAYS; day++) {
          if (day === move) cents = Math.max(1, Math.round(cents * factor));
          const ms = FIXTURE_NOW_MS - (DAYS - 1 - day) * DAY_MS - 7_200_000;
          const date = new Date(ms).toISOString().slice(0, 10);
          for (const [index, [store, province, code]] of STORES.entries()) {
            rows.push({
              day: date,
              store,
              fields: {
                fecha_snapshot: date,
                marca_temporal_extraccion: new Date(ms + index * 60_000).toISOString().replace("Z", "+00:00"),
                id_ubicacion: store,
                provincia: province,
                codigo_postal: code,
                codigo_almacen: `al${index + 1}`,
                id_seccion: String(10 + at),
                seccion: category,
                id_categoria: String(110 + at),
                categoria: category,
                id_producto: id,
                producto: `${name} ${brand}`,
                slug,
                marca: null,
                formato_envase: "Paquete",
                url_imagen: `https://media.example/groceries/${id}.jpg`,
                url_producto: `https://groceries.example/product/${id}/${slug}`,
                precio: cents / 100,
                precio_referencia: cents / 100,
                cantidad_unidad: 1,
                formato_cantidad: "ud",
                porcentaje_iva: 10,
                es_novedad: null,
                disponible: !(store === "sevilla_41001" && day === DAYS - 1 && product % 17 === 0),
                producto_json: "{}",
              },
            });
          }
        }
      }
    }
  }
  return rows;
}
