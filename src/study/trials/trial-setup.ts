import type { BacktestRequest } from '../../backtest/setup/candle-backtest.ts';
import type { CandleColumns } from '../../domain/candle-columns.ts';
import { readBotConfig } from '../../daemon/settings/read-bot-config.ts';
import type { BotConfig } from '../../daemon/settings/create-bot-config.ts';
import type { Override } from '../../daemon/settings/overrides.ts';
import { SarrafError } from '../../domain/errors.ts';
import type { Params } from '../space/params-of-point.ts';

/** All that a trial needs but its params: plain values that can be sent to a thread. */
export interface TrialSetup extends Pick<
  BacktestRequest,
  'timeframe' | 'currency' | 'fromMs' | 'toMs' | 'steps' | 'rules'
> {
  /** The configuration of a bot as the command line would say it: one strategy a market, without params. */
  readonly overrides: readonly Override[];
  /** Bars of every market. A trial reads no file and no catalogue. */
  readonly candles: readonly CandleColumns[];
}

/** The bot that a trial's setup describes. Throws `INVALID_OPTIONS` with all of its problems. */
export function botConfigOf(overrides: readonly Override[]): BotConfig {
  const reading = readBotConfig(null, {
    environment: {},
    workingFolder: process.cwd(),
    overrides,
    isOffline: true,
  });
  if (reading.ok) return reading.config;
  throw new SarrafError('INVALID_OPTIONS', reading.problems.join('; '));
}

/** The same with the params of a trial. */
export function withParams(config: BotConfig, params: Params): BotConfig {
  return { ...config, strategies: config.strategies.map((strategy) => ({ ...strategy, params })) };
}
