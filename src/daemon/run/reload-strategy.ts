import { resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { gridOf, shownAnchors, type Timeframe } from '../../domain/candle.ts';
import { listText, invalidStrategy, invalidOptions, invalidFile } from '../../domain/errors.ts';
import { MirrorReader } from '../../mirror/mirror-reader.ts';
import { lineIn, placedError } from '../../plugins/load-strategy.ts';
import type { ClosedCandle } from '../../strategy/strategy-event.ts';
import { INTERFACE_PROFILE } from '../../venues/interface-profile.ts';
import type { BotConfig, ConfiguredStrategy } from '../create-bot-config.ts';
import { givenName, missingFileText, refusedParams, shownPath, strategyFileOf } from '../load-instances.ts';
import type { RunRecord } from '../run-record.ts';
import type { StrategyThreads } from '../strategy-threads.ts';

interface SetupOptions {
  /** Folders searched for plugins by name, in this order. */
  readonly folders: readonly string[];
  readonly threads: StrategyThreads;
  /** Record of the run, which names the file and the parameters. */
  readonly record: Pick<RunRecord, 'setStart'>;
  /** Path of the mirror, whose bars serve a longer warm-up. */
  readonly mirror: string;
}

export interface ReloadOptions extends SetupOptions {
  /** The configured strategy of each instance of the run, by the instance's name. */
  readonly configured: ReadonlyMap<string, ConfiguredStrategy>;
  /** Reads the configuration as it is now; null if the run has none to read again. */
  readonly readAgain: (() => Pick<BotConfig, 'strategies' | 'shadows'>) | null;
}

/** Settings that take effect without a start of the bot. */
const RELOADED = new Set(['plugin', 'params', 'describe']);

/**
 * Loads a strategy of a running bot anew: its code from its file, and its parameters from the configuration.
 * Returns the function that puts it in the place of the running one, which nothing has changed until then.
 * Throws `INVALID_STRATEGY`, `INVALID_OPTIONS` or `INVALID_FILE` with the reason.
 */
export async function reloadStrategy(
  name: string,
  { configured, readAgain, ...options }: ReloadOptions,
): Promise<() => void> {
  const before = configured.get(name);
  if (before === undefined) {
    const names = listText([...configured.keys()]);
    throw invalidOptions(`expected one of the strategies of the bot (${names}), was ${name}`);
  }
  return prepareSetup(name, configuredAgain(before, readAgain), options);
}

/**
 * Loads code and parameters for the strategy of a name that runs, as `reloadStrategy` does; `strategy` has
 * them.
 */
export async function prepareSetup(
  name: string,
  strategy: ConfiguredStrategy,
  { folders, threads, record, mirror }: SetupOptions,
): Promise<() => void> {
  const runner = threads.runnerOf(name);
  if (runner === null) throw invalidOptions(`expected ${name} to run, it does not`);
  const { plugin } = strategy;
  if (plugin.kind === 'definition')
    throw invalidOptions(`expected a strategy from a file, ${name} is one of the program`);
  const file = strategyFileOf(plugin, folders);
  if (file === null) throw invalidFile(missingFileText(plugin, folders));
  try {
    const setup = {
      name: givenName(strategy),
      file,
      shownFile: shownPath(file),
      params: strategy.params,
    };
    const replace = await runner.prepare(setup, ({ market, timeframe }) => {
      using reader = new MirrorReader(mirror);
      return storedBars(reader, { market, timeframe, last: MOST_BARS });
    });
    return () => {
      replace();
      record.setStart(name, { file: resolve(file), params: strategy.params });
    };
  } catch (error) {
    const params = refusedParams(error, strategy.describe);
    if (params !== null) throw invalidStrategy(params.join('\n'));
    throw placedError(error, { file, lineOf: (of) => lineIn(of, file) });
  }
}

/** Returns a strategy as the configuration has it now. Throws if more differs than a reload can change. */
function configuredAgain(
  before: ConfiguredStrategy,
  readAgain: ReloadOptions['readAgain'],
): ConfiguredStrategy {
  if (readAgain === null) return before;
  const { strategies, shadows } = readAgain();
  const all = [...strategies, ...shadows.map(({ strategy }) => strategy)];
  const now = all.find(({ name }) => name === before.name);
  if (now === undefined)
    throw invalidOptions(
      `expected ${before.name} in the configuration, it is not there any more: start the bot again to leave it out`,
    );
  const differing = Object.keys({ ...before, ...now }).filter((key) => {
    const field = key as keyof ConfiguredStrategy;
    return !RELOADED.has(key) && !isDeepStrictEqual(before[field], now[field]);
  });
  if (differing.length === 0) return now;
  throw invalidOptions(
    `expected only plugin and params to differ from the running strategy, ${listText(differing)} differ too: start the bot again to change these`,
  );
}

/** Maximum number of bars of a warm-up. */
const MOST_BARS = 10_000;

/** Returns the newest stored bars of a series, oldest first. */
export function storedBars(
  reader: MirrorReader,
  of: { readonly market: string; readonly timeframe: Timeframe; readonly last: number },
): readonly ClosedCandle[] {
  const { market, timeframe } = of;
  const stored = reader.markets.candles(of);
  const grid = gridOf(timeframe, shownAnchors(timeframe, stored, INTERFACE_PROFILE.barAnchors));
  return stored.map((candle) => {
    const closeTimeMs = grid.endOf(candle.openTimeMs);
    return { ...candle, market, timeframe, closeTimeMs, seenAtMs: closeTimeMs, missedBefore: 0 };
  });
}
