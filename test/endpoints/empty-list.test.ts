import { expect, it } from "vitest";
import { connect } from "../../src/client/connect.js";
import { createTestLake } from "../../src/testing/create-test-lake.js";

it("an empty list in the parameters of a GET is refused in process as over a network", async () => {
  await using lake = await createTestLake({ records: [{ platform: "forum", lang: "en", text: "boots" }] });
  await using remote = connect({ baseUrl: "http://any", apiKey: lake.apiKey, fetch: lake.fetch });
  for (const client of [lake, remote])
    await expect(client.call("account.usage", { by: [] })).rejects.toMatchObject({
      code: "invalid_params",
      message: "by: must not be an empty list",
    });
  expect((await lake.call("account.usage", { by: ["day"] })).meta.empty).toBe(false);
});
