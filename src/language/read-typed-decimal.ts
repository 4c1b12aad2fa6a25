import { latinDigits } from '../domain/time-text.ts';
import { withoutDirectionMarks } from './isolate.ts';

const PERSIAN_POINT = /\u{066B}/gu;
const MINUS = /[\u{2212}\u{2010}-\u{2013}]/gu;
const BLANKS = /[\s\u{A0}\u{202F}]/gu;
/** Thousands separators: the Persian one, the Latin comma, and the comma of Persian keyboards. */
const THOUSANDS = /[\u{066C},\u{060C}]/gu;
const GROUPED = /^-?\d{1,3}(?:[\u{066C},\u{060C}]\d{3})+(?:\.\d+)?$/u;
const PLAIN = /^-?\d+(?:\.\d+)?$/;
/** Maximum number of characters of a typed number: no price or amount is longer. */
const MOST_CHARACTERS = 60;

/**
 * Reads a number that a person typed or pasted, in Latin, Persian or Arabic digits, as an ASCII decimal text:
 * `۱۲٬۳۴۵٫۶` is `12345.6`. Thousands may be separated, but only in groups of three, since `1,5` could mean
 * two numbers. Null for anything else.
 */
export function readTypedDecimal(typed: string): string | null {
  if (typed.length > MOST_CHARACTERS) return null;
  const text = latinDigits(withoutDirectionMarks(typed))
    .replaceAll(BLANKS, '')
    .replaceAll(PERSIAN_POINT, '.')
    .replaceAll(MINUS, '-');
  if (GROUPED.test(text)) return text.replaceAll(THOUSANDS, '');
  return PLAIN.test(text) ? text : null;
}
