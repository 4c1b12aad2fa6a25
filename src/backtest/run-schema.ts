import { Decimal } from 'decimal.js';
import { z } from 'zod';
import { duration, marketSymbol } from '../daemon/setting-fields.ts';
import { MINUTE_MS } from '../domain/time-text.ts';
import { UNIT_DECIMALS } from '../domain/money.ts';
import { timeframeMs, TIMEFRAMES } from '../domain/candle.ts';
import { MARKET_NAMES } from '../exchange/market-names.ts';
import { timeText } from '../recording/read-rows.ts';
import { TimeReader, type FileForm } from '../recording/written-form.ts';
import { currencySymbol, decimalAmount, positiveDecimal } from '../simulator/setting-fields.ts';
import { universeSchema } from '../strategy/universe-rules.ts';

/** Command line option that sets a field of a run. */
export interface RunFlag {
  /** Placeholder of its value in help, such as `<bps>`. */
  readonly value: string;
  /** Long name of the option; default: the name of the field. */
  readonly name?: string;
  /** Form of its value on the command line; default: plain text. */
  readonly form?:
    | 'number'
    | 'milliseconds'
    | 'lower'
    | 'list'
    | 'amounts'
    | 'params'
    | 'json'
    | 'files'
    | 'objectives';
  /** Additional help text beside the description of the field. */
  readonly hint?: string;
}

/** Options of all fields that have one. */
export const RUN_FLAGS = z.registry<RunFlag>();

/** Returns a schema for one of these words. */
export const choice = <const Words extends readonly string[]>(words: Words) =>
  z.enum(words, {
    error: ({ input }) => `expected one of ${words.join(', ')}, found ${JSON.stringify(input)}`,
  });

/** Returns a schema for a number within bounds, both included. */
const within = (least: number, most: number) => {
  const error = `expected a number from ${least} to ${most}`;
  return z.number({ error }).min(least, error).max(most, error);
};

/** Returns a schema for a whole number within bounds, both included. */
export const wholeWithin = (least: number, most: number) => {
  const error = `expected a whole number from ${least} to ${most}`;
  return z.int({ error }).min(least, error).max(most, error);
};

const PERCENT = /^\d{1,2}(?:\.\d{1,4})?\s*%$/;

function percentProblem(input: unknown): string {
  const text = String(input).trim();
  if (!/^\d{1,2}(?:\.\d{1,4})?$/.test(text))
    return 'expected a percentage with its sign, such as 0.1%, with at most four decimals';
  // The message shows both meanings: a wrong guess would be a hundred times too much or too little.
  const share = `${new Decimal(text).times(100).toFixed()}%`;
  return `expected a percentage with its sign, such as ${text}% or ${share}: say which you mean`;
}

/** Schema for a percentage such as `0.1%`. A bare number, which might be a share, is refused. */
const percent = z
  .string({ error: ({ input }) => percentProblem(input) })
  .regex(PERCENT, { error: ({ input }) => percentProblem(input) })
  .transform((text) => text.replace('%', '').trim());

/** Returns a schema for a time: ISO 8601 text, UTC if it names no zone, or ms since 1970. */
const moment = () =>
  z.union([z.string(), z.number()]).transform((input, context): number => {
    const time =
      typeof input === 'number' ? input : new TimeReader().read(input, { path: 'the run', line: 1 });
    if (typeof time === 'number' && Number.isSafeInteger(time)) return time;
    const expected =
      typeof time === 'string' ? time : `expected a time such as 2024-01-31T12:00Z, found ${time}`;
    context.addIssue({ code: 'custom', message: expected });
    return z.NEVER;
  });

const file = () => z.string().min(1, 'expected a path, found nothing');

const amounts = () =>
  z.record(currencySymbol(), decimalAmount(), {
    error: 'expected amounts by currency, such as { usdt: 10000 }',
  });

const MOST_MARKETS = 20;
const MOST_LAG_MS = 10 * MINUTE_MS;

const candleRules = {
  marketOrders: choice(['next-open', 'this-close'])
    .optional()
    .describe('When market orders fill.')
    .register(RUN_FLAGS, { value: '<when>' }),
  limitFill: choice(['through', 'touch'])
    .optional()
    .describe('What fills a limit order: a price beyond its own, or its own.')
    .register(RUN_FLAGS, { value: '<when>' }),
  path: choice(['worst-first', 'open-high-low-close', 'open-low-high-close', 'nearest-first'])
    .optional()
    .describe('Assumed path through a candle.')
    .register(RUN_FLAGS, { value: '<path>' }),
  spreadBps: within(0, 10_000)
    .optional()
    .describe('Spread between bid and ask, in hundredths of a percent.')
    .register(RUN_FLAGS, { value: '<bps>', form: 'number' }),
  slippageBps: within(0, 10_000)
    .optional()
    .describe('Slippage of taker orders, in hundredths of a percent.')
    .register(RUN_FLAGS, { value: '<bps>', form: 'number' }),
  slippageRange: within(0, 100)
    .optional()
    .describe('Slippage of taker orders, in percent of the range of the candle.')
    .register(RUN_FLAGS, { value: '<percent>', form: 'number' }),
  volumeShare: z
    .union([within(0.0001, 100), z.literal('all')])
    .optional()
    .describe("Percent of a candle's volume that can fill, or all; 10 without it.")
    .register(RUN_FLAGS, { value: '<percent>', form: 'number' }),
};

const pollRules = {
  latency: duration({ leastMs: 0, mostMs: MINUTE_MS })
    .optional()
    .describe('With poll: latency of a request, and of its reply; 50ms without it.')
    .register(RUN_FLAGS, { value: '<ms>', form: 'milliseconds' }),
  tradesLag: duration({ leastMs: 0, mostMs: MOST_LAG_MS })
    .optional()
    .describe('With poll: how late own trades are listed; at once without it.')
    .register(RUN_FLAGS, { value: '<ms>', form: 'milliseconds' }),
  queue: choice(['back', 'front'])
    .optional()
    .describe('With poll: place of resting orders in the queue at their price; back without it.')
    .register(RUN_FLAGS, { value: '<place>' }),
};

const csvForm = {
  decimal: choice(['point', 'comma'])
    .optional()
    .describe('The sign before decimals, where the first rows leave it open.')
    .register(RUN_FLAGS, { value: '<sign>' }),
  dates: choice(['day-first', 'month-first'])
    .optional()
    .describe('What comes first in dates such as 03/04/2026, where the first rows leave it open.')
    .register(RUN_FLAGS, { value: '<order>' }),
  roundPrices: wholeWithin(0, UNIT_DECIMALS)
    .optional()
    .describe('Rounds prices to at most so many decimals.')
    .register(RUN_FLAGS, { value: '<decimals>', form: 'number' }),
} satisfies Readonly<Record<keyof FileForm, z.ZodType>>;

const steps = {
  price: positiveDecimal()
    .optional()
    .describe('Price step of the market.')
    .register(RUN_FLAGS, { name: 'price-step', value: '<step>' }),
  amount: positiveDecimal()
    .optional()
    .describe('Amount step of the market.')
    .register(RUN_FLAGS, { name: 'amount-step', value: '<step>' }),
  minValue: decimalAmount()
    .optional()
    .describe('Minimum value of an order in the market.')
    .register(RUN_FLAGS, { value: '<amount>' }),
};

const EXAMPLE_UNIVERSE = '{"quote":"usdt","rankBy":"volume24h","take":10}';

/**
 * All settings of a run: strategy, markets, data, range, account and fill rules. The file of a study has
 * these keys, and the command line options and their help are built from them.
 */
export const runShape = {
  strategy: file().describe('The name of a bundled strategy such as ma-cross, or the path of its file.'),
  markets: z
    .union([marketSymbol().transform((symbol) => [symbol]), z.array(marketSymbol()).min(1).max(MOST_MARKETS)])
    .optional()
    .describe('The market that it trades, or several: it then runs once in each, in one account.')
    .register(RUN_FLAGS, { name: 'market', value: '<symbol>', form: 'list' }),
  universe: universeSchema
    .optional()
    .describe('Markets that are chosen by a rule, in place of markets. docs/universe.md explains it.')
    .register(RUN_FLAGS, { value: '<rules>', form: 'json', hint: `'${EXAMPLE_UNIVERSE}'` }),
  timeframe: choice(TIMEFRAMES)
    .prefault('1h')
    .describe('Timeframe of the candles.')
    .register(RUN_FLAGS, { value: '<timeframe>', form: 'lower' }),
  detail: choice(TIMEFRAMES)
    .optional()
    .describe('Finer candles of the catalogue, such as 1m, on which the inside of each candle is walked.')
    .register(RUN_FLAGS, { value: '<timeframe>', form: 'lower' }),
  csv: z
    .union([file(), z.record(z.string(), file())])
    .optional()
    .describe('A file of candles in place of the catalogue; of several markets a file for each, by market.')
    .register(RUN_FLAGS, { value: '<file>', form: 'files', hint: 'BTCUSDT=file' }),
  csvForm: z
    .strictObject(csvForm)
    .optional()
    .describe('How these files are written, where it can not be seen, as sarraf data import takes it.'),
  catalogue: file()
    .optional()
    .describe('Folder of the recordings; data/catalogue where none is named.')
    .register(RUN_FLAGS, { value: '<folder>' }),
  signals: file()
    .optional()
    .describe('A file of what the strategy is told from outside, and when: docs/signals.md explains it.')
    .register(RUN_FLAGS, { value: '<file>' }),
  from: moment()
    .optional()
    .describe('First candle of the range; earlier ones warm indicators up.')
    .register(RUN_FLAGS, { value: '<time>' }),
  to: moment()
    .optional()
    .describe('End of the range; a candle that opens then is not in it.')
    .register(RUN_FLAGS, { value: '<time>' }),
  fidelity: choice(['candles', 'poll'])
    .prefault('candles')
    .describe('candles, or poll: the whole bot against recorded books and trades.')
    .register(RUN_FLAGS, { value: '<kind>' }),
  params: z
    .record(z.string(), z.unknown())
    .prefault({})
    .describe('Parameters of the strategy; a study does not search them.')
    .register(RUN_FLAGS, { name: 'param', value: '<name=value>', form: 'params', hint: 'such as fast=10' }),
  balances: amounts().describe('What the account begins with, by currency.').register(RUN_FLAGS, {
    name: 'balance',
    value: '<currency=amount>',
    form: 'amounts',
    hint: 'such as usdt=10000',
  }),
  inventory: amounts()
    .optional()
    .describe('Coins of the balances that the strategy may sell without having bought them.')
    .register(RUN_FLAGS, { value: '<coin=amount>', form: 'amounts', hint: 'such as btc=0.5' }),
  fee: percent
    .optional()
    .describe('Fee of makers and takers, such as 0.1%; those of the exchange without it.')
    .register(RUN_FLAGS, { value: '<percent>' }),
  currency: choice(MARKET_NAMES.quotes.map(({ currency }) => currency))
    .optional()
    .describe('Currency of the results; without it rls if any market is priced in rial, else usdt.')
    .register(RUN_FLAGS, { value: '<currency>' }),
  steps: z
    .strictObject(steps)
    .prefault({})
    .describe('Price step, amount step and minimum value, of a market that the exchange does not know.'),
  rules: z
    .strictObject({ ...candleRules, ...pollRules })
    .prefault({})
    .describe('How orders fill.'),
};

const runFields = z.strictObject(runShape);

/** Settings of a run, read from a file or from options. */
export type RunSettings = z.output<typeof runFields>;

/** Fidelity of a run to the market: candles, or the whole bot on recorded books and trades. */
type Fidelity = RunSettings['fidelity'];

/** Names of the fill rules that each fidelity uses; the other fidelity would ignore them. */
const RULES_OF_FIDELITY: Readonly<Record<Fidelity, readonly string[]>> = {
  candles: Object.keys(candleRules),
  poll: [...Object.keys(pollRules), 'latencyFrom'],
};

/** Settings of `sarraf backtest`: a run, whose bot may come from a configuration file. */
export const backtestShape = {
  ...runShape,
  strategy: runShape.strategy.optional(),
  balances: runShape.balances.optional(),
  config: file()
    .optional()
    .describe('Configuration of a bot: its strategies, risk, paper.balances and paper.fees.')
    .register(RUN_FLAGS, { value: '<file>' }),
  rules: z
    .strictObject({
      ...candleRules,
      ...pollRules,
      latencyFrom: file()
        .optional()
        .describe(
          'With poll: draws latencies from a recorded session, the data folder of a run with --record.',
        )
        .register(RUN_FLAGS, { value: '<folder>' }),
      seed: wholeWithin(0, 4_294_967_295)
        .prefault(1)
        .describe('Seed of the latencies that are drawn.')
        .register(RUN_FLAGS, { value: '<number>', form: 'number' }),
    })
    .prefault({}),
};

/** Writes a field's name for a message, with a value if given: `fidelity: poll` or `--fidelity poll`. */
export type FieldName = (field: string, value?: string) => string;

export const keyName: FieldName = (field, value) => (value === undefined ? field : `${field}: ${value}`);

type Refuse = (path: string[], message: string) => void;

/** Settings of a run that are checked together. */
type CheckedRun = Omit<RunSettings, 'strategy' | 'balances' | 'rules'> & {
  readonly strategy?: string | undefined;
  readonly config?: string | undefined;
  readonly rules: RunSettings['rules'] & { readonly latencyFrom?: string | undefined };
};

/** Refuses settings that contradict each other or have no effect, since a user who sets one relies on it. */
export function refuseUnfit(run: CheckedRun, name: FieldName, refuse: Refuse): void {
  const { csv, csvForm: form = {}, from, to, timeframe, detail, rules } = run;
  const { slippageBps, slippageRange, latency, latencyFrom } = rules;
  for (const key of csv === undefined ? Object.keys(form) : [])
    refuse(['csvForm', key], `expected ${name('csv')} with it: it says how these files are written`);
  if (from !== undefined && to !== undefined && from >= to) {
    const found = `${timeText(from)} to ${timeText(to)}`;
    refuse(['to'], `expected a range that begins before it ends, found ${found}`);
  }
  refuseOtherFidelity(run, name, refuse);
  if (detail !== undefined && timeframeMs(detail) >= timeframeMs(timeframe))
    refuse(['detail'], `expected a timeframe finer than that of the candles, ${timeframe}, found ${detail}`);
  if (slippageBps !== undefined && slippageRange !== undefined)
    refuse(['rules'], `expected ${name('slippageBps')} or ${name('slippageRange')}, found both`);
  if (latency !== undefined && latencyFrom !== undefined)
    refuse(
      ['rules'],
      `expected ${name('latency')} or ${name('latencyFrom')}, found both: the one is constant, the other drawn`,
    );
  refusePlaces(run, name, refuse);
}

function refuseOtherFidelity({ fidelity, csv, detail, rules }: CheckedRun, name: FieldName, refuse: Refuse) {
  const other = fidelity === 'candles' ? 'poll' : 'candles';
  const unused = `expected it with ${name('fidelity', other)}, found ${fidelity}, which does not use it`;
  for (const rule of RULES_OF_FIDELITY[other])
    if (Object.entries(rules).some(([key, value]) => key === rule && value !== undefined))
      refuse(['rules', rule], unused);
  if (fidelity !== 'poll') return;
  const poll = name('fidelity', 'poll');
  if (csv !== undefined)
    refuse(['csv'], `expected recorded books of the catalogue for ${poll}, found a file of candles`);
  if (detail !== undefined) refuse(['detail'], unused);
}

/** Refuses wrong settings of the strategy, and of the markets or universe that it trades. */
function refusePlaces(run: CheckedRun, name: FieldName, refuse: Refuse): void {
  const { strategy, config, markets, universe, csv, params, inventory } = run;
  if (strategy === undefined && config === undefined) {
    const bot = name('config', 'bot.yaml');
    refuse([], `expected a strategy such as strategies/ma-cross.ts, or ${bot}, found neither`);
    return;
  }
  if (config !== undefined) {
    if (strategy !== undefined)
      refuse(
        [],
        `expected a strategy or ${name('config')}, found both: a configuration names its strategies`,
      );
    for (const [key, value] of Object.entries({ params, inventory, universe }))
      if (value !== undefined && Object.keys(value).length > 0)
        refuse([key], `expected it with a strategy, found ${name('config')}: write it in that file`);
  }
  if (universe !== undefined && markets !== undefined)
    refuse(
      ['universe'],
      `expected ${name('markets')} or ${name('universe')}, found both: leave one of them out`,
    );
  if (universe === undefined && markets === undefined && config === undefined)
    refuse(
      ['markets'],
      `expected ${name('markets', 'BTCUSDT')}, or ${name('universe', EXAMPLE_UNIVERSE)}, found neither`,
    );
  const twice = markets?.find((market, index) => markets.indexOf(market) !== index);
  if (twice !== undefined) refuse(['markets'], `expected every market once, found ${twice} twice`);
  const isUnnamed = typeof csv === 'string' || csv?.[''] !== undefined;
  if (isUnnamed && markets === undefined && config !== undefined)
    refuse(
      ['csv'],
      `expected ${name('markets')}, or a file for each market: a file does not say whose bars it has`,
    );
}

/** Returns the schema of `sarraf backtest`, whose messages name the options by `name`. */
export const backtestSettings = (name: FieldName) =>
  z
    .strictObject(backtestShape)
    .superRefine((run, context) =>
      refuseUnfit(run, name, (path, message) => context.addIssue({ code: 'custom', path, message })),
    );

export type BacktestSettings = z.output<ReturnType<typeof backtestSettings>>;
