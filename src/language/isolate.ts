const LEFT_TO_RIGHT_ISOLATE = '\u{2066}';
const RIGHT_TO_LEFT_ISOLATE = '\u{2067}';
const FIRST_STRONG_ISOLATE = '\u{2068}';
const POP_ISOLATE = '\u{2069}';

/**
 * Isolates a number, a symbol or an id from left to right, so that right-to-left text around it does not move
 * its sign or its parts. Unicode Bidirectional Algorithm, 2.4.
 */
export const isolateLeftToRight = (text: string): string => `${LEFT_TO_RIGHT_ISOLATE}${text}${POP_ISOLATE}`;

/** Isolates Persian words from right to left, such as on an axis, which runs from left to right. */
export const isolateRightToLeft = (text: string): string => `${RIGHT_TO_LEFT_ISOLATE}${text}${POP_ISOLATE}`;

/** Isolates a text of any direction: its first letter decides its direction. */
export const isolateByFirstLetter = (text: string): string => `${FIRST_STRONG_ISOLATE}${text}${POP_ISOLATE}`;

/** Removes marks of direction from a text, such as one that was copied from a page. */
export const withoutDirectionMarks = (text: string): string =>
  text.replaceAll(/[\u{200E}\u{200F}\u{061C}\u{202A}-\u{202E}\u{2066}-\u{2069}]/gu, '');
