import {
  type BacktestRequest,
  createBacktest,
  type CreatedBacktest,
} from '../../backtest/candle-backtest.ts';
import {
  accountOverrides,
  fillRulesOf,
  requestOf,
  strategiesOverride,
  type FillRules,
} from '../../backtest/run-setup.ts';
import type { CandleColumns } from '../../domain/candle-columns.ts';
import type { BotConfig } from '../../daemon/create-bot-config.ts';
import type { Override } from '../../daemon/read-bot-config.ts';
import { SarrafError } from '../../domain/errors.ts';
import type { RunData, RunSignals } from '../data/study-data.ts';
import type { Params } from '../../search/params-of-point.ts';
import type { StudySettings } from '../study-settings.ts';
import type { BacktestRun } from '../../backtest/backtest-run.ts';
import { runBacktest } from '../../backtest/run-backtest.ts';
import { runPollBacktest } from '../../backtest/poll-backtest.ts';
import { packedRecordings } from '../../backtest/recordings.ts';
import type { PackedMarket } from '../../recording/column-file.ts';

/** Everything a trial needs besides its params, data and range. */
export type StudySetup = Pick<BacktestRequest, 'timeframe' | 'currency' | 'steps' | 'detail'> & {
  /** Configuration of the bot as command-line overrides: one strategy for each market, without params. */
  readonly overrides: readonly Override[];
} & FillRules;

/** Returns the setup of a study: its strategy once in each of its markets. */
export function setupOfStudy(settings: StudySettings): StudySetup {
  const { strategy, markets, universe, timeframe, inventory } = settings;
  return {
    overrides: [
      strategiesOverride({ strategy, markets, universe, timeframe, inventory }),
      ...accountOverrides(settings),
    ],
    ...requestOf(settings),
    ...fillRulesOf(settings),
  };
}

/** Everything a trial needs but its params, as plain values for a thread: it reads no file. */
export type TrialSetup = Pick<BacktestRequest, 'fromMs' | 'toMs'> &
  RunSignals &
  (
    | (Extract<StudySetup, { readonly fidelity: 'candles' }> & { readonly candles: readonly CandleColumns[] })
    | (Extract<StudySetup, { readonly fidelity: 'poll' }> & { readonly markets: readonly PackedMarket[] })
  );

export type CandleSetup = Extract<TrialSetup, { readonly fidelity: 'candles' }>;

/** Adds data to a setup. `fromMs`: start; null for the first candle or book. */
export function withData(setup: StudySetup, data: RunData, fromMs: number | null): TrialSetup {
  const { signals } = data;
  if (setup.fidelity === 'candles' && data.fidelity === 'candles') {
    const detail = setup.detail && { ...setup.detail, candles: data.detail };
    return { ...setup, candles: data.candles, ...(detail && { detail }), signals, fromMs, toMs: null };
  }
  if (setup.fidelity === 'poll' && data.fidelity === 'poll')
    return { ...setup, markets: data.markets, signals, fromMs, toMs: data.toMs };
  throw new SarrafError('INVARIANT', `expected data for ${setup.fidelity}, found that for ${data.fidelity}`);
}

/** Copies a setup's data into memory that threads share. Recordings are packed into such memory already. */
export function sharedSetup(setup: TrialSetup): TrialSetup {
  if (setup.fidelity === 'poll') return setup;
  const { candles, detail } = setup;
  const finer = detail && { ...detail, candles: (detail.candles ?? []).map(sharedColumns) };
  return { ...setup, candles: candles.map(sharedColumns), ...(finer && { detail: finer }) };
}

export function withParams(config: BotConfig, params: Params): BotConfig {
  return { ...config, strategies: config.strategies.map((strategy) => ({ ...strategy, params })) };
}

/** Copies candles into memory that threads share without further copies. Nothing may write to it. */
export function sharedColumns(columns: CandleColumns): CandleColumns {
  const { openTimeMs, open, high, low, close, volume, length } = columns;
  const shared = (column: Float64Array): Float64Array => {
    const copy = new Float64Array(new SharedArrayBuffer(length * Float64Array.BYTES_PER_ELEMENT));
    copy.set(column.subarray(0, length));
    return copy;
  };
  return {
    ...columns,
    openTimeMs: shared(openTimeMs),
    open: shared(open),
    high: shared(high),
    low: shared(low),
    close: shared(close),
    volume: shared(volume),
  };
}

/** Runs the bot of a trial on a setup's data. Throws as `createBacktest` and `runPollBacktest` do. */
export async function runOfSetup(setup: TrialSetup, config: BotConfig): Promise<BacktestRun> {
  if (setup.fidelity === 'candles') return runBacktest((await createdOf(setup, config)).backtest);
  const { markets, signals, rules, currency, steps, fromMs, toMs } = setup;
  const recordings = packedRecordings(markets);
  const of = { rules, currency, steps, fromMs, toMs, signals };
  const { run } = await runPollBacktest({ config, recordings, ...of });
  return run;
}

/** Creates a backtest on the candles of a setup, and on no others. */
export async function createdOf(setup: CandleSetup, config: BotConfig): Promise<CreatedBacktest> {
  const { overrides: _read, fidelity: _fidelity, ...request } = setup;
  return createBacktest({ ...request, config, csv: [], catalogue: null });
}
