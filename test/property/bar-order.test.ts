import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { CandleRunner, type RunMarket } from '../../src/backtest/candle-runner.ts';
import type { CandleColumns } from '../../src/domain/candle-columns.ts';
import { createMarket } from '../../src/domain/market.ts';
import { parseUnits } from '../../src/domain/money.ts';
import { timeframeMs, type Timeframe } from '../../src/domain/candle.ts';
import { DEFAULT_ENGINE_TIMES } from '../../src/engine/engine-settings.ts';
import { parseMarket } from '../../src/exchange/market-names.ts';
import { createRiskLimits } from '../../src/engine/risk-limits.ts';
import { defineStrategy, type StrategyDefinition } from '../../src/strategy/definition.ts';
import { BarFillSimulator } from '../../src/venues/bar-fill-simulator.ts';
import { deepRuns } from '../support/deep-runs.ts';
import { expectedCurve, expectedLines, line, randomOf, type Random, type Wanted } from './bar-order.ts';
import { runnerOn } from '../support/runner-on.ts';
import { barColumns } from '../support/bar-columns.ts';

const SYMBOLS = ['AUSDT', 'BUSDT', 'CUSDT', 'DUSDT'];
const MINUTE_MS = 60_000;
const ZERO_MS = 1_704_067_200_000;

/** Draws bars of a walk with gaps, which begin and end at a drawn moment. */
function columnsOf(symbol: string, random: Random): CandleColumns {
  const timeframe: Timeframe = random(3) === 0 ? '5m' : '1m';
  const barMs = timeframeMs(timeframe);
  const [first, count, holes] = [random(20), 1 + random(40), random(3)];
  const rows: number[][] = [];
  for (let bar = first; bar < first + count; bar += 1) {
    if (holes > 0 && random(4) < holes) continue;
    const [open, close] = [100 + random(50), 100 + random(50)];
    const [high, low] = [Math.max(open, close) + random(5), Math.min(open, close) - random(5)];
    rows.push([ZERO_MS + bar * barMs, open, high, low, close, random(9)]);
  }
  return barColumns(parseMarket(symbol).symbol, timeframe, rows, { priceDecimals: 1 });
}

/** Draws bar lengths for each market, longest or shortest first, at least one in all. */
function wishesFor(columns: readonly CandleColumns[], random: Random): readonly Wanted[] {
  const wishes = columns.flatMap(({ market: symbol, timeframe }): Wanted[] => {
    const lengths: readonly Timeframe[] = timeframe === '1m' ? ['1m', '5m', '15m'] : ['5m', '15m'];
    const wanted = lengths.filter(() => random(2) === 0);
    const ordered = random(2) === 0 ? wanted : wanted.toReversed();
    return ordered.map((length) => ({ symbol, timeframe: length }));
  });
  return wishes.length > 0 ? wishes : [{ symbol: columns[0]?.market ?? '', timeframe: '15m' }];
}

/** A strategy that notes each bar, and the age of the last bar of each market. */
function listenerTo(
  wanted: readonly Wanted[],
  symbols: readonly string[],
  lines: string[],
): StrategyDefinition {
  return defineStrategy({
    name: 'listener',
    params: z.strictObject({ name: z.string() }),
    data: ({ markets }) => ({
      bars: wanted.map(({ symbol, timeframe }) => markets.of(symbol).candles(timeframe)),
    }),
    on: {
      bars({ markets, params }, bar) {
        const ages = symbols.map((symbol) => markets.of(symbol).ages.candles);
        const { market, timeframe, openTimeMs, closeTimeMs, seenAtMs, missedBefore } = bar;
        const { open, high, low, close, volume } = bar;
        const times = { openTimeMs, closeTimeMs, seenAtMs, missedBefore };
        const numbers = { ...times, open, high, low, close, volume };
        lines.push(line(params.name, { market, timeframe, ...numbers, ages }));
      },
    },
  });
}

function runOf(markets: readonly RunMarket[], listeners: readonly (readonly Wanted[])[], fromMs: number) {
  const lines: string[] = [];
  const symbols = markets.map(({ market }) => market.symbol);
  const instances = listeners.map((wanted, place) => ({
    runner: runnerOn(listenerTo(wanted, symbols, lines), wanted[0]?.symbol ?? '', '1m', {
      name: `listener-${place}`,
      params: { name: `listener-${place}` },
      hasBooks: false,
    }),
    onError: 'stop' as const,
    pauseMs: 0,
    limits: createRiskLimits(),
    capital: {},
  }));
  const venue = new BarFillSimulator({
    markets: markets.map(({ market }) => market),
    fees: { rls: { maker: 0, taker: 0 }, usdt: { maker: 0, taker: 0 } },
    balances: Object.fromEntries(markets.map(({ market }) => [market.base, parseUnits('1')])),
  });
  const settings = { ...DEFAULT_ENGINE_TIMES, instance: 'order', instances };
  const { curve, failures } = new CandleRunner({ settings, markets, venue, quote: 'usdt', fromMs }).run();
  const points = Array.from(
    { length: curve.length },
    (_, at) => `${curve.timeMs[at]} ${curve.equity[at]?.toFixed(6)}`,
  );
  return { lines, points, failures };
}

test('bars of many markets and lengths are seen in the order of time, markets and wishes, each with the prices of its moment', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 32 - 1 }), (seed) => {
      const random = randomOf(seed);
      const columns = SYMBOLS.slice(0, 1 + random(SYMBOLS.length)).map((symbol) => columnsOf(symbol, random));
      const fromMs = ZERO_MS + random(40) * MINUTE_MS;
      const isInRun = columns.some(({ openTimeMs }) => openTimeMs.some((openMs) => openMs >= fromMs));
      fc.pre(isInRun);
      const listeners = Array.from({ length: 1 + random(3) }, () => wishesFor(columns, random));
      const markets = columns.map((recorded) => ({
        market: createMarket({ market: parseMarket(recorded.market), priceStep: '0.1', amountStep: '1' }),
        columns: recorded,
      }));
      const { lines, points, failures } = runOf(markets, listeners, fromMs);
      expect([...failures]).toEqual([]);
      expect(lines).toEqual(expectedLines(columns, listeners, fromMs));
      expect(points).toEqual(expectedCurve(columns, fromMs));
    }),
    { numRuns: deepRuns(15) },
  );
});
