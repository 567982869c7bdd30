import { fileURLToPath } from "node:url";
import type { SourceInfo } from "../contract/slice/slice-item.js";

/** Folder of the shipped demo data. */
export const DEMO_DATA = fileURLToPath(new URL("../../fixtures/demo", import.meta.url));

/** Public salt: the demo's authors are invented or public, and a fixed salt gives the same bytes on every machine. */
export const DEMO_AUTHOR_SALT = "mirrorlake";

/** One folder of demo data and its ingest options. */
export interface DemoSource {
  readonly folder: string;
  /** A shipped adapter, or a mapping file below {@link DEMO_DATA}. */
  readonly adapter: string;
  /** Capture instant of data without one. */
  readonly capturedAt?: string;
  /** Manifest fields of the slices; they override the adapter's general ones. */
  readonly info?: Pick<SourceInfo, "title" | "licence"> & Partial<SourceInfo>;
}

const INVENTED = { licence: "MIT", attribution: "Mirrorlake, generated" };

/** The datasets of the demo. fixtures/demo/README.md describes them and their licences. */
export const DEMO_SOURCES: readonly DemoSource[] = [
  {
    folder: "social_short_video_native",
    adapter: "short-video-native",
    capturedAt: "2026-05-29T12:00:00Z",
    info: { ...INVENTED, title: "Invented short videos" },
  },
  {
    folder: "social_weibo_zh",
    adapter: "microblog-tree",
    capturedAt: "2026-05-29T11:30:00Z",
    info: { ...INVENTED, title: "Invented microblog posts" },
  },
  {
    folder: "ecom_price_history_es",
    adapter: "price-history",
    info: { ...INVENTED, title: "Invented grocery prices" },
  },
  {
    folder: "ecom_marketplace_reviews_id",
    adapter: "marketplace-reviews",
    capturedAt: "2026-05-29T08:00:00Z",
  },
  {
    folder: "emb_azure_products_en",
    adapter: "products-with-vectors",
    capturedAt: "2026-05-28T09:00:00Z",
    info: { title: "Outdoor products with vectors", licence: "MIT", attribution: "Microsoft Corporation" },
  },
  { folder: "newswire", adapter: "mappings/newswire.json" },
  { folder: "web_indonlu_id", adapter: "indonlu", capturedAt: "2026-05-25T09:00:00Z" },
  {
    folder: "emb_autodoc_solana_en",
    adapter: "documents-with-vectors",
    capturedAt: "2026-05-20T09:00:00Z",
    info: {
      title: "Solana program documents with vectors",
      licence: "Apache-2.0",
      attribution: "context-labs/solana-program-library",
    },
  },
  {
    folder: "ir_xquad_multi",
    adapter: "beir",
    capturedAt: "2026-05-10T09:00:00Z",
    info: {
      title: "XQuAD passages",
      licence: "CC-BY-SA-4.0",
      attribution: "M. Artetxe, S. Ruder, D. Yogatama, XQuAD (ACL 2020)",
    },
  },
];

/** The demo video with the largest comment tree. */
export const DEMO_VIDEO = "7400000000000000123";

/** A command that the demo runs, with its heading. */
export interface DemoStep {
  readonly title: string;
  readonly args: readonly string[];
}

/** The commands that the demo runs on its lake. */
export const DEMO_STEPS: readonly DemoStep[] = [
  {
    title: "Search, social: phones and their batteries, in Chinese",
    args: ["search", "手机 续航", "--domain", "social", "--freshness", "30d", "--limit", "5"],
  },
  {
    title: "Search, e-commerce: products with downloaded 1536-d vectors among them",
    args: ["search", "waterproof hiking boots", "--domain", "ecommerce", "--freshness", "7d", "--limit", "5"],
  },
  {
    title: "Search, web: news about floods, in Spanish",
    args: ["search", "inundaciones por la lluvia", "--domain", "web", "--freshness", "30d", "--limit", "5"],
  },
  {
    title: "Raw: one video, as its platform has it",
    args: ["raw", "short-video", "video", "--item-id", DEMO_VIDEO],
  },
  {
    title: "Raw: the first page of its comments",
    args: ["raw", "short-video", "comments", "--item-id", DEMO_VIDEO, "--count", "8"],
  },
  {
    title: "Raw: the next page, from the cursor of the first",
    args: ["raw", "short-video", "comments", "--item-id", DEMO_VIDEO, "--count", "8", "--cursor", "8"],
  },
  { title: "Slices: the e-commerce datasets in this lake", args: ["slices", "--domain", "ecommerce"] },
];
