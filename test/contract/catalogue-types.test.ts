import { describe, expectTypeOf, test } from "vitest";
import type {
  EndpointData,
  EndpointId,
  EndpointParams,
  EndpointValues,
  RawEndpointId,
  RawPlatform,
  RawResource,
} from "../../src/contract/service/catalogue.js";
import type { CommentsPage, RawVideo } from "../../src/contract/service/raw.js";

describe("types of the catalogue, per endpoint", () => {
  test("ids, platforms and resources are literal", () => {
    expectTypeOf<"raw.microblog.trend">().toExtend<EndpointId>();
    expectTypeOf<"raw.microblog.nothing">().not.toExtend<EndpointId>();
    expectTypeOf<"no-platform">().not.toExtend<RawPlatform>();
    expectTypeOf<RawResource<"travel-marketplace">>().toEqualTypeOf<"listing" | "reviews" | "price-path">();
    expectTypeOf<RawEndpointId<"forum", "post">>().toEqualTypeOf<"raw.forum.post">();
  });

  test("a caller may leave defaults out, a handler has them", () => {
    expectTypeOf<{ query: string }>().toExtend<EndpointParams<"search">>();
    expectTypeOf<{ query: string; freshnes: string }>().not.toEqualTypeOf<EndpointParams<"search">>();
    expectTypeOf<EndpointValues<"search">["limit"]>().toEqualTypeOf<number>();
    expectTypeOf<EndpointParams<"search">["limit"]>().toEqualTypeOf<number | undefined>();
    expectTypeOf<EndpointParams<"raw.forum.posts">["sort"]>().toEqualTypeOf<
      "captured" | "likes" | "comments" | "views" | undefined
    >();
  });

  test("rows from builders are as literal as rows written out", () => {
    expectTypeOf<EndpointValues<"raw.intl-short-video.video">>().toEqualTypeOf<{ video_id: string }>();
    expectTypeOf<EndpointParams<"raw.global-marketplace.products">["sort"]>().toEqualTypeOf<
      "captured" | "price" | "drop_7d" | "rating" | "reviews" | "bsr" | undefined
    >();
    expectTypeOf<EndpointParams<"raw.forum.replies">>().toExtend<{ post_id: string; cid: string }>();
    expectTypeOf<RawResource<"creator-market">>().toEqualTypeOf<
      "creator" | "creators" | "creator-graph" | "rate-path"
    >();
    expectTypeOf<RawResource<"short-video-lite">>().toEqualTypeOf<"video" | "comments" | "creator-videos">();
  });

  test("data is that of the endpoint", () => {
    expectTypeOf<EndpointData<"raw.short-video.video">>().toExtend<RawVideo | null>();
    expectTypeOf<EndpointData<"raw.short-video.comments">>().toExtend<CommentsPage>();
    expectTypeOf<EndpointData<"account.keys.create">["api_key"]>().toEqualTypeOf<string>();
  });
});
