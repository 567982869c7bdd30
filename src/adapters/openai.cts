// What require() gets: the module itself, which Node.js can load so since 20.19.
import entry = require("./openai.js");

export = entry;
