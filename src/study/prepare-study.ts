import { readFileSync } from 'node:fs';
import { createBacktest, type BacktestRequest, type CsvSource } from '../backtest/setup/candle-backtest.ts';
import { strategyFileOf } from '../daemon/load-instances.ts';
import type { BotConfig } from '../daemon/settings/create-bot-config.ts';
import type { CandleColumns } from '../domain/candle-columns.ts';
import { SarrafError } from '../domain/errors.ts';
import { present } from '../domain/invariant.ts';
import { parseMarket } from '../exchange/market-names.ts';
import { formatPluginProblem, loadStrategies } from '../plugins/load-strategies.ts';
import { ownStrategies } from '../plugins/own-files.ts';
import type { StrategyDefinition } from '../strategy/definition.ts';
import { codeHash } from './data/code-hash.ts';
import { cutBars, type StudyBars } from './data/study-bars.ts';
import type { ReadStudy } from './file/read-study.ts';
import type { StudySettings } from './file/study-settings.ts';
import { searchedSpace } from './question/searched-space.ts';
import { identityOf, type StudyIdentity } from './question/study-identity.ts';
import { studyQuestion } from './question/study-question.ts';
import { Sampler } from './samplers/sampler.ts';
import type { Space } from './space/parameter.ts';
import { paramsOfPoint, type Params } from './space/params-of-point.ts';
import { setupOfStudy, type StudySetup } from './trials/setup-of-study.ts';
import { botConfigOf, withParams } from './trials/trial-setup.ts';

/** A study that can be run: all that it needs was found, and fits together. */
export interface PreparedStudy {
  readonly settings: StudySettings;
  /** The study as it was written, with the space that the strategy declared. */
  readonly written: Readonly<Record<string, unknown>>;
  readonly space: Space;
  readonly identity: StudyIdentity;
  readonly bars: StudyBars;
  /** What a trial needs beside its params and bars. */
  readonly setup: StudySetup;
  readonly strategyFile: string;
  /** What is unwise, a line each. */
  readonly problems: readonly string[];
}

const DEFAULT_CATALOGUE = 'data/catalogue';

/**
 * Loads the strategy and the bars of a study. Throws `INVALID_OPTIONS`, `INVALID_STRATEGY` or `INVALID_FILE`
 * for what does not fit, before anything is run.
 */
export async function prepareStudy({ settings, written }: ReadStudy): Promise<PreparedStudy> {
  const setup = setupOfStudy(settings);
  const config = botConfigOf(setup.overrides);
  const file = fileOf(config);
  const { params: schema } = await definitionOf(file);
  const fixed = settings.params;
  const { space, declared } = searchedSpace({ declared: written['space'], schema, fixed });
  const loaded = await loadBars({ settings, config, space, setup });
  const bars = cutBars(loaded.bars, { fromMs: settings.from ?? null, holdout: settings.holdout ?? null });
  const identity = identityOf({
    question: studyQuestion(settings, space),
    code: codeHash(file),
    data: bars.dataSets,
  });
  return {
    settings,
    written: { ...written, space: declared },
    space,
    identity,
    bars,
    setup,
    strategyFile: file,
    problems: loaded.problems,
  };
}

function fileOf({ strategies, strategiesFolders }: BotConfig): string {
  const { plugin } = present(strategies[0], 'a strategy');
  if (plugin.kind === 'definition') throw new SarrafError('INVARIANT', 'expected the file of a strategy');
  const folders = [...strategiesFolders, ownStrategies()];
  const file = strategyFileOf(plugin, folders);
  if (file !== null) return file;
  const expected =
    plugin.kind === 'file' ? `a file at ${plugin.path}` : `${plugin.name} in ${folders.join(' or ')}`;
  throw new SarrafError('INVALID_OPTIONS', `strategy: expected ${expected}, found none`);
}

async function definitionOf(file: string): Promise<StrategyDefinition> {
  // Said as any file that can not be read is.
  readFileSync(file);
  const { strategies, problems } = await loadStrategies(file);
  const [first] = strategies;
  if (first !== undefined) return first.definition;
  throw new SarrafError('INVALID_STRATEGY', problems.map(formatPluginProblem).join('; '));
}

/**
 * The bars of every market that the strategy wants: those of the range, and all before it to warm up with.
 */
async function loadBars(of: {
  readonly settings: StudySettings;
  readonly config: BotConfig;
  readonly space: Space;
  readonly setup: StudySetup;
}): Promise<{ readonly bars: readonly CandleColumns[]; readonly problems: readonly string[] }> {
  const { settings, config, space, setup } = of;
  const { overrides: _read, ...rest } = setup;
  const request = (params: Params): BacktestRequest => ({
    ...rest,
    config: withParams(config, params),
    csv: csvOf(settings),
    catalogue: settings.catalogue ?? DEFAULT_CATALOGUE,
    fromMs: null,
    toMs: settings.to ?? null,
  });
  let first: unknown = null;
  for (const params of paramsToTry(space, settings.params)) {
    try {
      const { backtest, problems } = await createBacktest(request(params));
      return { bars: backtest.markets.map(({ columns }) => columns), problems };
    } catch (error) {
      if (!(error instanceof SarrafError) || error.code !== 'INVALID_STRATEGY') throw error;
      first ??= error;
    }
  }
  throw first;
}

/** Points that may be refused, by a rule that joins several params, before the strategy is given up. */
const MOST_POINTS = 16;

/** Those that are fixed, with the strategy's defaults; where they do not do, some points of the space. */
function paramsToTry(space: Space, fixed: Params): readonly Params[] {
  const settings = { kind: 'random', seed: 0, generation: MOST_POINTS, objectives: ['maximize'] } as const;
  const points = new Sampler(space, settings).ask(MOST_POINTS);
  return [fixed, ...points.map(({ point }) => paramsOfPoint(space, point, fixed))];
}

function csvOf({ csv, markets }: StudySettings): readonly CsvSource[] {
  if (csv === undefined) return [];
  const [only] = markets;
  if (typeof csv === 'string')
    return [{ market: markets.length === 1 && only !== undefined ? only : null, path: csv }];
  return Object.entries(csv).map(([market, path]) => ({ market: parseMarket(market).symbol, path }));
}
