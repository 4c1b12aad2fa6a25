import { CandleRunner, type CandleRun, type CandleRunOptions } from '../../../src/backtest/candle-runner.ts';
import type { BarRules } from '../../../src/venues/fill-rules.ts';
import { BarFillSimulator } from '../../../src/venues/bar-fill-simulator.ts';
import type { CandleColumns } from '../../../src/domain/candle-columns.ts';
import { createMarket, type Market } from '../../../src/domain/market.ts';
import { parseUnits } from '../../../src/domain/money.ts';
import { timeframeMs, type Timeframe } from '../../../src/domain/candle.ts';
import { DEFAULT_ENGINE_TIMES } from '../../../src/engine/engine-settings.ts';
import { createRiskLimits, type RiskLimits } from '../../../src/engine/risk-limits.ts';
import type { StrategyDefinition } from '../../../src/strategy/definition.ts';
import { parseMarket } from '../../../src/exchange/market-names.ts';
import { instanceOf, runnerOn } from '../../support/runner-on.ts';

/** Midnight of Monday, 1 January 2024, UTC. */
export const FROM_MS = 1_704_067_200_000;

export const TETHER = createMarket({
  market: parseMarket('BTCUSDT'),
  priceStep: '0.01',
  amountStep: '0.000001',
});
export const RIAL = createMarket({ market: parseMarket('BTCIRT'), priceStep: '10', amountStep: '0.000001' });

/** Makes bars of a seeded random walk in whole price steps. Each opens at or near the last close. */
export function walkOf(
  market: Market,
  of: {
    readonly bars: number;
    readonly seed: number;
    readonly price: number;
    readonly timeframe?: Timeframe;
  },
): CandleColumns {
  const { bars, seed, price, timeframe = '1h' } = of;
  const priceDecimals = market === TETHER ? 2 : 0;
  const step = market === TETHER ? 1 : 10;
  let state = seed >>> 0;
  const random = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  const onStep = (cell: number): number => Math.max(step, Math.round(cell / step) * step);
  const columns = {
    openTimeMs: new Float64Array(bars),
    open: new Float64Array(bars),
    high: new Float64Array(bars),
    low: new Float64Array(bars),
    close: new Float64Array(bars),
    volume: new Float64Array(bars).fill(5_000_000_000),
  };
  let last = price * 10 ** priceDecimals;
  for (let index = 0; index < bars; index += 1) {
    const open = onStep(last * (1 + (random() - 0.5) * 0.001));
    const close = onStep(open * (1 + (random() - 0.5) * 0.02));
    columns.openTimeMs[index] = FROM_MS + index * timeframeMs(timeframe);
    columns.open[index] = open;
    columns.close[index] = close;
    columns.high[index] = onStep(Math.max(open, close) * (1 + random() * 0.003));
    columns.low[index] = onStep(Math.min(open, close) * (1 - random() * 0.003));
    last = close;
  }
  return { market: market.symbol, timeframe, length: bars, priceDecimals, volumeDecimals: 6, ...columns };
}

/** Runs one strategy over the bars of one market. Amounts of money are decimal texts. */
export function runBars(of: {
  readonly market: Market;
  readonly columns: CandleColumns;
  readonly detail?: CandleColumns;
  readonly strategy: StrategyDefinition;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly cash: string;
  readonly feeMillionths?: number;
  readonly rules?: Partial<BarRules>;
  readonly limits?: Partial<RiskLimits>;
  readonly timeframe?: Timeframe;
  readonly fromMs?: number;
  readonly signals?: CandleRunOptions['signals'];
}): CandleRun {
  const { market, columns, strategy, params = {}, cash, feeMillionths = 1_000, rules, timeframe = '1h' } = of;
  const rates = { maker: feeMillionths, taker: feeMillionths };
  const venue = new BarFillSimulator({
    markets: [market],
    fees: { rls: rates, usdt: rates },
    balances: { [market.quote]: parseUnits(cash) },
    ...(rules === undefined ? {} : { rules }),
  });
  const runner = runnerOn(strategy, market.symbol, timeframe, { params, hasBooks: false });
  return new CandleRunner({
    settings: {
      ...DEFAULT_ENGINE_TIMES,
      instance: 'back',
      instances: [instanceOf(runner, { limits: { ...createRiskLimits(), ...of.limits } })],
    },
    markets: [{ market, columns, detail: of.detail }],
    venue,
    quote: market.quote,
    fromMs: of.fromMs ?? FROM_MS,
    ...(of.signals === undefined ? {} : { signals: of.signals }),
  }).run();
}
