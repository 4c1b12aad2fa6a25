import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StepReader } from '../../../../src/venues/followed/queue-places.ts';
import { decimalText } from '../../../../src/domain/decimal-text.ts';
import { createMarket } from '../../../../src/domain/market.ts';
import { RowGrid } from '../../../../src/simulator/seed-replay.ts';
import { parseMarket } from '../../../../src/exchange/market-names.ts';

const STEPS = fc.constantFrom('10', '1', '0.5', '0.25', '0.03', '0.01', '0.000001', '0.0000000001', '3000');

describe('recorded numbers in steps', () => {
  it('are the steps of the market', () => {
    const steps = new StepReader(
      createMarket({ market: parseMarket('BTCIRT'), priceStep: '10', amountStep: '0.000001' }),
    );
    expect(steps.price(decimalText('60000000010'))).toBe(6_000_000_001);
    expect(steps.amount(decimalText('1.000001'))).toBe(1_000_001);
  });

  it('are rounded where they lie between: prices to the nearest, amounts down', () => {
    const steps = new StepReader(
      createMarket({ market: parseMarket('BTCUSDT'), priceStep: '0.01', amountStep: '0.001' }),
    );
    expect(steps.price(decimalText('1.016'))).toBe(102);
    expect(steps.amount(decimalText('0.0019'))).toBe(1);
    expect(steps.price(decimalText('0.001'))).toBe(1);
  });

  it('are what exact arithmetic says, for any step and number', () => {
    fc.assert(
      fc.property(
        STEPS,
        fc.bigInt({ min: 0n, max: 10n ** 17n }),
        fc.integer({ min: 0, max: 12 }),
        (step, digits, decimals) => {
          const padded = String(digits).padStart(decimals + 1, '0');
          const at = padded.length - decimals;
          const text = decimalText(decimals === 0 ? padded : `${padded.slice(0, at)}.${padded.slice(at)}`);
          const market = createMarket({ market: parseMarket('BTCUSDT'), priceStep: step, amountStep: step });
          expect(outcomeOf(() => new StepReader(market).price(text))).toBe(
            outcomeOf(() => new RowGrid().price(market, text)),
          );
          expect(outcomeOf(() => new StepReader(market).amount(text))).toBe(
            outcomeOf(() => new RowGrid().amount(market, text)),
          );
        },
      ),
      { numRuns: 2_000 },
    );
  });
});

function outcomeOf(work: () => number): number | string {
  try {
    return work();
  } catch (error) {
    return error instanceof Error ? error.name : 'error';
  }
}
