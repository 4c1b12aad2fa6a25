import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMarket } from '../../../src/domain/market.ts';
import { formatUnits, parseUnits, type Units } from '../../../src/domain/money.ts';
import { fitToMarket } from '../../../src/engine/risk/pre-trade-risk.ts';
import { parseMarket } from '../../../src/exchange/market-names.ts';
import { english } from '../../../src/language/sentence.ts';

const MARKET = createMarket({
  market: parseMarket('BTCUSDT'),
  priceStep: '0.5',
  amountStep: '0.01',
  minOrderValue: '5',
});

const units = (text: string): Units | null => (text === '-' ? null : parseUnits(text));

/** Fits `amount price stop limit reference` (`-`: none); returns the result, or why it is refused. */
function fitted(wish: string): string {
  const [amount = '', price = '-', stop = '-', limit = '-', reference = '-'] = wish.split(' ');
  const wished = {
    amount: parseUnits(amount),
    price: units(price),
    stopPrice: units(stop),
    stopLimitPrice: units(limit),
  };
  const found = fitToMarket(MARKET, wished, units(reference));
  if (!found.ok) return english(found.reason);
  const { price: at, stopPrice, stopLimitPrice } = found;
  return [found.amount, at, stopPrice, stopLimitPrice]
    .map((one) => (one === null ? '-' : formatUnits(one)))
    .join(' ');
}

describe('fitting a wish to its market', () => {
  it.each([
    ['1 100 - - -', '1 100 - -'],
    ['1.239 100 - - -', '1.23 100 - -'],
    ['1 100.2 - - -', '1 100 - -'],
    ['1 100.25 - - -', '1 100 - -'],
    ['1 100.75 - - -', '1 101 - -'],
    ['1 100.3 99.7 98.9 -', '1 100.5 99.5 99'],
    ['1 - 99.7 - -', '1 - 99.5 -'],
    ['1 - - - 100', '1 - - -'],
    ['1 - - - -', '1 - - -'],
    ['0.05 100 - - -', 'expected a value above 5 usdt, was 5'],
    ['0.06 100 - - -', '0.06 100 - -'],
    ['0.05 - - - 100', 'expected a value above 5 usdt, was 5'],
    ['0.05 - 100 - -', 'expected a value above 5 usdt, was 5'],
    ['0.009 1000 - - -', 'expected an amount of at least one step of 0.01, was 0.009'],
    ['1 0.2 - - -', 'expected a price of at least one step of 0.5'],
    ['1 100 0.2 - -', 'expected a price of at least one step of 0.5'],
    ['1 100 99 0.2 -', 'expected a price of at least one step of 0.5'],
    [
      '1000000000000000000 100 - - -',
      'expected an amount of BTCUSDT within 2^53 steps, was 100000000000000000000',
    ],
  ])('%s => %s', (wish, expected) => {
    expect(fitted(wish)).toBe(expected);
  });

  it('never takes more than was wished, and less by less than a step', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 1n, max: 10n ** 14n }),
        fc.bigInt({ min: 1n, max: 10n ** 14n }),
        (amount, price) => {
          const wish = {
            amount: amount as Units,
            price: price as Units,
            stopPrice: null,
            stopLimitPrice: null,
          };
          const found = fitToMarket(MARKET, wish, null);
          if (!found.ok) return;
          expect(found.amount).toBeLessThanOrEqual(amount);
          expect(amount - found.amount).toBeLessThan(MARKET.amountStep);
          const off = (found.price ?? 0n) - price;
          expect(off < 0n ? -off : off).toBeLessThanOrEqual(MARKET.priceStep / 2n);
          expect([found.amount % MARKET.amountStep, (found.price ?? 0n) % MARKET.priceStep]).toEqual([
            0n,
            0n,
          ]);
        },
      ),
    );
  });
});
