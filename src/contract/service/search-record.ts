import type { EndpointParams } from "./catalogue.js";
import type { ShippedPlatform } from "./platforms.js";
import type { EcommerceMetrics, Extra, Provenance, SocialMetrics } from "./unified-record.js";

/** Which fields the records of a search have. */
export type SearchFormat = "records" | "vectors+provenance";

/** Parameters of a search (service.md section 4.1); `F` is the format, which decides the fields of its records. */
export type SearchParams<F extends SearchFormat = SearchFormat> = Omit<
  EndpointParams<"search">,
  "format" | "platforms"
> & {
  /** Platforms to search; all where absent. A corpus may have others than those that ship. */
  readonly platforms?: readonly (ShippedPlatform | (string & {}))[] | undefined;
  /** `records`: without `vec` and `prov`. By default `vectors+provenance`. */
  readonly format?: F | undefined;
};

/** `extra` of a record: the keys of service.md section 2.3, those that most mappings bring, and any other scalar. */
export type RecordExtra = Extra & {
  /** Where it was published. */
  readonly url?: string | undefined;
  /** When it was published, ISO 8601 with an offset. */
  readonly published_at?: string | undefined;
  /** The platform's own id of it. */
  readonly source_id?: string | undefined;
};

/** What records of every domain have (service.md section 2.3). */
interface AnyRecord {
  /** `<soc|eco|web>_<platform code>_<suffix>`. */
  readonly id: string;
  /** Slug of the platform. */
  readonly platform: string;
  /** BCP-47 tag; `und` where the language is not known. */
  readonly lang: string;
  /** Body of a social record. */
  readonly text?: string | undefined;
  /** Title of an e-commerce or web record. */
  readonly title?: string | undefined;
  /** Fields of the platform's own. */
  readonly extra?: RecordExtra | undefined;
}

/** A post, a video, a message. */
export interface SocialRecord extends AnyRecord {
  readonly src: "social";
  /** Hash of the author's id, and followers. */
  readonly author?: { readonly uid_hash: string; readonly followers?: number | undefined } | undefined;
  /** Counters: likes, comments, plays. */
  readonly metrics?: SocialMetrics | undefined;
  /** Sample comments. */
  readonly comment_thread?: string[] | undefined;
  readonly price?: undefined;
  readonly review_sample?: undefined;
  readonly sentiment?: undefined;
  readonly entities?: undefined;
}

/** A product, a listing. */
export interface EcommerceRecord extends AnyRecord {
  readonly src: "ecommerce";
  /** `currency` is an ISO 4217 code, `drop_7d` the change over 7 days in percent, negative for a drop. */
  readonly price?:
    | { readonly current: number; readonly currency: string; readonly drop_7d?: number | undefined }
    | undefined;
  /** Counters: rating, orders, reviews; `bsr` is the best-seller rank. */
  readonly metrics?: EcommerceMetrics | undefined;
  /** Sample reviews. */
  readonly review_sample?: string[] | undefined;
  readonly author?: undefined;
  readonly comment_thread?: undefined;
  readonly sentiment?: undefined;
  readonly entities?: undefined;
}

/** An article, a page. */
export interface WebRecord extends AnyRecord {
  readonly src: "web";
  /** `score` may be negative. */
  readonly sentiment?: { readonly score: number; readonly label: string } | undefined;
  /** Names that were found in it. */
  readonly entities?: string[] | undefined;
  readonly metrics?: undefined;
  readonly author?: undefined;
  readonly comment_thread?: undefined;
  readonly price?: undefined;
  readonly review_sample?: undefined;
}

/** What the format `vectors+provenance` adds. */
interface Evidence {
  /** 1536 numbers. */
  readonly vec: Float32Array;
  /** Hash of the record, and when it was captured. */
  readonly prov: Provenance;
}

/** A record of a search: `src` tells which, and the format whether `vec` and `prov` are there. */
export type SearchRecord<F extends SearchFormat = SearchFormat> = (
  | SocialRecord
  | EcommerceRecord
  | WebRecord
) &
  (F extends "records" ? { readonly vec?: undefined; readonly prov?: undefined } : Evidence);
