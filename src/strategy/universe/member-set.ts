import { CandleSeries } from '../data/candle-series.ts';
import type { IndicatorSpec, IndicatorValue, Indicator } from '../indicators/declare-indicator.ts';
import { createIndicator } from '../indicators/indicators.ts';
import type { ClosedCandle } from '../strategy-event.ts';
import type { MemberTemplate, UniverseSubscription } from '../subscriptions.ts';
import type { MemberData } from './member-data.ts';
import type { UniverseRules } from '../universe-rules.ts';
import { madeOnce } from '../../domain/retain-newest.ts';

/** Subscription to a member's best prices for the price collar, if the strategy declares no book. */
const COLLAR_BOOK = { kind: 'book', everyMs: 10_000, maxAgeMs: 30_000 } as const;

/** An indicator that is declared on candles of members. */
interface MemberIndicator {
  readonly name: string;
  readonly spec: Omit<IndicatorSpec, 'of'> & { readonly of: unknown };
  /** Running indicators, by market. */
  readonly running: Map<string, Indicator>;
}

/** One declared data of a universe's members. */
export class MemberFeed {
  readonly name: string;
  readonly data: MemberData;
  readonly set: MemberSet;
  private readonly indicators: MemberIndicator[] = [];
  /** Candles by market; at most one entry for each candidate. */
  private readonly series = new Map<string, MemberSeries>();

  constructor(name: string, data: MemberData, set: MemberSet) {
    this.name = name;
    this.data = data;
    this.set = set;
  }

  /** Kind of data as which handlers receive it. */
  get kind(): 'candles' | 'book' | 'ticker' {
    if (this.data.kind === 'member-candles') return 'candles';
    return this.data.kind === 'member-book' ? 'book' : 'ticker';
  }

  /** Subscription template for each member. */
  get template(): MemberTemplate {
    const { from } = this.data;
    if (from.kind === 'book') return from;
    const settled = this.indicators.map(({ spec }) => createIndicator(spec).settledAfter);
    return { ...from, warmUp: Math.max(from.warmUp, ...settled) };
  }

  addIndicator(name: string, spec: MemberIndicator['spec']): void {
    this.indicators.push({ name, spec, running: new Map() });
  }

  /** Each indicator's name, and a function that returns its value for a market as of the last bar. */
  get values(): readonly (readonly [name: string, of: (market: string) => IndicatorValue | null])[] {
    return this.indicators.map(({ name, running }) => [name, (market) => running.get(market)?.value ?? null]);
  }

  /** Returns a running indicator of a market by its name; undefined if there is none. */
  indicatorOf(name: string, market: string): Indicator | undefined {
    return this.indicators.find((one) => one.name === name)?.running.get(market);
  }

  /** Returns its candles of a market; null while the market is not followed. */
  candlesOf(market: string): CandleSeries | null {
    return this.series.get(market)?.candles ?? null;
  }

  /** Returns the series of a candidate, whether it is followed or not. */
  seriesOf(market: string): MemberSeries {
    return madeOnce(this.series, market, () => new MemberSeries());
  }

  /** Starts following a market: its history and indicators start empty. Returns the indicators. */
  begin(market: string): readonly Indicator[] {
    const { from } = this.data;
    if (from.kind !== 'candles') return [];
    const candles = new CandleSeries({ ...from, market });
    this.seriesOf(market).candles = candles;
    return this.indicators.map(({ spec, running }) => {
      const indicator = createIndicator(spec, (name) => this.set.indicatorOf(name, market));
      running.set(market, indicator);
      candles.addIndicator(indicator);
      return indicator;
    });
  }

  end(market: string): void {
    for (const { running } of this.indicators) running.delete(market);
    this.seriesOf(market).candles = null;
  }

  accepts(candle: ClosedCandle): boolean {
    const { from } = this.data;
    return from.kind === 'candles' && from.timeframe === candle.timeframe;
  }
}

/** One universe of a strategy: the markets that it follows, and their data. */
export class MemberSet {
  readonly name: string;
  readonly rules: UniverseRules;
  readonly candidates: readonly string[];
  readonly feeds: MemberFeed[] = [];
  private readonly hasBooks: boolean;
  private readonly isPerMember: boolean;
  /** Candidates that were used so far, by market. */
  private readonly known = new Map<string, Candidate>();

  constructor(
    name: string,
    of: {
      readonly rules: UniverseRules;
      readonly candidates: readonly string[];
      readonly hasBooks: boolean;
      readonly isPerMember: boolean;
    },
  ) {
    this.name = name;
    this.rules = of.rules;
    this.candidates = of.candidates;
    this.hasBooks = of.hasBooks;
    this.isPerMember = of.isPerMember;
  }

  /** Subscription of the universe: one template for each kind of data. */
  get subscription(): UniverseSubscription {
    const templates = new Map<string, MemberTemplate>();
    for (const { template } of this.feeds) {
      const key = template.kind === 'candles' ? template.timeframe : 'book';
      const other = templates.get(key);
      templates.set(key, other === undefined ? template : both(other, template));
    }
    if (this.hasBooks && !templates.has('book')) templates.set('book', COLLAR_BOOK);
    const { name, rules, candidates } = this;
    const wanted = { kind: 'universe', name, rules, candidates, templates: [...templates.values()] } as const;
    return this.isPerMember ? { ...wanted, isPerMember: true } : wanted;
  }

  /** Returns the candidate for a market; the same object each time. */
  candidate(market: string): Candidate {
    return madeOnce(this.known, market, () => new Candidate());
  }

  /** Returns a running indicator of a market by its name; undefined if no feed has it. */
  indicatorOf(name: string, market: string): Indicator | undefined {
    for (const feed of this.feeds) {
      const found = feed.indicatorOf(name, market);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  isFollowed(market: string): boolean {
    return this.known.get(market)?.isFollowed === true;
  }

  /** Sets the markets that are followed; all others end. */
  follow(markets: readonly string[]): void {
    const wanted = new Set(markets);
    for (const [market, candidate] of this.known) {
      if (!candidate.isFollowed || wanted.has(market)) continue;
      candidate.end();
      for (const feed of this.feeds) feed.end(market);
    }
    for (const market of wanted) {
      const candidate = this.candidate(market);
      if (candidate.isFollowed) continue;
      candidate.begin(this.feeds.flatMap((feed) => feed.begin(market)));
    }
  }

  /** Feeds past bars without calling the strategy. */
  warmUp(past: readonly ClosedCandle[]): void {
    for (const candle of past) {
      for (const feed of this.feeds) if (feed.accepts(candle)) feed.seriesOf(candle.market).add(candle);
    }
  }
}

function both(one: MemberTemplate, other: MemberTemplate): MemberTemplate {
  if (one.kind === 'candles' && other.kind === 'candles')
    return { ...one, warmUp: Math.max(one.warmUp, other.warmUp) };
  if (one.kind !== 'book' || other.kind !== 'book') return one;
  const everyMs = Math.min(one.everyMs, other.everyMs);
  return { ...one, everyMs, maxAgeMs: Math.min(one.maxAgeMs, other.maxAgeMs) };
}

/** The candles of one market for one data of a universe. */
export class MemberSeries {
  /** Candles of the market; null while it is not followed. */
  candles: CandleSeries | null = null;

  /** Adds a bar; returns false if it is not new, or if the market is not followed. */
  add(candle: ClosedCandle): boolean {
    return this.candles !== null && this.candles.add(candle);
  }
}

/** One market that may become a member of a universe. */
export class Candidate {
  /** Indicators of all data of the universe; null while the market is not followed. */
  private indicators: readonly Indicator[] | null = null;

  /** Starts following the market, with indicators that start empty. */
  begin(indicators: readonly Indicator[]): void {
    this.indicators = indicators;
  }

  end(): void {
    this.indicators = null;
  }

  get isFollowed(): boolean {
    return this.indicators !== null;
  }

  /** True if it is followed, and each of its indicators has a value. */
  get isWarm(): boolean {
    if (this.indicators === null) return false;
    for (const indicator of this.indicators) if (!indicator.hasValue) return false;
    return true;
  }
}
