import { expect, it } from 'vitest';
import type { CandleColumns } from '../../../src/domain/candle-columns.ts';
import type { Market } from '../../../src/domain/market.ts';
import maCross from '../../../strategies/ma-cross.ts';
import { RIAL, runBars, TETHER, walkOf } from './candle-run.ts';

const UNIT = 10n ** 10n;
const FAST = 5;
const SLOW = 12;

interface OracleFill {
  readonly side: 'buy' | 'sell';
  readonly price: bigint;
  readonly amount: bigint;
}

const halfEven = (value: bigint, by: bigint): bigint => {
  const down = value / by;
  const rest = (value % by) * 2n;
  return rest > by || (rest === by && down % 2n === 1n) ? down + 1n : down;
};

/**
 * Computes the trades of the strategy by a plain loop that shares no code with the engine. A buy spends half
 * of the cash, a sale sells all coins.
 */
function smaCross(
  columns: CandleColumns,
  of: { readonly cash: bigint; readonly feeMillionths: bigint; readonly step: bigint },
) {
  const scale = 10n ** BigInt(10 - columns.priceDecimals);
  let { cash } = of;
  let coins = 0n;
  let order: { readonly side: 'buy' | 'sell'; readonly amount: bigint } | null = null;
  const fills: OracleFill[] = [];
  for (let bar = 0; bar < columns.length; bar += 1) {
    if (order !== null) {
      const price = BigInt(columns.open[bar] ?? 0) * scale;
      const total = (price * order.amount) / UNIT;
      if (order.side === 'buy') {
        cash -= total;
        coins += order.amount - halfEven(order.amount * of.feeMillionths, 1_000_000n);
      } else {
        coins -= order.amount;
        cash += total - halfEven(total * of.feeMillionths, 1_000_000n);
      }
      fills.push({ side: order.side, price, amount: order.amount });
      order = null;
    }
    if (bar < SLOW - 1) continue;
    const sum = (length: number): bigint => {
      let total = 0n;
      for (let at = bar - length + 1; at <= bar; at += 1) total += BigInt(columns.close[at] ?? 0);
      return total;
    };
    const [fast, slow] = [sum(FAST) * BigInt(SLOW), sum(SLOW) * BigInt(FAST)];
    const close = BigInt(columns.close[bar] ?? 0) * scale;
    const affordable = (cash * UNIT) / 2n / close;
    const holds = coins * 100n > affordable;
    if (fast > slow && !holds) order = { side: 'buy', amount: (affordable / of.step) * of.step };
    if (fast < slow && holds) order = { side: 'sell', amount: (coins / of.step) * of.step };
  }
  const last = BigInt(columns.close[columns.length - 1] ?? 0) * scale;
  return { fills, equity: cash + halfEven(coins * last, UNIT) };
}

const CASES: readonly (readonly [string, Market, number, string])[] = [
  ['tether', TETHER, 63_517.42, '10000'],
  ['rial', RIAL, 12_600_000_000, '5000000000'],
];

it.each(CASES)(
  'a run of ma-cross on bars fills and ends as a plain loop over arrays does, at %s prices',
  (_, market, price, cash) => {
    for (const seed of [1, 2, 3]) {
      const columns = walkOf(market, { bars: 3_000, seed, price });
      const run = runBars({
        market,
        columns,
        strategy: maCross,
        params: { fast: FAST, slow: SLOW, share: 0.5 },
        cash,
        rules: { volumeShareMillionths: null },
      });
      const oracle = smaCross(columns, { cash: BigInt(cash) * UNIT, feeMillionths: 1_000n, step: 10_000n });
      expect(run.failures.size).toBe(0);
      expect(run.fills.map(({ side, price: at, amount }) => ({ side, price: at, amount }))).toEqual(
        oracle.fills,
      );
      expect(run.finalEquity).toBe(oracle.equity);
      expect(oracle.fills.length).toBeGreaterThan(100);
    }
  },
);
