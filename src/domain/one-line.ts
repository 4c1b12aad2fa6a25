/**
 * A text of others in one line, without what would break a line of a log, or move a terminal's cursor or
 * colours.
 */
export function oneLine(text: string): string {
  // oxlint-disable-next-line no-control-regex -- these are what is taken out
  return text.replaceAll(/[\u0000-\u001F\u007F-\u009F\u2028\u2029]+/g, ' ');
}

/**
 * Characters that a terminal would obey, or that would reverse the rest of a line; tabs and line ends stay.
 */
const OBEYED = /[^\P{Cc}\t\n]|[\u202A-\u202E\u2066-\u2069]/gu;

/** A text of others as a terminal may show it. */
export function harmless(text: string): string {
  return text.replaceAll(OBEYED, '?');
}
