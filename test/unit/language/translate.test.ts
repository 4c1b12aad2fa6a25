import { describe, expect, test } from 'vitest';
import { withoutDirectionMarks } from '../../../src/language/isolate.ts';
import { ENGLISH_TERMS } from '../../../src/language/english-terms.ts';
import { PERSIAN_TERMS } from '../../../src/language/persian-terms.ts';
import { english as englishOf, sentence } from '../../../src/language/sentence.ts';
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

  test('has the singular after the number 1, in a text and in a sentence of the bot', () => {
    const texts = {
      gaps: '{market}: {bars} bars are missing',
      left: '{left} entries open',
      losses: '{losses} losses in a row',
    } as const;
    const t = translateInto<typeof texts>('en', texts);
    expect(t('gaps', { market: 'BTCIRT', bars: '1' })).toBe('BTCIRT: 1 bar is missing');
    expect(t('gaps', { market: 'BTCIRT', bars: '2' })).toBe('BTCIRT: 2 bars are missing');
    expect(t('left', { left: 1 })).toBe('1 entry open');
    expect(t('losses', { losses: 1 })).toBe('1 loss in a row');
    expect(englishOf(sentence('control-done', { count: 1 }))).toBe('1 order is canceled');
    expect(englishOf(sentence('control-done', { count: 2 }))).toBe('2 orders are canceled');
    expect(englishOf(sentence('risk-open-orders', { open: 1, limit: 1 }))).toContain('has 1 open order and');
    expect(englishOf(sentence('cancels-wait-answers', { count: 1 }))).toContain('1 cancel waits for');
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
