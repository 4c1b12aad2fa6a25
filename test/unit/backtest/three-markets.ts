import type { CandleBacktest } from '../../../src/backtest/run-backtest.ts';
import type { CandleColumns } from '../../../src/domain/candle-columns.ts';
import { createMarket, type Market } from '../../../src/domain/market.ts';
import { parseUnits } from '../../../src/domain/money.ts';
import { DEFAULT_ENGINE_TIMES, type StrategyInstanceSettings } from '../../../src/engine/engine-settings.ts';
import { createRiskLimits, type RiskLimits } from '../../../src/engine/risk-limits.ts';
import triangle from '../../../strategies/triangle.ts';
import { FROM_MS } from './candle-run.ts';
import { parseMarket } from '../../../src/exchange/market-names.ts';
import { runnerOn } from '../../support/runner-on.ts';
import { barColumns } from '../../support/bar-columns.ts';

const STEPS = { priceStep: '1', amountStep: '0.0001' };
export const COIN_IN_RIAL = createMarket({ market: parseMarket('BTCIRT'), ...STEPS });
export const COIN_IN_TETHER = createMarket({ market: parseMarket('BTCUSDT'), ...STEPS });
export const TETHER_IN_RIAL = createMarket({
  market: parseMarket('USDTIRT'),
  priceStep: '1',
  amountStep: '0.01',
});
export const HOUR_MS = 3_600_000;
const FEES = { rls: { maker: 1_000, taker: 1_000 }, usdt: { maker: 1_000, taker: 1_000 } };

/** Makes hours that open and close at the same price; null leaves an hour out. */
export function barsOf(
  market: Market,
  prices: readonly (number | null)[],
): { market: Market; columns: CandleColumns } {
  const rows = prices.flatMap((price, hour) =>
    price === null ? [] : [[FROM_MS + hour * HOUR_MS, price, price + 1, price - 1, price, 1e9]],
  );
  return { market, columns: barColumns(market.symbol, '1h', rows, { volumeDecimals: 4 }) };
}

export function instanceOf(limits: Partial<RiskLimits> = {}): StrategyInstanceSettings {
  const runner = runnerOn(triangle, 'BTCIRT', '1h', { params: { size: 1000, edge: 0.01 }, hasBooks: false });
  const noAge = { maxBookAgeMs: null, collarBps: null };
  return {
    runner,
    onError: 'stop',
    pauseMs: 0,
    limits: createRiskLimits({ ...noAge, ...limits }),
    capital: {},
    inventory: { btc: parseUnits('10') },
  };
}

export const BALANCES = { rls: parseUnits('10000000'), usdt: parseUnits('10000'), btc: parseUnits('10') };

export function backtestOf(over: Partial<CandleBacktest> = {}): CandleBacktest {
  return {
    instances: [instanceOf()],
    execution: { ...DEFAULT_ENGINE_TIMES, instance: 'test' },
    markets: [
      barsOf(COIN_IN_RIAL, [100_000, 98_000, 98_000, 100_000, 100_000, 101_000]),
      barsOf(COIN_IN_TETHER, [1_000, 1_000, 1_000, 1_000, 1_000, 1_010]),
      barsOf(TETHER_IN_RIAL, [100, 100, 100, 100, 100, 100]),
    ],
    fees: FEES,
    balances: BALANCES,
    rules: {},
    fromMs: FROM_MS,
    config: null,
    loading: { loadMs: 0, fromCache: false },
    clock: () => 0,
    ...over,
  };
}
