import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startServer } from "../../src/http/server.js";
import { Lake } from "../../src/lake/lake.js";
import { fourDoors } from "../../src/testing/conformance/doors.js";
import { type OpenSubject, openLocalSubject } from "../../src/testing/conformance/local-subject.js";
import { RULES } from "../../src/testing/conformance/rules.js";
import { obstacle } from "../../src/testing/conformance/score.js";
import { type TemporaryLake, temporarySampleLake } from "../support/sample-lake.js";

let built: TemporaryLake;
let lake: Lake;

beforeAll(async () => {
  built = await temporarySampleLake();
  lake = await Lake.open(built.path);
});

afterAll(async () => {
  await lake?.close();
  await built?.remove();
});

test("every rule has a name of its own", () => {
  expect(new Set(RULES.map(({ id }) => id)).size).toBe(RULES.length);
});

describe.each(fourDoors((service) => startServer(service)))("$name", (door) => {
  let subject: OpenSubject;
  beforeAll(async () => {
    subject = await openLocalSubject(door, { lake });
  });
  afterAll(() => subject?.close());

  test.each(RULES.filter((rule) => rule.run !== undefined))("$id: $says", async (rule) => {
    if (obstacle(rule, subject) === undefined) await rule.run!(subject);
  });
});
