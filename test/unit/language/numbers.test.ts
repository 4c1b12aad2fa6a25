import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatBothUnits, formatExact, formatMoney } from '../../../src/language/format-money.ts';
import {
  formatCount,
  formatDecimal,
  formatShare,
  withReadableNumbers,
} from '../../../src/language/format-number.ts';
import { withoutDirectionMarks } from '../../../src/language/isolate.ts';
import { localeOf } from '../../../src/language/locale.ts';
import { readTypedDecimal } from '../../../src/language/read-typed-decimal.ts';
import { reasonText } from '../../../src/cli/order-lines.ts';
import { sentence } from '../../../src/language/sentence.ts';

const plain = withoutDirectionMarks;

describe('a number', () => {
  test('keeps every digit of a text that no float holds', () => {
    expect(formatDecimal('en', '12345678901234567890.1234567891')).toBe(
      '12,345,678,901,234,567,890.1234567891',
    );
    expect(plain(formatDecimal('fa', '12345678901234567890.1234567891'))).toBe(
      '۱۲٬۳۴۵٬۶۷۸٬۹۰۱٬۲۳۴٬۵۶۷٬۸۹۰٫۱۲۳۴۵۶۷۸۹۱',
    );
  });

  test('is rounded half to even where decimals are given', () => {
    expect(['0.125', '0.135', '-0.125'].map((text) => formatDecimal('en', text, { decimals: 2 }))).toEqual([
      '0.12',
      '0.14',
      '-0.12',
    ]);
  });

  test('is an island from left to right in Persian, and only there', () => {
    expect(formatCount('fa', 1_234)).toBe('\u2066۱٬۲۳۴\u2069');
    expect(formatCount('en', 1_234)).toBe('1,234');
  });

  test('says a share in percent, with its sign where one is wanted', () => {
    expect(formatShare('en', 0.1234, { isSigned: true })).toBe('+12.34%');
    expect(plain(formatShare('fa', -0.1234))).toBe('−۱۲٫۳۴٪');
    expect(formatShare('en', 0, { isSigned: true })).toBe('0%');
  });
});

describe('money', () => {
  const [rial, toman] = [localeOf('en'), localeOf('en', 'toman')];

  test('has its unit written, rial and toman too', () => {
    expect(formatMoney('123456', 'rls', rial)).toBe('123,456 rial');
    expect(formatMoney('123456', 'rls', toman)).toBe('12,345.6 toman');
    expect(plain(formatMoney('123456', 'rls', localeOf('fa', 'toman')))).toBe('۱۲٬۳۴۵٫۶ تومان');
    expect(plain(formatMoney('12.5', 'usdt', localeOf('fa')))).toBe('۱۲٫۵ تتر');
    expect(plain(formatMoney('0.00012', 'btc', localeOf('fa', 'toman')))).toBe('۰٫۰۰۰۱۲ BTC');
    expect(formatExact('0.5', '', rial)).toBe('0.5');
  });

  test.each([
    ['5', '0.5 toman'],
    ['-5', '-0.5 toman'],
    ['0', '0 toman'],
    ['-120.75', '-12.075 toman'],
  ])('of %s rial is %s', (amount, text) => {
    expect(formatExact(amount, 'rls', toman)).toBe(text);
  });

  test('is said in both units before something is done with it', () => {
    expect(formatBothUnits('850000', 'rls', 'en')).toBe('850,000 rial (85,000 toman)');
    expect(plain(formatBothUnits('850000', 'rls', 'fa'))).toBe('۸۵۰٬۰۰۰ ریال (۸۵٬۰۰۰ تومان)');
    expect(formatBothUnits('85', 'usdt', 'en')).toBe('85 USDT');
    expect(formatBothUnits('850000.123', 'rls', 'en', { isEstimate: true })).toBe(
      '850,000 rial (85,000 toman)',
    );
  });
});

describe('a number that is typed', () => {
  test.each([
    ['۱۲٬۳۴۵٫۶', '12345.6'],
    ['٠١٢', '012'],
    ['١٬٢٣٤', '1234'],
    ['1,234,567.89', '1234567.89'],
    ['۱،۲۳۴', '1234'],
    [' −۵ ', '-5'],
    ['0.00000001', '0.00000001'],
  ])('%s is %s', (typed, text) => {
    expect(readTypedDecimal(typed)).toBe(text);
  });

  test.each(['', '1,5', '1,23,456', '1.2.3', '.5', '5.', '1e3', '۱۲/۵', 'NaN', '1_000', '9'.repeat(61)])(
    '%s is refused, as it may mean another number or none',
    (typed) => {
      expect(readTypedDecimal(typed)).toBeNull();
    },
  );

  test('is what was shown, in both languages', () => {
    const decimals = fc
      .tuple(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), fc.integer({ min: 0, max: 10 }))
      .map(([digits, places]) => {
        const text = String(digits < 0n ? -digits : digits).padStart(places + 1, '0');
        const part = places === 0 ? '' : text.slice(-places).replace(/0+$/, '');
        const whole = places === 0 ? text : text.slice(0, -places);
        const number = part === '' ? whole : `${whole}.${part}`;
        return digits < 0n && /[1-9]/.test(number) ? `-${number}` : number;
      });
    fc.assert(
      fc.property(decimals, fc.constantFrom('en' as const, 'fa' as const), (text, language) => {
        expect(readTypedDecimal(formatDecimal(language, text))).toBe(text);
      }),
    );
  });
});

describe('numbers in a sentence of the bot', () => {
  test.each([
    ['a value of 12345678.1234567891 RLS, above', 'a value of 12,345,678 RLS, above'],
    ['at 59430000000 RLS', 'at 59,430,000,000 RLS'],
    ['of 0.0012500000 BTC', 'of 0.00125 BTC'],
    ['of -1234.5678901234 USDT', 'of -1,234.5679 USDT'],
    // Prices of cheap coins are not rounded to zero, and two close prices stay different.
    ['at 0.0000123450 USDT', 'at 0.000012345 USDT'],
    ['1.2345 USDT above 1.2340 USDT', '1.2345 USDT above 1.234 USDT'],
    ['was 7654321.0987654321: the account', 'was 7,654,321.09876543: the account'],
    // Numbers that are no amounts or prices stay as they are.
    ['order 123456789 of grid-1000', 'order 123456789 of grid-1000'],
    ['until 00:00 UTC and 2026-04-01T20:30:00.123Z', 'until 00:00 UTC and 2026-04-01T20:30:00.123Z'],
    ['sarraf 0.1.0 at 127.0.0.1', 'sarraf 0.1.0 at 127.0.0.1'],
    ['more than 150 bps, 5000 ms', 'more than 150 bps, 5000 ms'],
  ])('%s', (text, expected) => {
    expect(withReadableNumbers(text)).toBe(expected);
  });

  test('words of somebody else stay as they are', () => {
    expect(reasonText('mine: 12345678.1234567891 RLS')).toBe('mine: 12345678.1234567891 RLS');
    expect(
      reasonText(sentence('risk-order-size', { amount: '12345678.1234567891 RLS', limit: '5000000 RLS' })),
    ).toBe('the order of 12,345,678 RLS is above the limit of 5,000,000 RLS for one order');
    expect(reasonText(null)).toBe('');
  });
});
