// Preloaded by tests: node then finds no hnswlib-node, as where it could not be compiled.
import { register } from "node:module";

const hook = `export async function resolve(name, context, next) {
  if (name === "hnswlib-node") throw new Error("Cannot find package 'hnswlib-node'");
  return next(name, context);
}`;
register(`data:text/javascript,${encodeURIComponent(hook)}`);
