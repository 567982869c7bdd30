import mirrorlake = require("mirrorlake");
import ai = require("mirrorlake/ai");
import anthropic = require("mirrorlake/anthropic");
import embedOpenai = require("mirrorlake/embed-openai");
import embedTransformers = require("mirrorlake/embed-transformers");
import langchain = require("mirrorlake/langchain");
import notebook = require("mirrorlake/notebook");
import openai = require("mirrorlake/openai");
import testing = require("mirrorlake/testing");
import tools = require("mirrorlake/tools");

/** A name of each entry point, so that none of the imports is dropped. */
export const names = [
  mirrorlake.openLake,
  ai.aiTools,
  anthropic.anthropicTools,
  embedOpenai.openaiEmbedder,
  embedTransformers.transformersEmbedder,
  langchain.langchainTools,
  notebook.table,
  openai.openaiTools,
  testing.createTestLake,
  tools.tools,
];
