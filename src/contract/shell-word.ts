/** An argument as a shell takes it: as it is, or in quotes where it has a space or another sign that the shell would read. */
export function shellWord(text: string): string {
  return /^[\w./:=,@-]+$/.test(text) ? text : `"${text.replace(/(["\\$`])/g, "\\$1")}"`;
}
