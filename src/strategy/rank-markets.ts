import { countText } from '../domain/money.ts';
import type { Ranking, UniverseRules } from './universe-rules.ts';
import type { DecimalText } from '../domain/decimal-text.ts';
import type { DayNumbers, MarketStats } from '../domain/order-book.ts';

/** A market that is a member of a universe. */
export interface Member {
  readonly market: string;
  /** Rank in the last ranking, from 1, which is the best. */
  readonly rank: number;
  /** Time at which it became a member, in ms since 1970. */
  readonly sinceMs: number;
}

/** State of a universe in the engine at one moment: plain JSON, the same object until it changes. */
export interface UniverseState {
  readonly rankBy: Ranking;
  /** Members, the best first. */
  readonly members: readonly Member[];
  /** Markets that have left, but in which the strategy still has a position, an order or an algorithm. */
  readonly kept: readonly string[];
  /** Reasons why other candidates are excluded, by market. */
  readonly out: Readonly<Record<string, OutReason>>;
  /** Time of the last ranking, in ms since 1970; null before the first. */
  readonly rankedAtMs: number | null;
}

/** Condition that excludes a market from a universe. */
type OutBy =
  | 'closed'
  | 'no data'
  | 'minVolume'
  | 'maxSpreadBps'
  | 'minPrice'
  | 'minAgeMs'
  | 'rank'
  | 'no place'
  | 'past';

/** Reason that a market is not in a universe: the value found and the value expected. */
export interface OutReason {
  readonly by: OutBy;
  /** Value found; null if there is no data. */
  readonly found: number | null;
  /** Value needed; null if the condition is not a number. */
  readonly limit: number | null;
}

/** Result of ranking all markets of a universe at one moment. */
export interface MarketRanking {
  /** Members, the best first. */
  readonly members: readonly string[];
  /** The rank of each market that passes all filters; the best is 1. */
  readonly ranks: ReadonlyMap<string, number>;
  /** Reasons why other markets are excluded, by market. */
  readonly out: ReadonlyMap<string, OutReason>;
}

interface Eligible {
  readonly market: string;
  readonly figure: number;
}

/**
 * Ranks the candidates of a universe and chooses its members. A member stays while its rank is at most `take`
 * x (1 + `hysteresis`) and it passes all filters; free places go to the best other markets. Markets with
 * equal numbers are ordered by name. `hasBooks`: true if best prices are known; without them no market is
 * excluded for its spread.
 */
export function rankMarkets(
  figures: ReadonlyMap<string, MarketFigures>,
  of: {
    readonly rules: UniverseRules;
    readonly candidates: readonly string[];
    readonly members: ReadonlySet<string>;
    readonly hasBooks: boolean;
  },
): MarketRanking {
  const { rules, candidates, members, hasBooks } = of;
  const out = new Map<string, OutReason>();
  const eligible: Eligible[] = [];
  for (const market of candidates) {
    const known = figures.get(market);
    const reason = known === undefined ? NO_DATA : refused(known, rules, hasBooks);
    const figure = reason === null ? (known?.[rules.rankBy] ?? null) : null;
    if (figure !== null) eligible.push({ market, figure });
    else out.set(market, reason ?? NO_DATA);
  }
  const order = rules.rankBy === 'spread' ? 1 : -1;
  eligible.sort(
    (left, right) => order * (left.figure - right.figure) || (left.market < right.market ? -1 : 1),
  );
  const chosen = chosenOf(eligible, { rules, members });
  const ranks = new Map<string, number>();
  for (const { market } of eligible) {
    const rank = ranks.size + 1;
    ranks.set(market, rank);
    if (!chosen.has(market)) out.set(market, { by: 'rank', found: rank, limit: rules.take });
  }
  return { members: [...ranks.keys()].filter((market) => chosen.has(market)), ranks, out };
}

const NO_DATA: OutReason = { by: 'no data', found: null, limit: null };

function chosenOf(
  eligible: readonly Eligible[],
  {
    rules: { take, hysteresis },
    members,
  }: { readonly rules: UniverseRules; readonly members: ReadonlySet<string> },
): ReadonlySet<string> {
  const mostRank = Math.floor(take * (1 + hysteresis));
  const chosen = new Set<string>();
  for (const { market } of eligible.slice(0, mostRank)) {
    if (chosen.size < take && members.has(market)) chosen.add(market);
  }
  for (const { market } of eligible) {
    if (chosen.size >= take) break;
    chosen.add(market);
  }
  return chosen;
}

function refused(
  figures: MarketFigures,
  { filters: { minVolume, maxSpreadBps, minPrice, minAgeMs } }: UniverseRules,
  hasBooks: boolean,
): OutReason | null {
  if (figures.isClosed) return { by: 'closed', found: null, limit: null };
  if (minVolume !== undefined) {
    const { volume24h } = figures;
    if (!(volume24h !== null && volume24h >= minVolume))
      return { by: 'minVolume', found: volume24h, limit: minVolume };
  }
  if (maxSpreadBps !== undefined && hasBooks) {
    const { spread } = figures;
    if (!(spread !== null && spread <= maxSpreadBps))
      return { by: 'maxSpreadBps', found: spread, limit: maxSpreadBps };
  }
  if (minPrice !== undefined) {
    const { last } = figures;
    if (!(last !== null && last >= minPrice)) return { by: 'minPrice', found: last, limit: minPrice };
  }
  const { ageMs } = figures;
  if (minAgeMs !== undefined && ageMs < minAgeMs) return { by: 'minAgeMs', found: ageMs, limit: minAgeMs };
  return null;
}

/** Describes why a market is excluded, as a sentence without its name. */
export function outText({ by, found, limit }: OutReason, rankBy: Ranking): string {
  switch (by) {
    case 'closed':
      return 'it is closed';
    case 'no data':
      return `nothing tells its ${rankBy}`;
    case 'past':
      return 'it is chosen, and its bars of the past are being read';
    case 'no place':
      return `${countText(found ?? 0, 'market that left is', 'markets that left are')} still held, of a reserve of ${limit}, and there is no place left`;
    case 'rank':
      return `its rank by ${rankBy} is ${found}, of ${limit}`;
    case 'minVolume':
    case 'minPrice':
    case 'minAgeMs':
      return `${by} is ${limit}, it has ${numberText(found)}`;
    case 'maxSpreadBps':
      return `${by} is ${limit}, its spread is ${numberText(found)}`;
  }
}

/** Describes how many markets each filter excludes, such as `40 by minVolume, 3 by minPrice`. */
export function outCounts(out: Iterable<OutReason>): string {
  const counts = Map.groupBy(out, ({ by }) => by);
  const texts = [...counts].map(([by, reasons]) => `${reasons.length} by ${by}`);
  return texts.length === 0 ? 'none' : texts.join(', ');
}

const numberText = (found: number | null): string =>
  found === null ? 'none' : String(Number(found.toPrecision(6)));

/** Numbers by which a market is ranked, as floats, since only decisions use them; null if unknown. */
export interface MarketFigures {
  readonly market: string;
  readonly isClosed: boolean;
  /** Volume within the last day, in the quote currency. */
  readonly volume24h: number | null;
  /** Price of the last trade, in the quote currency. */
  readonly last: number | null;
  /** Change of the price within a day, in percent. */
  readonly change: number | null;
  /** The day's highest price less its lowest, in percent of the lowest. */
  readonly volatility: number | null;
  /** Distance between the best prices, in hundredths of a percent of their middle. */
  readonly spread: number | null;
  /** Time since the bot first saw the market, in ms; infinity if it existed when the bot first looked. */
  readonly ageMs: number;
}

/** A market's daily statistics. A ranking reads few of these numbers, so each is computed when it is read. */
export class DayFigures implements MarketFigures {
  readonly market: string;
  readonly ageMs: number;
  private readonly stats: MarketStats;
  private readonly numbers: DayNumbers;

  constructor(stats: MarketStats, ageMs: number) {
    this.market = stats.market.symbol;
    this.ageMs = ageMs;
    this.stats = stats;
    this.numbers = stats.numbers ?? {
      baseVolume: numberOf(stats.baseVolume),
      quoteVolume: numberOf(stats.quoteVolume),
      latest: numberOf(stats.latest),
      dayLow: numberOf(stats.dayLow),
      dayHigh: numberOf(stats.dayHigh),
      dayChange: numberOf(stats.dayChange),
    };
  }

  get isClosed(): boolean {
    return this.stats.isClosed;
  }

  get volume24h(): number | null {
    const { quoteVolume } = this.numbers;
    if (quoteVolume !== null) return quoteVolume;
    const { baseVolume } = this.numbers;
    const { last } = this;
    return baseVolume === null || last === null ? null : baseVolume * last;
  }

  get last(): number | null {
    return positive(this.numbers.latest);
  }

  get change(): number | null {
    return this.numbers.dayChange;
  }

  get volatility(): number | null {
    return apart(positive(this.numbers.dayLow), positive(this.numbers.dayHigh), 100);
  }

  get spread(): number | null {
    const { bestBuy, bestSell } = this.stats;
    return spreadOf(positive(numberOf(bestBuy)), positive(numberOf(bestSell)));
  }
}

function spreadOf(bid: number | null, ask: number | null): number | null {
  if (bid === null || ask === null || ask < bid) return null;
  return ((ask - bid) / ((ask + bid) / 2)) * 10_000;
}

const apart = (low: number | null, high: number | null, scale: number): number | null =>
  low === null || high === null || high < low ? null : ((high - low) / low) * scale;

const numberOf = (text: DecimalText | null): number | null => (text === null ? null : Number(text));

/** Returns null for a price of zero or less, which means that there is none. */
const positive = (number: number | null): number | null => (number === null || number <= 0 ? null : number);
