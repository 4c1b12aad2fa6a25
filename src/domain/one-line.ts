/**
 * A text of others in one line, without what would break a line of a log, or move a terminal's cursor or
 * colours.
 */
export function oneLine(text: string): string {
  // oxlint-disable-next-line no-control-regex -- these are what is taken out
  return text.replaceAll(/[\u0000-\u001F\u007F-\u009F\u2028\u2029]+/g, ' ');
}
