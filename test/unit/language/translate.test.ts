import { describe, expect, test } from 'vitest';
import { withoutDirectionMarks } from '../../../src/language/isolate.ts';
import { ENGLISH_TERMS } from '../../../src/language/english-terms.ts';
import { PERSIAN_TERMS } from '../../../src/language/persian-terms.ts';
import { translateInto, type TranslationOf } from '../../../src/language/translate.ts';
import { textProblems } from '../../support/text-problems.ts';

const ENGLISH = {
  empty: 'nothing yet',
  canceled: { one: '{count} order of {market} canceled', other: '{count} orders of {market} canceled' },
  silent: 'silent since {time}',
} as const;

const PERSIAN: TranslationOf<typeof ENGLISH> = {
  empty: 'هنوز چیزی نیست',
  canceled: '{count} سفارش {market} لغو شد',
  silent: 'از {time} خاموش است',
};

const english = translateInto<typeof ENGLISH>('en', ENGLISH);
const persian = translateInto<typeof ENGLISH>('fa', PERSIAN);

describe('a text', () => {
  test('follows the plural rules of its language', () => {
    expect(english('canceled', { count: 1, market: 'BTCUSDT' })).toBe('1 order of BTCUSDT canceled');
    expect(english('canceled', { count: 1_200, market: 'BTCUSDT' })).toBe('1,200 orders of BTCUSDT canceled');
    expect(withoutDirectionMarks(persian('canceled', { count: 12, market: 'BTCUSDT' }))).toBe(
      '۱۲ سفارش BTCUSDT لغو شد',
    );
  });

  test('has its values as islands of direction in Persian', () => {
    expect(persian('silent', { time: '02:14' })).toBe('از \u206802:14\u2069 خاموش است');
    expect(english('silent', { time: '02:14' })).toBe('silent since 02:14');
  });

  test('without places takes no values', () => {
    expect(english('empty')).toBe('nothing yet');
  });

  test('with a missing key, place or value does not compile', () => {
    // @ts-expect-error: no such key
    expect(() => english('nothing')).toThrow();
    // @ts-expect-error: no value for its place
    expect(english('silent')).toContain('{time}');
    // @ts-expect-error: a place that the text has not
    expect(english('silent', { clock: '02:14' })).toContain('{time}');
    // @ts-expect-error: a translation without a key
    const missing: TranslationOf<typeof ENGLISH> = { empty: '', silent: '' };
    expect(missing).toBeDefined();
  });
});

describe('the check of translations', () => {
  test('finds nothing in the terms', () => {
    expect(textProblems(ENGLISH_TERMS, PERSIAN_TERMS)).toEqual([]);
    expect(textProblems(ENGLISH, PERSIAN)).toEqual([]);
  });

  test.each([
    ['از {clock} خاموش است', 'places'],
    ['می شود', 'half-space'],
    ['سفارش ها', 'half-space'],
    ['علي', 'Arabic letter'],
    ['كارمزد', 'Arabic letter'],
    ['5 سفارش', 'Latin digit'],
    ['از  {time}', 'blank'],
  ])('finds what is wrong in "%s"', (text, problem) => {
    expect(textProblems({ silent: 'silent since {time}' }, { silent: `${text} {time}` }).join()).toContain(
      problem,
    );
  });
});
