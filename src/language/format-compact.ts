import { numberFormat } from './format-number.ts';
import { isolateRightToLeft } from './isolate.ts';
import type { Language } from './locale.ts';

/**
 * A number in short: `1.2M` or `۱٫۲ میلیون`. The Persian one has a word, so it runs from right to left, also
 * on an axis that runs from left to right.
 */
export function formatCompact(language: Language, value: number, digits: number): string {
  const text = numberFormat(language, { notation: 'compact', maximumSignificantDigits: digits }).format(
    value,
  );
  return language === 'fa' ? isolateRightToLeft(text) : text;
}
