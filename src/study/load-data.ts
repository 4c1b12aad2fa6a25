import { reportVoice } from '../backtest/report-voice.ts';
import { universeRulesOf } from '../backtest/available-markets.ts';
import { createBacktest, neededMarkets } from '../backtest/candle-backtest.ts';
import { csvOf } from '../backtest/run-setup.ts';
import { marketsOfPoll, noBooks } from '../backtest/poll-backtest.ts';
import { detailWarnings, type CandleBacktest } from '../backtest/run-backtest.ts';
import type { RunWarning } from '../backtest/run-warning.ts';
import { signalWarnings, type DatedSignal } from '../backtest/dated-signal.ts';
import type { FileSignal } from '../backtest/read-signals.ts';
import { signalsFor } from '../backtest/signals-for.ts';
import { catalogueRecordings } from '../backtest/recordings.ts';
import { openCatalogue, usualCatalogue } from '../daemon/open-catalogue.ts';
import type { BotConfig } from '../daemon/create-bot-config.ts';
import { SarrafError } from '../domain/errors.ts';
import { packMarket } from '../recording/pack-market.ts';
import type { PackedMarket } from '../recording/packed-market.ts';
import { EARLIEST_MS, LATEST_MS, partitionsWithin } from '../recording/read-partitions.ts';
import { cutCandles, cutRecordings, type StudyData } from './data/study-data.ts';
import type { StudySettings } from './study-settings.ts';
import { Sampler } from '../search/sampler.ts';
import type { Space } from '../search/parameter.ts';
import { paramsOfPoint, type Params } from '../search/params-of-point.ts';
import { withParams, type StudySetup } from './trials/trial-setup.ts';

/** Inputs that determine a study's data. */
interface Question {
  readonly settings: StudySettings;
  readonly config: BotConfig;
  readonly space: Space;
  readonly setup: StudySetup;
  /** Null where the study has none. */
  readonly signals: readonly FileSignal[] | null;
}

/** The data of a study, and what is unwise of it, a line each. */
interface LoadedData {
  readonly data: StudyData;
  readonly problems: readonly string[];
}

/** Books of all markets together that threads share: with 24 levels a side they have 1.6 GB. */
const MOST_BOOKS = 2_000_000;

/**
 * The bars of every market that the strategy wants: those of the range, and all before it to warm up with.
 */
export async function loadBars({ settings, config, space, setup, signals }: Question): Promise<LoadedData> {
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

/** Books, trades, statistics and bars of every market that the strategy wants: all up to the end. */
export async function loadRecordings({ settings, config, space, signals }: Question): Promise<LoadedData> {
  const { catalogue: root = usualCatalogue(), currency = null } = settings;
  const toMs = settings.to ?? null;
  const catalogue = openCatalogue(root);
  const recordings = catalogueRecordings(catalogue);
  const { symbols, problems, instances, dated } = await withFittingParams(
    space,
    settings.params,
    async (params) => {
      const found = await marketsOfPoll({ config: withParams(config, params), recordings, currency });
      return { ...found, dated: signalsFor(signals ?? [], found.instances) };
    },
  );
  const range = { fromMs: EARLIEST_MS, toMs: toMs ?? LATEST_MS };
  const books = symbols
    .flatMap((market) => partitionsWithin(root, { market, kind: 'books' }, range))
    .reduce((sum, { rows }) => sum + rows, 0);
  if (books > MOST_BOOKS)
    throw new SarrafError(
      'INVALID_OPTIONS',
      `expected at most ${MOST_BOOKS} books in memory, found ${books} of ${symbols.join(', ')}: end the range earlier, or record less in another catalogue`,
    );
  const packed: PackedMarket[] = [];
  for (const market of symbols) {
    const one = await packMarket(catalogue, { market, toMs });
    if (one === null) throw noBooks(market, root);
    packed.push(one);
  }
  const data = cutRecordings(packed, { ...cutOf(settings), signals });
  return { data, problems: [...problems, ...unheard(dated, { instances, data })] };
}

/** That signals are outside of the study, or missing. */
function unheard(
  signals: readonly DatedSignal[] = [],
  { instances, data }: Pick<CandleBacktest, 'instances'> & { readonly data: StudyData },
): readonly string[] {
  return warningLines(signalWarnings(signals, { instances, ...data.range }));
}

function warningLines(warnings: readonly RunWarning[]): readonly string[] {
  const { tell } = reportVoice('en');
  return warnings.map((each) => `warning: ${tell(each)}`);
}

function cutOf({ from, to, holdout }: StudySettings): {
  readonly fromMs: number | null;
  readonly toMs: number | null;
  readonly holdout: number | null;
} {
  return { fromMs: from ?? null, toMs: to ?? null, holdout: holdout ?? null };
}

/** Points that may be refused, by a rule that joins several params, before the strategy is given up. */
const MOST_POINTS = 16;

/** Loads with the fixed params and the strategy's defaults; where they do not do, by points of the space. */
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
