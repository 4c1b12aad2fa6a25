import { CandleSeries } from '../data/candle-series.ts';
import type { IndicatorSpec, IndicatorValue } from '../indicators/declare-indicator.ts';
import { createIndicator, type Indicator } from '../indicators/indicators.ts';
import type { ClosedCandle } from '../strategy-event.ts';
import type { MemberTemplate, UniverseSubscription } from '../subscriptions.ts';
import type { MemberData } from './member-data.ts';
import type { UniverseRules } from '../universe-rules.ts';

/** The best prices of a member for the price collar, where the strategy looks at no book of it. */
const COLLAR_BOOK = { kind: 'book', everyMs: 10_000, maxAgeMs: 30_000 } as const;

/** An indicator that is declared on candles of members. */
interface MemberIndicator {
  readonly name: string;
  readonly spec: Omit<IndicatorSpec, 'of'> & { readonly of: unknown };
  /** Those at work, by market. */
  readonly running: Map<string, Indicator>;
}

/** One declared data of the members of a universe. */
export class MemberFeed {
  readonly name: string;
  readonly data: MemberData;
  readonly set: MemberSet;
  private readonly indicators: MemberIndicator[] = [];
  /** By market: of each candidate at most. */
  private readonly series = new Map<string, MemberSeries>();

  constructor(name: string, data: MemberData, set: MemberSet) {
    this.name = name;
    this.data = data;
    this.set = set;
  }

  /** As what it is shown. */
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

  /** The values of each indicator, by its name: of a market as of its last bar. */
  get values(): readonly (readonly [name: string, of: (market: string) => IndicatorValue | null])[] {
    return this.indicators.map(({ name, running }) => [name, (market) => running.get(market)?.value ?? null]);
  }

  /** Its candles of a market while that is followed. */
  candlesOf(market: string): CandleSeries | null {
    return this.series.get(market)?.candles ?? null;
  }

  /** The same of a candidate, whether that is followed or not. */
  seriesOf(market: string): MemberSeries {
    const known = this.series.get(market);
    if (known !== undefined) return known;
    const made = new MemberSeries();
    this.series.set(market, made);
    return made;
  }

  /** A member is followed from now on: its history begins anew, and its indicators, which it answers. */
  begin(market: string): readonly Indicator[] {
    const { from } = this.data;
    if (from.kind !== 'candles') return [];
    const candles = new CandleSeries({ ...from, market });
    this.seriesOf(market).candles = candles;
    return this.indicators.map(({ spec, running }) => {
      const indicator = createIndicator(spec);
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

/** One universe in a strategy: which markets it follows, and their data. */
export class MemberSet {
  readonly name: string;
  readonly rules: UniverseRules;
  readonly candidates: readonly string[];
  readonly feeds: MemberFeed[] = [];
  private readonly hasBooks: boolean;
  private readonly isPerMember: boolean;
  /** Those that were asked for, by market. */
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

  /** A market as its bars look it up. */
  candidate(market: string): Candidate {
    const known = this.known.get(market);
    if (known !== undefined) return known;
    const made = new Candidate();
    this.known.set(market, made);
    return made;
  }

  isFollowed(market: string): boolean {
    return this.known.get(market)?.isFollowed === true;
  }

  /** These markets are followed from now on, and no others. */
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

  /** Feeds bars of the past, without anybody being asked. */
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
  /** Null while nobody follows the market. */
  candles: CandleSeries | null = null;

  /** Takes in a bar; answers false for one that it has, and while nobody follows the market. */
  add(candle: ClosedCandle): boolean {
    return this.candles !== null && this.candles.add(candle);
  }
}

/** One market that may become a member of a universe, as its bars look it up. */
export class Candidate {
  /** Those of all data of the universe; null while nobody follows the market. */
  private indicators: readonly Indicator[] | null = null;

  /** It is followed from now on, and these indicators begin anew. */
  begin(indicators: readonly Indicator[]): void {
    this.indicators = indicators;
  }

  end(): void {
    this.indicators = null;
  }

  get isFollowed(): boolean {
    return this.indicators !== null;
  }

  /** True if it is followed, and every one of its indicators has a value. */
  get isWarm(): boolean {
    if (this.indicators === null) return false;
    for (const indicator of this.indicators) if (!indicator.hasValue) return false;
    return true;
  }
}
