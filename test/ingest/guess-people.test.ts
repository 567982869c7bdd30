import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { GuessedMapping } from "../../src/ingest/guess/guess-mapping.js";
import { guessRows, Scratch } from "./support.js";

let scratch: Scratch;
beforeEach(async () => {
  scratch = await Scratch.make();
});
afterEach(() => scratch.remove());

const WORDS = "The new bridge over the river opens on Monday, and it costs nothing";

const guess = (make: (n: number) => object) => guessRows(scratch, 8, make);
const fieldsOf = ({ mapping }: GuessedMapping) => mapping.rules[0]!.record!.fields!;
const leftOut = ({ leftOut }: GuessedMapping) =>
  Object.fromEntries(leftOut.map(({ path, reason }) => [path, reason]));

describe("a guess of rows that people wrote", () => {
  it("takes nobody's name for a title, and keeps nobody's name, id or address", async () => {
    const guessed = await guess((n) => ({
      comment_id: `c${n}x`,
      user_name: `Ada Person ${n % 3}`,
      user_id: `u${n % 3}`,
      user_url: `https://example.com/people/${n % 3}`,
      profile: { userImage: `https://example.com/faces/${n % 3}.png` },
      in_reply_to_screen_name: n === 1 ? "ada" : null,
      comment_text: `${WORDS}, ${n}`,
      num_likes: n,
      product_name: "Bridge",
    }));
    const fields = fieldsOf(guessed);
    expect(fields["author.uid_hash"]).toEqual({ path: "user_id", author_hash: true });
    expect(fields.title).toBe("product_name");
    expect(Object.values(fields).filter((field) => /user|screen/i.test(JSON.stringify(field)))).toEqual([
      { path: "user_id", author_hash: true },
    ]);
    for (const path of ["user_name", "user_url", "profile.userImage", "in_reply_to_screen_name"])
      expect(leftOut(guessed)[path]).toContain("personal data");
  });

  it("hashes the page of who wrote a row, and keeps no addresses of people's pages, also in lists", async () => {
    const page = (n: number) => `https://social.example/users/person${n}`;
    const guessed = await guess((n) => ({
      id: `https://social.example/users/person${n % 2}/statuses/${n}/activity`,
      actor: page(n % 2),
      published: "2026-05-01T00:00:00Z",
      to: ["https://www.w3.org/ns/activitystreams#Public"],
      cc: [`${page(n % 2)}/followers`, page(7)],
      object: {
        content: `<p>${WORDS}, ${n}</p>`,
        attributedTo: page(n % 2),
        url: `https://social.example/@person${n % 2}/${n}`,
      },
      signature: { creator: `${page(n % 2)}#main-key`, created: "2026-05-02T00:00:00Z" },
      avatar_url: `https://social.example/faces/${n}.png`,
    }));
    const fields = fieldsOf(guessed);
    expect(fields["author.uid_hash"]).toEqual({ path: "actor", author_hash: true });
    expect(fields["extra.published_at"]).toEqual({ path: "published", time: "iso" });
    expect(fields["extra.to"]).toBe("to");
    expect(fields["extra.object_url"]).toBe("object.url");
    for (const path of ["cc", "object.attributedTo", "avatar_url"])
      expect(leftOut(guessed)[path]).toContain("personal data");
  });

  it("says that an id is a person's, where rows have no other", async () => {
    const guessed = await guess((n) => ({
      product_name: `A lamp of brass ${n}`,
      user_id: `u${n}`,
      price: `${n}.50`,
    }));
    expect(guessed.doubts).toContainEqual(expect.stringContaining("id: user_id is a person's by its name"));
  });

  it("finds the author of a deeply nested answer, and the row's own language and time before those of its author", async () => {
    const guessed = await guess((n) => ({
      user: {
        id_str: `7${n}`,
        name: `Ada Person ${n}`,
        screen_name: `ada${n}`,
        lang: "de",
        created_at: "2010-01-01T00:00:00Z",
      },
      id: 1_242_339_650_888 + n,
      created_at: "2026-05-01T00:00:00Z",
      lang: "en",
      text: `${WORDS}, ${n}`,
      favorite_count: n,
      place: { id: `p${n % 2}`, name: `Bridgetown ${n % 2}`, full_name: `Bridgetown ${n % 2}, BB` },
      source: '<a href="https://example.com/app">An application for reading and writing</a>',
    }));
    const fields = fieldsOf(guessed);
    expect(fields.title).toBeUndefined();
    expect(guessed.doubts.join("\n")).not.toContain("long texts");
    expect(fields["author.uid_hash"]).toEqual({ path: "user.id_str", author_hash: true });
    expect(fields["extra.published_at"]).toEqual({ path: "created_at", time: "iso" });
    expect(guessed.mapping.defaults!.lang).toEqual({ path: "lang", language: true, default: "und" });
    expect(guessed.mapping.rules[0]!.record!.id).toBe("id");

    const deep = await guess((n) => ({
      snippet: {
        topLevelComment: {
          id: `UgxISZhP${n}`,
          snippet: {
            textDisplay: `${WORDS}, ${n}`,
            authorDisplayName: `Ada Person ${n}`,
            authorChannelUrl: `https://example.com/channel/${n}`,
            authorChannelId: { value: `UC${n}` },
            likeCount: n,
          },
        },
      },
    }));
    const comment = "snippet.topLevelComment.snippet";
    expect(fieldsOf(deep)).toMatchObject({
      text: `${comment}.textDisplay`,
      "metrics.likes": `${comment}.likeCount`,
      "author.uid_hash": { path: `${comment}.authorChannelId.value`, author_hash: true },
    });
    expect(fieldsOf(deep).title).toBeUndefined();
    expect(JSON.stringify(fieldsOf(deep))).not.toMatch(/authorDisplayName|authorChannelUrl/);
  });

  it("takes a name that goes with the author for the author's, and not for a title", async () => {
    const guessed = await guess((n) => ({
      id: `p${n}x`,
      user_posted: `ada${n % 3}`,
      name: `Ada Person ${n % 3}`,
      description: `${WORDS}, ${n}`,
      likes: n,
    }));
    expect(fieldsOf(guessed).title).toBeUndefined();
    expect(fieldsOf(guessed)["author.uid_hash"]).toEqual({ path: "user_posted", author_hash: true });
    expect(leftOut(guessed).name).toContain("personal data");
  });

  it("keeps no lists of e-mail addresses, phone numbers or machines, in one member or in columns", async () => {
    const guessed = await guess((n) => ({
      id: `post${n}x`,
      text: `${WORDS}, ${n}`,
      contacts: [`ada${n}@example.org`, "info@example.org"],
      calls: ["+4915112345678"],
      seen: [`192.168.1.${n}`],
      "mentions/0": `ada${n}`,
      "mentions/1": n > 3 ? "bo" : "",
      "write/0": `ada${n}@example.org`,
      "write/1": n > 3 ? "none" : "",
      labels: ["bridge"],
    }));
    expect(Object.keys(fieldsOf(guessed))).toEqual(["text", "extra.labels"]);
    for (const path of ["contacts", "calls", "seen", "mentions", "write"])
      expect(leftOut(guessed)[path], path).toContain("personal data");
  });

  it("keeps addresses with an @ in them, which are no e-mail addresses", async () => {
    const guessed = await guess((n) => ({
      id: `v${n}x`,
      text: `${WORDS}, ${n}`,
      post_url: `https://video.example.com/@shop.official/video/${n}`,
      mail: `someone${n}@example.com`,
    }));
    expect(fieldsOf(guessed)["extra.post_url"]).toBe("post_url");
    expect(leftOut(guessed)).toMatchObject({ mail: expect.stringContaining("e-mail") });
  });

  it("keeps no person who is named in a chat, a list of people, a cell of JSON or by an id of a service", async () => {
    const chat = await guess((n) => ({
      id: 5_000 + n,
      text: `${WORDS}, ${n}`,
      from: `Ada Person ${n % 3}`,
      from_id: `user70${n % 3}`,
      forwarded_from: "Bob Person",
      members: ["Cy Person"],
    }));
    expect(fieldsOf(chat)["author.uid_hash"]).toEqual({ path: "from_id", author_hash: true });
    for (const path of ["from", "forwarded_from", "members"])
      expect(leftOut(chat)[path]).toContain("personal data");

    const posts = await guess((n) => ({
      id: `p${n}x`,
      text: `${WORDS}, ${n}`,
      author: { steamid: `7656119${n % 2}`, num_reviews: n, image_72: `https://pics.example/${n}.png` },
      repost: { by: { did: "did:plc:1", handle: "bob.example" } },
      contributor_id: n === 0 ? null : `k${n % 2}`,
      host_name: "Cy",
      mentions: n % 2 === 0 ? [] : ["did:plc:7"],
      tagged_users: ["@bob"],
      replies: JSON.stringify([{ reply_user: "bob", reply: "Nice" }]),
      shape: JSON.stringify({ width: 3, user: null }),
      likes: n,
    }));
    const fields = fieldsOf(posts);
    expect(fields["author.uid_hash"]).toEqual({ path: "author.steamid", author_hash: true });
    expect(Object.keys(fields)).not.toContain("metrics.reviews");
    expect(fields["extra.shape"]).toBe("shape");
    const people = [
      "author.image_72",
      "contributor_id",
      "host_name",
      "repost.by.did",
      "repost.by.handle",
      "mentions",
      "tagged_users",
    ];
    for (const path of people) expect(leftOut(posts)[path]).toContain("personal data");
    expect(leftOut(posts).replies).toBe(
      "JSON that tells of a person (reply_user), which is personal data; name it if you may keep it",
    );
  });

  it("keeps places that flights are from, lists of members and names of numbers", async () => {
    const flights = await guess((n) => ({
      flight: `AB${n}`,
      from: "Bridgetown",
      notes: `${WORDS}, ${n}`,
      members: ["wing", "tail"],
      mentions: n,
      order_by: "date",
    }));
    expect(Object.keys(fieldsOf(flights))).toEqual(
      expect.arrayContaining(["extra.from", "extra.members", "extra.mentions", "extra.order_by"]),
    );
  });

  it("hashes authors and keeps no names of people in other languages, and knows their ids, texts and counts", async () => {
    const weibo = await guess((n) => ({
      评论ID: 180_000_000_000 + n,
      上级评论ID: 180_000_000_000,
      用户ID: `u${n % 3}`,
      用户昵称: `小明${n % 3}`,
      头像: `https://pics.example/${n}.jpg`,
      评论内容: `新的大桥星期一通车，大家都可以免费通行，欢迎来看看。${n}`,
      点赞数: n,
      转发数: n,
      收藏数: n,
      发布时间: `2026年5月${n + 1}日`,
    }));
    expect(weibo.mapping.rules[0]!.record!.id).toBe("评论ID");
    expect(fieldsOf(weibo)).toEqual({
      text: "评论内容",
      "metrics.likes": "点赞数",
      "metrics.shares": "转发数",
      "metrics.saves": "收藏数",
      "author.uid_hash": { path: "用户ID", author_hash: true },
      "extra.published_at": { path: "发布时间", time: "yyyy年M月d日" },
      "extra.上级评论ID": "上级评论ID",
    });
    const cafe = await guess((n) => ({
      번호: n,
      제목: `다리 개통 ${n}`,
      작성자: `회원${n % 3}`,
      내용: `새 다리가 월요일에 개통되며 모두 무료로 지나갈 수 있습니다. ${n}`,
      조회수: n,
      작성일: `2026.05.0${n + 1}.`,
    }));
    expect(fieldsOf(cafe)).toMatchObject({
      title: "제목",
      "metrics.views": "조회수",
      "author.uid_hash": { path: "작성자", author_hash: true },
      "extra.published_at": { path: "작성일", time: "yyyy.MM.dd." },
    });
    const wall = await guess((n) => ({
      Автор: `Иван ${n % 3}`,
      Текст: `Новый мост откроется в понедельник, проезд для всех свободный, ${n}`,
      Лайки: n,
      "Имя пользователя": `ivan${n % 3}`,
    }));
    expect(fieldsOf(wall)).toMatchObject({ text: "Текст", "metrics.likes": "Лайки" });
    expect(JSON.stringify(fieldsOf(wall))).not.toContain("Имя");
  });

  it("says which addresses tell who the author is, in spite of the hash", async () => {
    const posts = await guess((n) => ({
      cid: `bafy${n}x`,
      uri: `at://did:plc:Ada${n % 2}/post/${n}`,
      author_did: `did:plc:ada${n % 2}`,
      link: `https://news.example/${n}`,
      text: `${WORDS}, ${n}`,
    }));
    expect(posts.doubts.filter((doubt) => doubt.includes("in spite of the hash"))).toEqual([
      "uri: author_did stands in it, which tells who the author is in spite of the hash; leave it out, or take a part of it with `match`",
    ]);
  });

  it("takes JSON in a cell for text where it is nested deeper than a mapping can read", async () => {
    const deep = `${"[".repeat(50_000)}1${"]".repeat(50_000)}`;
    const rows = await guess((n) => ({ id: `${n}x`, text: `${WORDS}, ${n}`, cell: deep }));
    expect(fieldsOf(rows)).toMatchObject({ text: "text", "extra.cell": "cell" });
  });
});
