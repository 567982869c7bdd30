import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nearestName } from "../../src/contract/nearest-name.js";

const PLATFORMS = ["short-video", "short-video-lite", "microblog", "forum", "global-news", "sea-marketplace"];

describe("nearestName", () => {
  it.each([
    ["short-vidoe", "short-video"],
    ["shortVideo", "short-video"],
    ["short_video", "short-video"],
    ["MICROBLOGS", "microblog"],
    ["micro", "microblog"],
    ["news", "global-news"],
    ["forums", "forum"],
    ["sea", "sea-marketplace"],
  ])("takes %s for %s", (wrong, meant) => {
    expect(nearestName(wrong, PLATFORMS)).toBe(meant);
  });

  it.each(["", "-", "x", "tv", "accounting", "zzzzzzzz"])("takes %j for nothing", (wrong) => {
    expect(nearestName(wrong, PLATFORMS)).toBeUndefined();
  });

  it("counts a swap of neighbours as one difference", () => {
    expect(nearestName("acuont", ["account"])).toBe("account");
    expect(nearestName("acoutn", ["account"])).toBe("account");
    expect(nearestName("ab", ["ba"])).toBeUndefined();
    expect(nearestName("abc", ["acb"])).toBe("acb");
  });

  it("takes the nearest, and of equally near names the first", () => {
    expect(nearestName("limt", ["limits", "limit"])).toBe("limit");
    expect(nearestName("cat", ["car", "bat"])).toBe("car");
  });

  it("reads an iterable that can be read once only", () => {
    expect(nearestName("lmit", new Map([["limit", 1]]).keys())).toBe("limit");
    expect(nearestName("micro", new Map([["microblog", 1]]).keys())).toBe("microblog");
  });

  it("finds every known name with one letter too many, and never a name that is not known", () => {
    const word = fc.stringMatching(/^[a-z]{3,12}$/);
    fc.assert(
      fc.property(
        fc.uniqueArray(word, { minLength: 1, maxLength: 8 }),
        fc.nat(),
        fc.nat(),
        (names, n, at) => {
          const known = names[n % names.length] as string;
          const place = at % (known.length + 1);
          const wrong = `${known.slice(0, place)}-q-${known.slice(place)}`;
          expect(names).toContain(nearestName(wrong, names));
        },
      ),
    );
    fc.assert(
      fc.property(fc.string(), fc.array(fc.string()), (name, names) => {
        expect([undefined, ...names]).toContain(nearestName(name, names));
      }),
    );
  });
});
