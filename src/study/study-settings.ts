import { z } from 'zod';
import { REQUEST_FIGURES } from '../backtest/request-figures.ts';
import { PATHS } from '../backtest/bar-rules-of.ts';
import { FIDELITIES, otherFidelity, RULES_OF_FIDELITY, type Fidelity } from '../backtest/fidelity-rules.ts';
import { QUEUE_PLACES } from '../backtest/poll-rules-of.ts';
import { duration, balances, marketSymbol } from '../daemon/setting-fields.ts';
import { UNIT_DECIMALS } from '../domain/money.ts';
import { timeframeMs, TIMEFRAMES, type Timeframe } from '../domain/timeframe.ts';
import { MARKET_NAMES } from '../exchange/market-names.ts';
import { positiveDecimal } from '../simulator-server/config-fields.ts';
import { universeSchema } from '../strategy/universe-rules.ts';
import { SAMPLER_KINDS, type SamplerKind } from '../search/sampler-settings.ts';
import { MOST_TRIALS } from '../search/trial-record.ts';
import { spaceDeclaration } from '../search/space-declaration.ts';
import { walkForward } from './file/walk-forward-fields.ts';
import { FIGURE_NAMES } from '../backtest/result-schema.ts';
import { nearestWord } from '../configuration/nearest-word.ts';
import { TimeReader } from '../recording/time-reader.ts';
import { usualDirection, type Constraint, type Objective } from './objectives.ts';

/** `0.1%`, read to the decimal of percent: a number alone could be a share as well. */
const percent = () =>
  z
    .string({ error: 'expected a percentage with its sign, such as 0.1%' })
    .regex(/^\d{1,2}(?:\.\d{1,4})?\s*%$/, 'expected a percentage with its sign, such as 0.1%')
    .transform((text) => text.replace('%', '').trim());

/** `20%`, read to a share of 1. */
const share = (bounds: { readonly leastPercent: number; readonly mostPercent: number }) =>
  z
    .string({ error: 'expected a percentage with its sign, such as 20%' })
    .meta({ pattern: String.raw`^\d{1,2}(\.\d{1,4})?\s*%$` })
    .transform((text, context): number => {
      const { leastPercent, mostPercent } = bounds;
      const percent = Number(/^(\d{1,2}(?:\.\d{1,4})?)\s*%$/.exec(text.trim())?.[1] ?? Number.NaN);
      if (percent >= leastPercent && percent <= mostPercent) return percent / 100;
      const range = `from ${leastPercent}% to ${mostPercent}%`;
      const message = `expected a percentage ${range}, such as 20%, found ${JSON.stringify(text)}`;
      context.addIssue({ code: 'custom', message });
      return z.NEVER;
    });

/** A moment: ISO 8601, or ms since 1970; in UTC where it names no zone. */
const moment = () =>
  z.union([z.string(), z.number()]).transform((input, context): number => {
    const time =
      typeof input === 'number' ? input : new TimeReader().read(input, { path: 'the study', line: 1 });
    if (typeof time === 'number' && Number.isSafeInteger(time)) return time;
    const message = `expected a time such as 2024-01-31 or 2024-01-31T12:00Z, found ${JSON.stringify(input)}`;
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  });

/** The name of a figure of a run's summary. */
const metric = () =>
  z.string({ error: 'expected the name of a metric, such as sharpe' }).superRefine((name, context) => {
    if (FIGURE_NAMES.includes(name)) return;
    const nearest = nearestWord(name, FIGURE_NAMES);
    const hint = nearest === null ? '' : `; did you mean ${nearest}?`;
    const message = `expected one of ${FIGURE_NAMES.join(', ')}, found ${JSON.stringify(name)}${hint}`;
    context.addIssue({ code: 'custom', message });
  });

const objective = z.union([
  metric().transform((name): Objective => ({ metric: name, direction: usualDirection(name) })),
  z
    .strictObject({ metric: metric(), direction: z.enum(['maximize', 'minimize']).optional() })
    .transform(({ metric: name, direction }): Objective => ({
      metric: name,
      direction: direction ?? usualDirection(name),
    })),
]);

const MOST_OBJECTIVES = 8;

const objectives = () =>
  z
    .union([
      objective.transform((one): readonly Objective[] => [one]),
      z.array(objective).min(1, 'expected an objective, found none').max(MOST_OBJECTIVES),
    ])
    .superRefine((wanted, context) => {
      const twice = wanted.find(({ metric: name }, index) =>
        wanted.slice(0, index).some((before) => before.metric === name),
      );
      if (twice === undefined) return;
      const message = `expected every objective once, found ${twice.metric} twice`;
      context.addIssue({ code: 'custom', message });
    });

const MOST_CONSTRAINTS = 32;

const constraints = () =>
  z
    .array(
      z
        .strictObject({ metric: metric(), least: z.number().optional(), most: z.number().optional() })
        .superRefine(({ least, most }, context) => {
          if (least === undefined && most === undefined)
            context.addIssue({ code: 'custom', message: 'expected least, most or both, found neither' });
          if (least !== undefined && most !== undefined && least > most)
            context.addIssue({
              code: 'custom',
              message: `expected least below most, found ${least} and ${most}`,
            });
        })
        .transform(({ metric: name, least, most }): Constraint => ({
          metric: name,
          ...(least === undefined ? {} : { least }),
          ...(most === undefined ? {} : { most }),
        })),
    )
    .max(MOST_CONSTRAINTS);

/** Trials of a study that says nothing of them. */
const USUAL_TRIALS = 100;

/**
 * Trials of a generation, where what is told decides what comes next. Two, three, four and six workers share
 * them evenly; at the end of each the first that is done waits for the others.
 */
const LEARNING_GENERATION = 12;
/** Generation size for samplers that do not learn: no trial needs to wait for another. */
const LONGEST_GENERATION = 1_000;

const NOT_LEARNING: ReadonlySet<SamplerKind> = new Set(['grid', 'random', 'sobol']);

const MOST_MARKETS = 20;

const file = () => z.string().min(1, 'expected a path, found nothing');

const bps = () => z.number().min(0).max(10_000);

const MOST_LATENCY_MS = 60_000;
const MOST_LAG_MS = 600_000;

const lag = (mostMs: number) => duration({ leastMs: 0, mostMs }).optional();

const rules = z
  .strictObject({
    marketOrders: z.enum(['next-open', 'this-close']).optional().describe('When market orders fill.'),
    limitFill: z
      .enum(['through', 'touch'])
      .optional()
      .describe('What fills a limit order: a price beyond its own, or its own.'),
    path: z.enum(PATHS).optional().describe('Assumed path through a candle.'),
    spreadBps: bps().optional().describe('Spread between bid and ask, in hundredths of a percent.'),
    slippageBps: bps().optional().describe('Slippage of taker orders, in hundredths of a percent.'),
    slippageRange: z
      .number()
      .min(0)
      .max(100)
      .optional()
      .describe('Slippage of taker orders, in percent of the range of the candle.'),
    volumeShare: z
      .union([z.number().min(0.0001).max(100), z.literal('all')])
      .optional()
      .describe("Percent of a candle's volume that can fill, or all."),
    latency: lag(MOST_LATENCY_MS).describe(
      'With poll: latency of a request, and of its reply; 50ms without it.',
    ),
    tradesLag: lag(MOST_LAG_MS).describe('With poll: how late own trades are listed; at once without it.'),
    queue: z
      .enum(QUEUE_PLACES)
      .optional()
      .describe('With poll: place of resting orders in the queue at their price; back without it.'),
  })
  .superRefine(({ slippageBps, slippageRange }, context) => {
    if (slippageBps !== undefined && slippageRange !== undefined)
      context.addIssue({ code: 'custom', message: 'expected slippageBps or slippageRange, found both' });
  })
  .prefault({});

/** Validation issue of the markets or universe to trade; null if there is none. */
function placesProblem({
  markets,
  universe,
}: {
  readonly markets?: readonly string[] | undefined;
  readonly universe?: unknown;
}): string | null {
  if (universe !== undefined && markets !== undefined)
    return 'expected markets or a universe, found both: leave one of them out';
  if (universe === undefined && markets === undefined)
    return 'expected markets: BTCUSDT, or universe: { quote: usdt, rankBy: volume24h, take: 10 }, found neither';
  return new Set(markets).size < (markets?.length ?? 0) ? 'expected every market once' : null;
}

/** Refuses settings that nothing would use: whoever sets them counts on them. */
function refuseOtherFidelity(
  of: {
    readonly fidelity: Fidelity;
    readonly csv?: unknown;
    readonly detail?: unknown;
    readonly rules: Readonly<Record<string, unknown>>;
    readonly objectives: readonly { readonly metric: string }[];
    readonly constraints: readonly { readonly metric: string }[];
  },
  refuse: (path: string[], message: string) => void,
): void {
  const { fidelity, csv, detail, rules: given, objectives: wanted, constraints: bounds } = of;
  const other = otherFidelity(fidelity);
  for (const name of RULES_OF_FIDELITY[other].filter((rule) => given[rule] !== undefined))
    refuse(['rules', name], `expected it with fidelity: ${other}, found ${fidelity}, which does not use it`);
  if (fidelity === 'poll') {
    if (csv !== undefined)
      refuse(['csv'], 'expected recorded books of the catalogue for fidelity: poll, found a file of candles');
    if (detail !== undefined)
      refuse(['detail'], 'expected it with fidelity: candles, found poll, which does not use it');
    return;
  }
  for (const [place, metrics] of Object.entries({ objectives: wanted, constraints: bounds }))
    for (const { metric } of metrics)
      if (REQUEST_FIGURES.has(metric))
        refuse([place], `expected fidelity: poll with ${metric}, found candles, where nothing is asked for`);
}

function detailProblem(detail: Timeframe | undefined, timeframe: Timeframe): string | null {
  if (detail === undefined || timeframeMs(detail) < timeframeMs(timeframe)) return null;
  return `expected a timeframe finer than that of the candles, ${timeframe}, found ${detail}`;
}

/** A study as its file says it, or as the options of the short form do. */
export const studySettings = z
  .strictObject({
    strategy: file().describe('The name of a bundled strategy such as ma-cross, or the path of its file.'),
    markets: z
      .union([
        marketSymbol().transform((symbol) => [symbol]),
        z.array(marketSymbol()).min(1).max(MOST_MARKETS),
      ])
      .optional()
      .describe('The market that it trades, or several: it then runs once in each, in one account.'),
    universe: universeSchema
      .optional()
      .describe('Markets that are chosen by a rule, in place of markets. docs/universe.md explains it.'),
    timeframe: z.enum(TIMEFRAMES).prefault('1h').describe('Timeframe of the candles.'),
    detail: z
      .enum(TIMEFRAMES)
      .optional()
      .describe('Finer candles of the catalogue, such as 1m, on which the inside of each candle is walked.'),
    csv: z
      .union([file(), z.record(z.string(), file())])
      .optional()
      .describe(
        'A file of candles in place of the catalogue; of several markets a file for each, by market.',
      ),
    csvForm: z
      .strictObject({
        decimal: z.enum(['point', 'comma']).optional(),
        dates: z.enum(['day-first', 'month-first']).optional(),
        roundPrices: z.int().min(0).max(UNIT_DECIMALS).optional(),
      })
      .optional()
      .describe('How these files are written, where it can not be seen, as sarraf data import takes it.'),
    catalogue: file().optional().describe('Folder of the recordings; data/catalogue where none is named.'),
    signals: file()
      .optional()
      .describe('A file of what the strategy is told from outside, and when: docs/signals.md explains it.'),
    from: moment().optional().describe('First candle of the range; earlier ones warm indicators up.'),
    to: moment().optional().describe('End of the range; a candle that opens then is not in it.'),
    holdout: share({ leastPercent: 1, mostPercent: 90 })
      .optional()
      .describe('The last part of the range, such as 20%: no trial ever sees it.'),
    fidelity: z
      .enum(FIDELITIES)
      .prefault('candles')
      .describe('candles, or poll: each trial is the whole bot against recorded books and trades.'),
    params: z.record(z.string(), z.unknown()).prefault({}).describe('Parameters that are not searched.'),
    balances: balances().describe('What the account begins with, by currency.'),
    inventory: balances()
      .optional()
      .describe('Coins of the balances that the strategy may sell without having bought them.'),
    fee: percent()
      .optional()
      .describe('Fee of makers and takers, such as 0.1%; those of the exchange without it.'),
    currency: z
      .enum(MARKET_NAMES.quotes.map(({ currency }) => currency))
      .optional()
      .describe('Currency of the figures.'),
    steps: z
      .strictObject({
        price: positiveDecimal().optional(),
        amount: positiveDecimal().optional(),
        minValue: positiveDecimal().optional(),
      })
      .prefault({})
      .describe('Price step, amount step and minimum value, of a market that the exchange does not know.'),
    rules: rules.describe('How orders fill inside candles, as the options of sarraf backtest.'),
    space: spaceDeclaration
      .optional()
      .describe('What is searched, by param; what the strategy declares by search() without it.'),
    objectives: objectives()
      .prefault(['sharpe'])
      .describe('Figures of the summary to be maximized or minimized, one or several.'),
    constraints: constraints().prefault([]).describe('Figures that must not be below least or above most.'),
    sampler: z
      .strictObject({
        kind: z
          .enum(SAMPLER_KINDS)
          .optional()
          .describe('tpe for one objective, nsga2 for several, without it.'),
        seed: z.int().min(0).prefault(1).describe('The same seed tries the same.'),
        generation: z
          .int()
          .min(1)
          .max(LONGEST_GENERATION)
          .optional()
          .describe(
            'Trials that are chosen before any of them is learned from; 12 where it learns, without it.',
          ),
      })
      .prefault({}),
    budget: z
      .strictObject({
        trials: z.int().min(1).max(MOST_TRIALS).prefault(USUAL_TRIALS).describe('Trials in all.'),
        time: duration().optional().describe('After this time no trial begins; those under way are ended.'),
      })
      .prefault({}),
    validation: z
      .strictObject({ walkForward: walkForward().optional() })
      .prefault({})
      .describe('How what was found is tested.'),
  })
  .superRefine((settings, context) => {
    const { csv, catalogue, from, to, markets, universe, objectives: wanted, sampler, ...rest } = settings;
    const { timeframe, detail } = rest;
    const refuse = (path: string[], message: string): void => {
      context.addIssue({ code: 'custom', path, message });
    };
    if (csv !== undefined && catalogue !== undefined && detail === undefined)
      refuse(['catalogue'], 'expected csv or catalogue, found both: leave one of them out');
    if (csv === undefined && rest.csvForm !== undefined)
      refuse(['csvForm'], 'expected csv with it: it says how these files are written');
    if (from !== undefined && to !== undefined && from >= to)
      refuse(['to'], 'expected a range that begins before it ends, found the end before the beginning');
    refuseOtherFidelity({ csv, objectives: wanted, ...rest }, refuse);
    const notFiner = detailProblem(detail, timeframe);
    if (notFiner !== null) refuse(['detail'], notFiner);
    const problem = placesProblem({ markets, universe });
    if (problem !== null) refuse([universe === undefined ? 'markets' : 'universe'], problem);
    if (wanted.length > 1 && (sampler.kind === 'tpe' || sampler.kind === 'cmaes'))
      refuse(
        ['sampler', 'kind'],
        `expected one objective for ${sampler.kind}, found ${wanted.length}: use nsga2`,
      );
  })
  .transform(({ sampler, markets = [], ...rest }) => {
    const kind: SamplerKind = sampler.kind ?? (rest.objectives.length > 1 ? 'nsga2' : 'tpe');
    const usual = NOT_LEARNING.has(kind) ? LONGEST_GENERATION : LEARNING_GENERATION;
    return { ...rest, markets, sampler: { ...sampler, kind, generation: sampler.generation ?? usual } };
  });

export type StudySettings = z.output<typeof studySettings>;
/** As it is written. */
export type WrittenStudy = z.input<typeof studySettings>;
