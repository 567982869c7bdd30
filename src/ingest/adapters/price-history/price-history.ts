import type { Platform } from "../../../contract/service/platforms.js";
import type { RawItem, SliceItem } from "../../../contract/slice/slice-item.js";
import { buildRaw } from "../../mapping/build-raw.js";
import { buildRecord, compact, platformsBySlug } from "../../mapping/build-record.js";
import { ExternalSort } from "../../mapping/external-sort.js";
import { type Run, startRun } from "../../mapping/run.js";
import { FieldError } from "../../values/field-error.js";
import type { Adapter } from "../adapter.js";
import { convertRows } from "../convert-rows.js";
import { foldGroups, type GroupFold, type Origin } from "../fold-groups.js";
import { Fields } from "../row-fields.js";
import { newestByPlace, type PlacePrice } from "./price-series.js";

const GROCERY: Platform = {
  slug: "grocery-market",
  domain: "ecommerce",
  code: "gro",
  name: "Grocery market",
};
const CURRENCY = "EUR";
const LANGUAGE = "es";

/** One row of a snapshot. */
interface Snapshot extends PlacePrice {
  readonly capturedAt: string;
  readonly product: string;
  readonly title: string;
  readonly section: string | undefined;
  readonly category: string | undefined;
  readonly packaging: string | undefined;
  readonly unitPrice: number | undefined;
  readonly unit: string | undefined;
  readonly available: boolean | undefined;
  readonly isNew: boolean | undefined;
  readonly image: string | undefined;
  readonly url: string | undefined;
  readonly origin: Origin;
}

interface Conversion {
  readonly run: Run;
  readonly platform: Platform;
}

function readSnapshot(value: unknown, origin: Origin): Snapshot {
  const fields = new Fields(value);
  const capturedAt = fields.time("marca_temporal_extraccion", ["iso"]);
  if (capturedAt === undefined) throw new FieldError("marca_temporal_extraccion", "is missing");
  const price = fields.number("precio");
  if (price === undefined) throw new FieldError("precio", "is missing");
  if (price < 0) throw new FieldError("precio", "is below 0", price);
  const isNew = fields.value("es_novedad");
  return {
    product: fields.need("id_producto"),
    title: fields.need("producto"),
    place: fields.need("id_ubicacion"),
    day: fields.need("fecha_snapshot", "snapshot_date").slice(0, 10),
    capturedAt,
    capturedMs: Date.parse(capturedAt),
    price,
    section: fields.text("seccion"),
    category: fields.text("categoria"),
    packaging: fields.text("formato_envase"),
    unitPrice: fields.number("precio_referencia"),
    unit: fields.text("formato_cantidad"),
    available: fields.flag("disponible"),
    isNew: isNew === undefined ? undefined : isNew === true || isNew === 1,
    image: fields.text("url_imagen"),
    url: fields.text("url_producto"),
    origin,
  };
}

function rawPrice(snapshot: Snapshot, { run, platform }: Conversion): RawItem {
  const { product, place, day, capturedAt } = snapshot;
  return buildRaw({
    platform: platform.slug,
    resource: "price",
    id: `${product}:${place}:${day}`,
    parent: product,
    lang: run.language ?? LANGUAGE,
    captured_at: run.capturedAt(capturedAt),
    created_at: capturedAt,
    score: snapshot.price,
    data: {
      ts: capturedAt,
      current: snapshot.price,
      currency: CURRENCY,
      date: day,
      location: place,
      unit_price: snapshot.unitPrice,
      unit: snapshot.unit,
      available: snapshot.available,
    },
  });
}

/** Folds the snapshots of one product. */
class ProductFold implements GroupFold<Snapshot> {
  origin: Origin | undefined;
  rows = 0;
  private readonly snapshots: Snapshot[] = [];
  private readonly conversion: Conversion;

  constructor(conversion: Conversion) {
    this.conversion = conversion;
  }

  add(snapshot: Snapshot): void {
    this.origin ??= snapshot.origin;
    this.snapshots.push(snapshot);
    this.rows++;
  }

  finish(): readonly SliceItem[] {
    const points = this.snapshots.map((snapshot) => {
      return { kind: "raw", raw: rawPrice(snapshot, this.conversion) } as const;
    });
    return [this.product(), ...points];
  }

  private product(): SliceItem {
    const { run, platform } = this.conversion;
    const newest = newestByPlace(this.snapshots);
    const [last] = newest;
    const prices = newest.map(({ price }) => price);
    const capturedAt = newest.reduce((a, b) => (b.capturedMs > a.capturedMs ? b : a)).capturedAt;
    const extra = compact({
      source_id: last.product,
      category: last.category,
      section: last.section,
      packaging: last.packaging,
      stock: last.available === undefined ? undefined : last.available ? "available" : "out of stock",
      new_arrival: last.isNew,
      location: last.place,
      locations: newest.map(({ place }) => place),
      price_min: Math.min(...prices),
      price_max: Math.max(...prices),
      unit_price: last.unitPrice,
      unit: last.unit,
      url: last.url,
      image_url: last.image,
    });
    const record = buildRecord(
      {
        id: last.product,
        lang: run.language ?? LANGUAGE,
        title: last.title,
        price: { current: last.price, currency: CURRENCY },
        extra: extra as NonNullable<Parameters<typeof buildRecord>[0]["extra"]>,
      },
      platform,
      run.capturedAt(capturedAt),
    );
    return { kind: "record", record };
  }
}

/**
 * Daily snapshots of a supermarket's prices at several places. A product is one record, of its newest day alone: its price is that of
 * the first place by name, `extra.price_min` and `price_max` span all places of that day. Each price point is a child of the product
 * and names its `location`; `price.drop_7d` is derived from these when they are installed. The source's own flag for a lower price is
 * ignored.
 */
export const PRICE_HISTORY: Adapter = {
  name: "price-history",
  info: { title: "Supermarket price history", licence: "unknown", platforms: [GROCERY] },
  sources: [{ name: "snapshots", files: ["*.parquet"], read: { as: "parquet" } }],
  unread: [{ files: ["LICENSE*", "*README*"], reason: "not data" }],
  async *convert(rows, context) {
    const run = startRun(context, platformsBySlug([GROCERY]), true);
    const conversion: Conversion = { run, platform: run.platform ?? GROCERY };
    const products = new ExternalSort<Snapshot>(context);
    try {
      yield* convertRows(rows, async ({ value, file, line, element }) => {
        const snapshot = readSnapshot(value, { file, line, element });
        await products.add(snapshot.product, snapshot);
        return [];
      });
      yield* foldGroups(products, () => new ProductFold(conversion));
    } finally {
      await products.close();
    }
  },
};
