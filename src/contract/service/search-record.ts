import type { EndpointParams } from "./catalogue.js";
import type { ShippedPlatform } from "./platforms.js";
import type { EcommerceMetrics, Extra, Provenance, SocialMetrics } from "./unified-record.js";

/** Format of search records: which fields they have. */
export type SearchFormat = "records" | "vectors+provenance";

/** Parameters of a search (service.md section 4.1); `F` is the format, which determines the fields of the records. */
export type SearchParams<F extends SearchFormat = SearchFormat> = Omit<
  EndpointParams<"search">,
  "format" | "platforms"
> & {
  /** Platforms to search; default: all. A corpus may have its own platforms. */
  readonly platforms?: readonly (ShippedPlatform | (string & {}))[] | undefined;
  /** `records`: without `vec` and `prov`. By default `vectors+provenance`. */
  readonly format?: F | undefined;
};

/** `extra` of a record: the keys of service.md section 2.3, common keys of mappings, and any other scalar. */
export type RecordExtra = Extra & {
  /** Address of the publication. */
  readonly url?: string | undefined;
  /** Instant of publication, ISO 8601 with an offset. */
  readonly published_at?: string | undefined;
  /** The platform's own id. */
  readonly source_id?: string | undefined;
};

/** Fields of records of every domain (service.md section 2.3). */
interface AnyRecord {
  /** `<soc|eco|web>_<platform code>_<suffix>`. */
  readonly id: string;
  /** Slug of the platform. */
  readonly platform: string;
  /** BCP-47 tag; `und` for an unknown language. */
  readonly lang: string;
  /** Body of a social record. */
  readonly text?: string | undefined;
  /** Title of an e-commerce or web record. */
  readonly title?: string | undefined;
  /** Platform-specific fields. */
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
  /** Names found in the text. */
  readonly entities?: string[] | undefined;
  readonly metrics?: undefined;
  readonly author?: undefined;
  readonly comment_thread?: undefined;
  readonly price?: undefined;
  readonly review_sample?: undefined;
}

/** Fields that the format `vectors+provenance` adds. */
interface Evidence {
  /** 1536 numbers. */
  readonly vec: Float32Array;
  /** Hash of the record, and its capture instant. */
  readonly prov: Provenance;
}

/** A search result. `src` is the discriminant of its domain; the format determines whether it has `vec` and `prov`. */
export type SearchRecord<F extends SearchFormat = SearchFormat> = (
  | SocialRecord
  | EcommerceRecord
  | WebRecord
) &
  (F extends "records" ? { readonly vec?: undefined; readonly prov?: undefined } : Evidence);
