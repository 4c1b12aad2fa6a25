import {
  readSignals,
  type FileSignal,
  signalsFor,
  signalWarnings,
  type DatedSignal,
} from '../backtest/signals.ts';
import { botConfigOf, fillRulesOf, csvOf } from '../backtest/run-setup.ts';
import { missingFileText, strategyFileOf } from '../daemon/load-instances.ts';
import type { BotConfig } from '../daemon/create-bot-config.ts';
import { present, SarrafError, invalidOptions } from '../domain/errors.ts';
import { loadStrategy } from '../plugins/load-strategy.ts';
import { ownStrategies } from '../plugins/own-files.ts';
import { codeHash } from './code-bundle.ts';
import { type StudyData, cutCandles, cutRecordings } from './data/study-data.ts';
import type { ReadStudy, StudySettings } from './study-settings.ts';
import { identityOf, type StudyIdentity } from './study-identity.ts';
import { type Space, readSpace } from '../search/space-declaration.ts';
import { setupOfStudy, type StudySetup, withParams } from './trials/trial-setup.ts';
import { baseName } from '../daemon/strategy-settings.ts';
import type { z } from 'zod';
import {
  spaceDeclaredBy,
  type SpaceEntry,
  schemaRefusals,
  type Params,
  paramsOfPoint,
} from '../search/params-of-point.ts';
import { reportVoice } from '../backtest/report-voice.ts';
import { universeRulesOf } from '../backtest/run-currency.ts';
import { createBacktest, neededMarkets } from '../backtest/candle-backtest.ts';
import { marketsOfPoll, noBooks } from '../backtest/poll-backtest.ts';
import { detailWarnings, type CandleBacktest } from '../backtest/run-backtest.ts';
import type { RunWarning } from '../backtest/backtest-run.ts';
import { catalogueRecordings } from '../backtest/recordings.ts';
import { openCatalogue, usualCatalogue } from '../daemon/open-catalogue.ts';
import { packMarket } from '../recording/pack-market.ts';
import { EARLIEST_MS, LATEST_MS, partitionsWithin } from '../recording/read-rows.ts';
import { Sampler } from '../search/sampler.ts';
import type { PackedMarket } from '../recording/column-file.ts';

/** Study that is ready to run: everything that it needs was found and checked. */
export interface PreparedStudy {
  readonly settings: StudySettings;
  /** Study as it was written, with the space that the strategy declared. */
  readonly written: Readonly<Record<string, unknown>>;
  readonly space: Space;
  readonly identity: StudyIdentity;
  readonly data: StudyData;
  /** Everything that a trial needs besides its params and data. */
  readonly setup: StudySetup;
  readonly strategyFile: string;
  /** Warnings about the study, one line each. */
  readonly problems: readonly string[];
}

/**
 * Loads the strategy, the candles and the signals of a study. Throws `INVALID_OPTIONS`, `INVALID_STRATEGY` or
 * `INVALID_FILE` before anything runs if something does not fit.
 */
export async function prepareStudy({ settings, written }: ReadStudy): Promise<PreparedStudy> {
  const setup = setupOfStudy(settings);
  const config = botConfigOf(setup.overrides);
  const file = fileOf(config);
  const { params: schema } = (await loadStrategy(file)).definition;
  const fixed = settings.params;
  const { space, declared } = searchedSpace({ declared: written['space'], schema, fixed });
  const signals = settings.signals === undefined ? null : await readSignals(settings.signals);
  const of = { settings, config, space, setup, signals };
  const { data, problems } = await (settings.fidelity === 'poll' ? loadRecordings(of) : loadBars(of));
  const identity = identityOf({
    question: studyQuestion(settings, space),
    code: codeHash(file),
    data: data.sets,
    signals: data.signals,
  });
  return {
    settings,
    written: { ...written, space: declared },
    space,
    identity,
    data,
    setup,
    strategyFile: file,
    problems,
  };
}

function fileOf({ strategies, strategiesFolders }: BotConfig): string {
  const { plugin } = present(strategies[0], 'a strategy');
  if (plugin.kind === 'definition') throw new SarrafError('INVARIANT', 'expected the file of a strategy');
  const folders = [...strategiesFolders, ownStrategies()];
  const file = strategyFileOf(plugin, folders);
  if (file !== null) return file;
  throw invalidOptions(`strategy: ${missingFileText(plugin, folders)}`);
}

/**
 * Returns all settings that decide a study's trials, as plain JSON. The place of its data, its budget and its
 * validation are left out: the same study can continue with more trials, or elsewhere.
 */
export function studyQuestion(settings: StudySettings, space: Space): Readonly<Record<string, unknown>> {
  const {
    csv: _csv,
    csvForm: _csvForm,
    catalogue: _catalogue,
    signals: _signals,
    budget: _budget,
    space: _space,
    validation: _validation,
    ...asked
  } = settings;
  return JSON.parse(
    JSON.stringify({
      ...asked,
      strategy: baseName(asked.strategy),
      rules: fillRulesOf(asked).rules,
      space: space.parameters,
    }),
  ) as Readonly<Record<string, unknown>>;
}

/** Search space, also in the form in which a study file declares it. */
interface SearchedSpace {
  readonly space: Space;
  readonly declared: Readonly<Record<string, SpaceEntry>>;
}

/**
 * Returns the space of a study: the declared one, else that of the strategy's params, without fixed ones.
 * Throws `INVALID_OPTIONS` for a space without params, for an unknown param, and for one that is both fixed
 * and searched.
 */
function searchedSpace(of: {
  readonly declared: unknown;
  readonly schema: z.ZodType | undefined;
  readonly fixed: Params;
}): SearchedSpace {
  const { schema, fixed } = of;
  if (schema === undefined)
    throw invalidOptions(
      'expected a strategy with params to search, found one without: give it params: z.strictObject({ … })',
    );
  // It was parsed once already, so it has the form of a space.
  const declared =
    of.declared === undefined
      ? ownSpace(schema, fixed)
      : Object.fromEntries(Object.entries(Object(of.declared) as Record<string, SpaceEntry>));
  const space = readSpace(declared);
  const both = space.parameters.find(({ name }) => isFixed(name, fixed));
  if (both !== undefined)
    throw invalidOptions(
      `expected ${both.name} in the params or in the space, found it in both: leave one of them out`,
    );
  const refusals = schemaRefusals(space, schema, fixed);
  if (refusals.length > 0) throw invalidOptions(`space: ${refusals.join('; ')}`);
  return { space, declared };
}

function ownSpace(schema: z.ZodType, fixed: Params): SearchedSpace['declared'] {
  const own = Object.entries(spaceDeclaredBy(schema)).filter(([name]) => !isFixed(name, fixed));
  if (own.length > 0) return Object.fromEntries(own);
  throw invalidOptions(
    'expected a param to search, found every one that the strategy declares fixed: leave one of them free',
  );
}

const isFixed = (name: string, fixed: Params): boolean =>
  Object.keys(fixed).some((key) => name === key || name.startsWith(`${key}.`));

/** Inputs that determine a study's data. */
interface Question extends Pick<PreparedStudy, 'settings' | 'space' | 'setup'> {
  readonly config: BotConfig;
  /** Signals; null if the study has none. */
  readonly signals: readonly FileSignal[] | null;
}

/** Data of a study, and warnings about it, one line each. */
interface LoadedData {
  readonly data: StudyData;
  readonly problems: readonly string[];
}

/** Maximum number of books in memory: with 24 levels on a side they take 1.6 GB. */
const MOST_BOOKS = 2_000_000;

/** Loads the candles of every market that the strategy needs: in the range, and all earlier ones. */
async function loadBars({ settings, config, space, setup, signals }: Question): Promise<LoadedData> {
  if (setup.fidelity === 'poll') throw new SarrafError('INVARIANT', 'expected a study on candles');
  const { overrides: _read, ...request } = setup;
  const { backtest, problems } = await withFittingParams(space, settings.params, async (params) =>
    createBacktest({
      ...request,
      config: withParams(config, params),
      csv: csvOf(settings),
      csvForm: settings.csvForm,
      catalogue: settings.catalogue ?? usualCatalogue(),
      fromMs: null,
      toMs: settings.to ?? null,
      ...(signals === null ? {} : { signals }),
    }),
  );
  const candles = backtest.markets.map(({ columns }) => columns);
  const hasUniverse = universeRulesOf(backtest.instances).length > 0;
  const needed = hasUniverse ? neededMarkets(backtest.instances) : null;
  const isNeeded = (market: string): boolean => needed === null || needed.has(market);
  const detail = backtest.markets.flatMap((market) => market.detail ?? []);
  const data = cutCandles(candles, { ...cutOf(settings), signals, isNeeded, detail });
  const whole = detailWarnings(backtest.markets, data.range.fromMs);
  return {
    data,
    problems: [...problems, ...warningLines(whole), ...unheard(backtest.signals, { ...backtest, data })],
  };
}

/** Loads books, trades, statistics and candles of every market that the strategy needs, up to the end. */
async function loadRecordings({ settings, config, space, signals }: Question): Promise<LoadedData> {
  const { catalogue: root = usualCatalogue(), currency = null } = settings;
  const toMs = settings.to ?? null;
  const catalogue = openCatalogue(root);
  const recordings = catalogueRecordings(catalogue);
  const { symbols, others, problems, instances, dated } = await withFittingParams(
    space,
    settings.params,
    async (params) => {
      const found = await marketsOfPoll({ config: withParams(config, params), recordings, currency });
      return { ...found, dated: signalsFor(signals ?? [], found.instances) };
    },
  );
  const range = { fromMs: EARLIEST_MS, toMs: toMs ?? LATEST_MS };
  const all = [...symbols, ...others];
  const books = all
    .flatMap((market) => partitionsWithin(root, { market, kind: 'books' }, range))
    .reduce((sum, { rows }) => sum + rows, 0);
  if (books > MOST_BOOKS)
    throw invalidOptions(
      `expected at most ${MOST_BOOKS} books in memory, found ${books} of ${symbols.join(', ')}: end the range earlier, or record less in another catalogue`,
    );
  const packed: PackedMarket[] = [];
  for (const market of all) {
    const one = await packMarket(catalogue, { market, toMs });
    if (one === null) throw noBooks(market, root);
    packed.push(one);
  }
  const data = cutRecordings(packed, { ...cutOf(settings), signals });
  return { data, problems: [...problems, ...unheard(dated, { instances, data })] };
}

/** Returns warnings about signals that are outside the study's range, or missing. */
function unheard(
  signals: readonly DatedSignal[] = [],
  { instances, data }: Pick<CandleBacktest, 'instances'> & { readonly data: StudyData },
): readonly string[] {
  return warningLines(signalWarnings(signals, { instances, ...data.range }));
}

function warningLines(warnings: readonly RunWarning[]): readonly string[] {
  const { format } = reportVoice('en');
  return warnings.map((each) => `warning: ${format(each)}`);
}

function cutOf({ from, to, holdout }: StudySettings): {
  readonly fromMs: number | null;
  readonly toMs: number | null;
  readonly holdout: number | null;
} {
  return { fromMs: from ?? null, toMs: to ?? null, holdout: holdout ?? null };
}

/** Maximum number of points to try, before loading fails, if a rule between params refuses them. */
const MOST_POINTS = 16;

/** Loads with the fixed params and the defaults; if those are refused, with points of the space. */
async function withFittingParams<Loaded>(
  space: Space,
  fixed: Params,
  load: (params: Params) => Promise<Loaded>,
): Promise<Loaded> {
  const settings = { kind: 'random', seed: 0, generation: MOST_POINTS, objectives: ['maximize'] } as const;
  const points = new Sampler(space, settings).ask(MOST_POINTS);
  let first: unknown = null;
  for (const params of [fixed, ...points.map(({ point }) => paramsOfPoint(space, point, fixed))]) {
    try {
      return await load(params);
    } catch (error) {
      if (!(error instanceof SarrafError) || error.code !== 'INVALID_STRATEGY') throw error;
      first ??= error;
    }
  }
  throw first;
}
