import { MINUTE_MS } from '../domain/time-text.ts';
import { z } from 'zod';
import type { Immutable } from '../domain/stored-json.ts';
import { type SarrafError, invalidStrategy } from '../domain/errors.ts';
import type { MarketNames } from '../domain/market-symbol.ts';
import { expectedMarket, inputText } from './decimal-input.ts';

/** Maximum number of members of one universe: no exchange has more markets in one currency. */
export const MOST_MEMBERS = 150;

/** Numbers by which markets are ranked: the narrowest spread is best, for others the largest number. */
export const RANKINGS = ['volume24h', 'volatility', 'spread', 'change'] as const;
export type Ranking = (typeof RANKINGS)[number];

const number = z.number().refine(Number.isFinite, 'expected a number');
const positive = number.refine((value) => value > 0, 'expected a number above 0');

const filters = z.strictObject({
  /** Least volume within the last day, in the quote currency. */
  minVolume: positive.optional(),
  /** Widest distance between the best prices, in hundredths of a percent of their middle. */
  maxSpreadBps: positive.optional(),
  /** Least price of the last trade, in the quote currency. */
  minPrice: positive.optional(),
  /** Least time since the bot first saw the market, in ms. */
  minAgeMs: z.int().min(0).optional(),
  /** Symbols that never become members, such as `USDTIRT`. */
  exclude: z.array(z.string().min(1).max(30)).max(1_000).optional(),
});

const WEEK_MS = 7 * 86_400_000;

/** Schema of a universe as an author writes it. */
export const universeSchema = z.strictObject({
  /** Quote currency of its markets, lower case: `rls`. */
  quote: z.string(),
  rankBy: z.enum(RANKINGS, {
    error: ({ input }) => `expected one of ${RANKINGS.join(', ')}, was ${inputText(input)}`,
  }),
  /** Maximum number of members. */
  take: z.int().min(1).max(MOST_MEMBERS),
  filters: filters.default({}),
  /** Time from one ranking to the next, in ms. */
  refreshMs: z.int().min(MINUTE_MS).max(WEEK_MS).default(600_000),
  /** Margin against quick changes: a member leaves once its rank exceeds `take` x (1 + `hysteresis`). */
  hysteresis: number
    .refine((value) => value >= 0 && value <= 5, 'expected a number from 0 to 5')
    .default(0.2),
  /** Additional places for markets that have left, but in which the strategy still holds something. */
  reserve: z.int().min(0).max(MOST_MEMBERS).optional(),
});

/** A universe as an author declares it. */
export type UniverseWish = Immutable<z.input<typeof universeSchema>>;

/** The rules of a universe, with defaults filled in. */
export type UniverseRules = Immutable<z.output<typeof universeSchema> & { reserve: number }>;

/**
 * Checks the rules of a universe. Types of plugins are not trusted. `knownMarkets` are the markets of the
 * exchange; without them any market may be excluded.
 * @throws SarrafError `INVALID_STRATEGY` that names the field.
 */
export function checkedUniverse(
  request: unknown,
  of: { readonly marketNames: MarketNames; readonly knownMarkets: ReadonlySet<string> | undefined },
): UniverseRules {
  const checked = universeSchema.safeParse(request);
  if (!checked.success) {
    const [issue] = checked.error.issues;
    throw refusal(issue?.path ?? [], issue?.message ?? 'expected the rules of a universe');
  }
  const { data } = checked;
  const quotes = of.marketNames.quotes.map(({ currency }) => currency);
  if (!quotes.some((quote) => quote === data.quote))
    throw refusal(['quote'], `expected one of ${quotes.join(', ')}, was ${JSON.stringify(data.quote)}`);
  for (const [place, symbol] of (data.filters.exclude ?? []).entries())
    checkExcluded(symbol, { ...of, quote: data.quote, place });
  return { ...data, reserve: data.reserve ?? Math.ceil(data.take / 2) };
}

/** Returns the markets of a quote currency that may become members, ordered by name. */
export function candidatesOf(
  { quote, filters: { exclude = [] } }: UniverseRules,
  knownMarkets: ReadonlySet<string>,
  marketNames: MarketNames,
): readonly string[] {
  return [...knownMarkets]
    .filter((symbol) => !exclude.includes(symbol) && marketNames.parseMarket(symbol).quote === quote)
    .toSorted();
}

function checkExcluded(
  symbol: string,
  of: {
    readonly quote: string;
    readonly place: number;
    readonly marketNames: MarketNames;
    readonly knownMarkets: ReadonlySet<string> | undefined;
  },
): void {
  const path = ['filters', 'exclude', of.place];
  let quote: string;
  try {
    ({ quote } = of.marketNames.parseMarket(symbol));
  } catch {
    throw refusal(path, `expected a market such as BTCIRT, was ${JSON.stringify(symbol)}`);
  }
  if (quote !== of.quote) throw refusal(path, `expected a market in ${of.quote}, was ${symbol}, in ${quote}`);
  const { knownMarkets } = of;
  if (knownMarkets?.has(symbol) === false) throw refusal(path, expectedMarket(symbol, knownMarkets));
}

const refusal = (path: readonly PropertyKey[], message: string): SarrafError =>
  invalidStrategy(`${['universe', ...path].join('.')}: ${message}`);
