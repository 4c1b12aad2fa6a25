import { createHash } from 'node:crypto';
import type { BacktestRun, TradedMarket } from '../backtest/backtest-run.ts';
import type { BacktestSettings } from '../backtest/run-schema.ts';
import type { BotConfig } from '../daemon/create-bot-config.ts';
import { strategyFileOf } from '../daemon/load-instances.ts';
import { openCatalogue } from '../daemon/open-catalogue.ts';
import { closing } from '../domain/closing.ts';
import { ownStrategies } from '../plugins/own-files.ts';
import { EARLIEST_MS } from '../recording/read-rows.ts';
import { codeHash, engineVersion } from '../study/code-bundle.ts';
import { dataSetOf, type DataSet } from '../study/data-set.ts';
import { canonicalJson } from '../study/study-identity.ts';
import { StudyFolder, TrialRegister } from '../study/study-place.ts';

/** Name of all backtests in the register of trials. */
const NAME = 'backtest';

interface CountedRun {
  readonly config: BotConfig;
  readonly settings: BacktestSettings;
  readonly dataFolder: string;
}

/**
 * Counts a run as a trial in the register of studies: who has seen its figures has chosen by them. The same
 * run counts once, however often it is repeated. The months of its data have the hashes that studies give
 * them, so that both count on the same data; those of books have the hashes of bars made of them.
 */
export async function countRun(run: BacktestRun, of: CountedRun): Promise<void> {
  const { config, settings, dataFolder } = of;
  const sets = await Promise.all(run.markets.map(async (one) => dataOf(one, run, settings)));
  const question = {
    strategies: config.strategies.map(({ plugin, params, timeframe }) => ({
      code: codeOf(plugin, config),
      params,
      timeframe,
    })),
    settings: { ...settings, strategy: null, csv: null, catalogue: null, signals: null, config: null },
    engine: engineVersion(),
    data: sets.map(({ sha256 }) => sha256),
  };
  const id = createHash('sha256').update(canonicalJson(question)).digest('hex');
  using register = closing(new TrialRegister(new StudyFolder(dataFolder).registerPath));
  const { fromMs, toMs } = run;
  register.enter({ id, name: NAME, months: sets.flatMap(({ months }) => months), seen: { fromMs, toMs } });
  register.count(id, 1);
}

/** Describes the candles of a market as a study of this range does, which reads all earlier ones as well. */
async function dataOf(
  { market, candles }: TradedMarket,
  { toMs }: BacktestRun,
  { catalogue, csv, fidelity, timeframe }: BacktestSettings,
): Promise<DataSet> {
  if (catalogue === undefined || csv !== undefined || fidelity === 'poll') return dataSetOf(candles);
  return dataSetOf(
    await openCatalogue(catalogue).readCandles({
      market: market.symbol,
      timeframe,
      fromMs: EARLIEST_MS,
      toMs,
    }),
  );
}

function codeOf(plugin: BotConfig['strategies'][number]['plugin'], { strategiesFolders }: BotConfig): string {
  if (plugin.kind === 'definition') return plugin.definition.name;
  const file = strategyFileOf(plugin, [...strategiesFolders, ownStrategies()]);
  return file === null ? '' : codeHash(file);
}
