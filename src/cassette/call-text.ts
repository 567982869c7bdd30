import { exactText } from "./exact-json.js";
import type { RecordedCall } from "./recorded-call.js";
import { type ContentPacker, holdsReference } from "./shared-content.js";

/** The lines of a cassette that hold a call: its new vectors, then the call. Each ends with a line end. */
export function callText({ at, ms, request, response }: RecordedCall, packer: ContentPacker): string {
  const { method, path, query, body } = request;
  const { status, headers } = response;
  const answer = bodyText(response, packer);
  const sent = withMember({ method, path, query }, "body", body === undefined ? undefined : exactText(body));
  const got = withMember({ status, headers }, answer.name, answer.text);
  const call = withMember({ at, ms }, "request", sent);
  return [...answer.vectors, `${call.slice(0, -1)},"response":${got}}`].map((line) => `${line}\n`).join("");
}

interface BodyText {
  readonly name: "json" | "text" | "base64";
  /** JSON. */
  readonly text: string;
  readonly vectors: readonly string[];
}

function bodyText({ body }: RecordedCall["response"], packer: ContentPacker): BodyText {
  if ("bytes" in body) {
    const text = Buffer.from(body.bytes).toString("base64");
    return { name: "base64", text: JSON.stringify(text), vectors: [] };
  }
  if ("text" in body) return { name: "text", text: JSON.stringify(body.text), vectors: [] };
  if (holdsReference(body.json))
    return { name: "text", text: JSON.stringify(exactText(body.json)), vectors: [] };
  const packed = packer.pack(body.json);
  const vectors = [...packed.vectors].map(([name, values]) => withMember({ vector: name }, "values", values));
  return { name: "json", text: exactText(packed.body), vectors };
}

/** The JSON of an object with a further member, whose text is given. */
function withMember(object: object, name: string, text: string | undefined): string {
  const json = JSON.stringify(object);
  return text === undefined ? json : `${json.slice(0, -1)},${JSON.stringify(name)}:${text}}`;
}
