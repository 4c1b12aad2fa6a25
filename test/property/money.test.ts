import { Decimal } from 'decimal.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decimalText, tryDecimalText } from '../../src/domain/decimal-text.ts';
import {
  feeOf,
  createMarket,
  floorAmount,
  formatAmount,
  formatPrice,
  parseAmount,
  parsePrice,
  roundPrice,
  stepValue,
  valueHalfEven,
  valueUp,
} from '../../src/domain/market.ts';
import {
  formatUnits,
  numberOfUnits,
  parseUnits,
  type Amount,
  type Price,
  type Units,
  divideDown,
  divideHalfEven,
  divideUp,
} from '../../src/domain/money.ts';
import { parseMarket } from '../../src/exchange/market-names.ts';

const Oracle = Decimal.clone({ precision: 120, toExpNeg: -9e15, toExpPos: 9e15 });

const market = fc
  .constantFrom(
    { market: 'BTCIRT', priceStep: '10', amountStep: '0.000001' },
    { market: 'ETHUSDT', priceStep: '0.00000001', amountStep: '0.00000001' },
    { market: 'SHIBUSDT', priceStep: '0.0000000001', amountStep: '1000' },
    { market: 'XIRT', priceStep: '0.3', amountStep: '0.0000000007' },
  )
  .map((options) => createMarket({ ...options, market: parseMarket(options.market) }));
const price = fc
  .oneof(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 1, max: 2_000_000_000 }))
  .map((steps) => steps as Price);
const amount = fc
  .oneof(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 1, max: 5_000_000_000 }))
  .map((steps) => steps as Amount);
const units = fc.bigInt({ min: -(10n ** 32n), max: 10n ** 32n });
/** Amounts with about as many digits as a float holds; longer ones are read by other code. */
const shortUnits = fc
  .tuple(fc.bigInt({ min: 0n, max: 2n ** 54n }), fc.integer({ min: 0, max: 12 }))
  .map(([value, power]) => value / 10n ** BigInt(power));
const divisor = fc.bigInt({ min: 1n, max: 10n ** 20n });

/** Quotient of the oracle at ten decimals, in units. */
const oracleUnits = (value: Decimal, rounding: Decimal.Rounding): bigint =>
  BigInt(new Oracle(value).times('1e10').toDecimalPlaces(0, rounding).toFixed(0));

describe('money as a float', () => {
  test('is the float that its text is read as', () => {
    const signed = fc.tuple(fc.oneof(units, shortUnits), fc.boolean());
    fc.assert(
      fc.property(signed, ([size, isNegative]) => {
        const of = (isNegative ? -size : size) as Units;
        expect(numberOfUnits(of) + 0).toBe(Number(formatUnits(of)));
      }),
      { numRuns: 2_000 },
    );
  });

  test('multiplies steps as whole numbers do, around the largest that a float counts to', () => {
    const steps = fc.oneof(
      fc.integer({ min: 0, max: 200_000_000 }),
      fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
    );
    fc.assert(
      fc.property(steps, steps, (left, right) => {
        expect(stepValue(left, right)).toBe(BigInt(left) * BigInt(right));
      }),
      { numRuns: 2_000 },
    );
  });
});

test('rounding agrees with decimal.js in each mode, ties and signs included', () => {
  fc.assert(
    fc.property(units, fc.oneof(divisor, fc.constantFrom(2n, 4n, 10n)), (dividend, by) => {
      const quotient = new Oracle(dividend.toString()).div(by.toString());
      const rounded = (mode: Decimal.Rounding): string =>
        quotient.toDecimalPlaces(0, mode).toFixed(0).replace('-0', '0');
      // The oracle cuts its quotient at 120 digits, far more than the 33 that these have.
      expect(divideHalfEven(dividend, by).toString()).toBe(rounded(Oracle.ROUND_HALF_EVEN));
      expect(divideDown(dividend, by).toString()).toBe(rounded(Oracle.ROUND_DOWN));
      expect(divideUp(dividend, by).toString()).toBe(rounded(Oracle.ROUND_UP));
    }),
  );
});

describe('units and texts', () => {
  test('survive the way there and back', () => {
    fc.assert(
      fc.property(fc.oneof(units, shortUnits), (value) => {
        const text = formatUnits(value);
        expect(parseUnits(text)).toBe(value);
        expect(decimalText(text)).toBe(text);
        expect(text).toBe(new Oracle(value.toString()).div('1e10').toFixed());
      }),
    );
  });

  test('have one canonical text for every way of writing a number', () => {
    const written = fc.tuple(
      fc.constantFrom('', '-', '+'),
      fc.bigInt({ min: 0n, max: 10n ** 20n }),
      fc.string({ unit: fc.constantFrom('0', '1', '5', '9'), maxLength: 12 }),
      fc.option(fc.integer({ min: -12, max: 12 }), { nil: null }),
    );
    fc.assert(
      fc.property(written, ([sign, whole, fraction, exponent]) => {
        const text = `${sign}${whole}${fraction === '' ? '' : `.${fraction}`}${exponent === null ? '' : `E${exponent}`}`;
        const expected = new Oracle(text).toFixed();
        expect(decimalText(text)).toBe(expected === '-0' ? '0' : expected);
      }),
    );
  });

  test.each([
    '',
    'abc',
    '1e',
    '.',
    '1.2.3',
    ' 1',
    '1 ',
    'NaN',
    'Infinity',
    '0x10',
    '1_000',
    '1e99999',
    '9'.repeat(100),
  ])('refuse %j', (text) => {
    expect(tryDecimalText(text)).toBeNull();
  });

  test('refuse an eleventh decimal instead of cutting it', () => {
    expect(() => parseUnits('0.00000000001')).toThrow('expected at most 10 decimals, was "0.00000000001"');
  });
});

describe('a market', () => {
  test('values prices and amounts as decimal.js does, to the last digit', () => {
    fc.assert(
      fc.property(market, price, amount, (on, at, of) => {
        const exact = new Oracle(formatPrice(on, at)).times(formatAmount(on, of));
        const steps = BigInt(at) * BigInt(of);
        expect(valueHalfEven(on, steps)).toBe(oracleUnits(exact, Oracle.ROUND_HALF_EVEN));
        expect(valueUp(on, steps)).toBe(oracleUnits(exact, Oracle.ROUND_UP));
      }),
    );
  });

  test('rounds a price half-even and an amount down to its steps', () => {
    fc.assert(
      fc.property(market, fc.bigInt({ min: 0n, max: 10n ** 15n }), (on, value) => {
        const inSteps = (step: bigint): Decimal => new Oracle(value.toString()).div(step.toString());
        expect(roundPrice(on, value)).toBe(
          inSteps(on.priceStep).toDecimalPlaces(0, Oracle.ROUND_HALF_EVEN).toNumber(),
        );
        expect(floorAmount(on, value)).toBe(
          inSteps(on.amountStep).toDecimalPlaces(0, Oracle.ROUND_DOWN).toNumber(),
        );
      }),
    );
  });

  test('takes its own texts back and refuses what lies between its steps or beyond 2^53 of them', () => {
    fc.assert(
      fc.property(market, price, amount, (on, at, of) => {
        expect(parsePrice(on, formatPrice(on, at))).toBe(at);
        expect(parseAmount(on, formatAmount(on, of))).toBe(of);
      }),
    );
    const btc = createMarket({ market: parseMarket('BTCIRT'), priceStep: '10', amountStep: '0.000001' });
    expect(() => parsePrice(btc, '12600000005')).toThrow(
      'expected a price of BTCIRT in steps of 10, was 12600000005',
    );
    expect(() => parseAmount(btc, '99999999999')).toThrow('within 2^53 steps');
  });

  test('values one bitcoin in rial beyond any 64-bit integer', () => {
    const btc = createMarket({ market: parseMarket('BTCIRT'), priceStep: '10', amountStep: '0.000001' });
    const value = valueHalfEven(btc, BigInt(parsePrice(btc, '12600000000')) * BigInt(parseAmount(btc, '1')));
    expect(value).toBe(126_000_000_000_000_000_000n);
    expect(
      formatUnits(
        valueHalfEven(btc, BigInt(parsePrice(btc, '12600000000')) * BigInt(parseAmount(btc, '0.000001'))),
      ),
    ).toBe('12600');
  });
});

test('a fee is half-even at ten decimals', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 30n }), fc.nat(1_000_000), (received, rate) => {
      const exact = new Oracle(received.toString()).times(rate).div(1_000_000);
      expect(feeOf(received, rate)).toBe(BigInt(exact.toDecimalPlaces(0, Oracle.ROUND_HALF_EVEN).toFixed(0)));
    }),
  );
});
