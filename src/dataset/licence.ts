const SPDX_ID =
  /^(?:Apache|BSD|CC|CC0|CDLA|EUPL|GPL|LGPL|AGPL|MIT|MPL|ODbL|ODC|PDDL|Unlicense|ISC|OGL)(?:-[A-Za-z0-9.]+)*$/;

/** The SPDX address of a licence whose name is an SPDX identifier; undefined for other text. */
export function licenceUrl(name: string): string | undefined {
  return SPDX_ID.test(name) ? `https://spdx.org/licenses/${name}` : undefined;
}
