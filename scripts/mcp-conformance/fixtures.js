/** What the scenarios of the conformance package ask a server to have; nothing of it is in the product. */
import { setTimeout as sleep } from "node:timers/promises";
import { completable, inputRequired, McpServer, ResourceTemplate } from "@modelcontextprotocol/server";
import { z } from "zod";

/** A red pixel, and a silent WAV file of no samples. */
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
const WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";

/** @param {string} text */
const text = (text) => /** @type {const} */ ({ type: "text", text });
/** @param {string} uri */
const embedded = (uri) =>
  /** @type {const} */ ({
    type: "resource",
    resource: { uri, mimeType: "text/plain", text: "An embedded resource" },
  });
const image = /** @type {const} */ ({ type: "image", data: PNG, mimeType: "image/png" });

/** @returns {import("@modelcontextprotocol/server").McpServer} */
export function createFixtures() {
  const server = new McpServer(
    { name: "mirrorlake-fixtures", version: "0.0.0" },
    { capabilities: { logging: {}, completions: {} } },
  );
  const tool = (/** @type {string} */ name, /** @type {any} */ run) =>
    server.registerTool(name, { description: name }, run);
  tool("test_simple_text", async () => ({ content: [text("This is a simple text response for testing.")] }));
  tool("test_image_content", async () => ({ content: [image] }));
  tool("test_audio_content", async () => ({
    content: [{ type: "audio", data: WAV, mimeType: "audio/wav" }],
  }));
  tool("test_embedded_resource", async () => ({ content: [embedded("test://embedded-resource")] }));
  tool("test_multiple_content_types", async () => ({
    content: [text("Multiple content types test:"), image, embedded("test://mixed-content-resource")],
  }));
  tool("test_error_handling", async () => ({
    isError: true,
    content: [text("This tool intentionally returns an error for testing")],
  }));
  tool("test_tool_with_progress", async (/** @type {any} */ context) => {
    const { mcpReq } = context;
    const progressToken = mcpReq._meta?.progressToken;
    for (const progress of [0, 50, 100]) {
      if (progressToken !== undefined)
        await mcpReq.notify({
          method: "notifications/progress",
          params: { progressToken, progress, total: 100 },
        });
      await sleep(20);
    }
    return { content: [text(String(progressToken))] };
  });
  tool("test_tool_with_logging", async (/** @type {any} */ context) => {
    for (const message of ["Tool execution started", "Tool processing data", "Tool execution completed"]) {
      await context.mcpReq.log("info", message);
      await sleep(20);
    }
    return { content: [text("logged")] };
  });
  const asks = () =>
    inputRequired({
      inputRequests: {
        sample: inputRequired.createMessage({
          messages: [{ role: "user", content: text("Hi") }],
          maxTokens: 10,
        }),
      },
    });
  tool("test_missing_capability", async () => asks());
  tool("test_streaming_elicitation", async () =>
    inputRequired({
      inputRequests: {
        name: inputRequired.elicit({
          message: "Your name?",
          requestedSchema: { type: "object", properties: { name: { type: "string" } } },
        }),
      },
    }),
  );
  tool("test_logging_tool", async (/** @type {any} */ context) => {
    await context.mcpReq.log("info", "logged where it was asked for");
    return { content: [text("logged")] };
  });
  server.registerResource(
    "static-text",
    "test://static-text",
    { mimeType: "text/plain" },
    async ({ href }) => ({
      contents: [
        { uri: href, mimeType: "text/plain", text: "This is the content of the static text resource." },
      ],
    }),
  );
  server.registerResource(
    "static-binary",
    "test://static-binary",
    { mimeType: "image/png" },
    async ({ href }) => ({
      contents: [{ uri: href, mimeType: "image/png", blob: PNG }],
    }),
  );
  server.registerResource(
    "template",
    new ResourceTemplate("test://template/{id}/data", { list: undefined }),
    { mimeType: "application/json" },
    async ({ href }, { id }) => ({
      contents: [
        {
          uri: href,
          mimeType: "application/json",
          text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
        },
      ],
    }),
  );
  /** @param {any[]} contents */
  const messages = (...contents) => ({
    messages: contents.map((content) => ({ role: /** @type {const} */ ("user"), content })),
  });
  server.registerPrompt("test_simple_prompt", { description: "simple" }, async () =>
    messages(text("This is a simple prompt for testing.")),
  );
  const argument = () =>
    completable(z.string(), (value) => ["test1", "test2"].filter((one) => one.startsWith(value)));
  server.registerPrompt(
    "test_prompt_with_arguments",
    { description: "arguments", argsSchema: z.object({ arg1: argument(), arg2: argument() }) },
    async ({ arg1, arg2 }) => messages(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)),
  );
  server.registerPrompt(
    "test_prompt_with_embedded_resource",
    { description: "resource", argsSchema: z.object({ resourceUri: z.string() }) },
    async ({ resourceUri }) =>
      messages(embedded(resourceUri), text("Please process the embedded resource above.")),
  );
  server.registerPrompt("test_prompt_with_image", { description: "image" }, async () =>
    messages(image, text("Please analyze the image above.")),
  );
  return server;
}
