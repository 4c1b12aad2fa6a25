import { CandleSeries } from '../candle-series.ts';
import type { IndicatorSpec, IndicatorValue } from '../indicator-specs.ts';
import { createIndicator, type Indicator } from '../indicators.ts';
import type { ClosedCandle } from '../strategy-event.ts';
import type { MemberTemplate, UniverseSubscription } from '../subscriptions.ts';
import type { MemberData } from './member-data.ts';
import type { UniverseRules } from './universe-rules.ts';

/** The best prices of a member for the price collar, where the strategy looks at no book of it. */
const COLLAR_BOOK = { kind: 'book', everyMs: 10_000, maxAgeMs: 30_000 } as const;

/** An indicator that is declared on candles of members. */
interface NamedSpec {
  readonly name: string;
  readonly spec: Omit<IndicatorSpec, 'of'> & { readonly of: unknown };
}

/** The candles of one member, and its indicators by their names. */
interface MemberSeries {
  readonly series: CandleSeries;
  readonly indicators: ReadonlyMap<string, Indicator>;
}

/** One declared data of the members of a universe. */
export class MemberFeed {
  readonly name: string;
  readonly data: MemberData;
  readonly set: MemberSet;
  private readonly specs: NamedSpec[] = [];
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

  /** What it wants of each member. */
  get template(): MemberTemplate {
    const { from } = this.data;
    if (from.kind === 'book') return from;
    const settled = this.specs.map(({ spec }) => createIndicator(spec).settledAfter);
    return { ...from, warmUp: Math.max(from.warmUp, ...settled) };
  }

  addIndicator(name: string, spec: NamedSpec['spec']): void {
    this.specs.push({ name, spec });
  }

  get indicatorNames(): readonly string[] {
    return this.specs.map(({ name }) => name);
  }

  seriesOf(market: string): CandleSeries | null {
    return this.series.get(market)?.series ?? null;
  }

  valueOf(market: string, indicator: string): IndicatorValue | null {
    return this.series.get(market)?.indicators.get(indicator)?.value ?? null;
  }

  /** Whether all its indicators of a member have a value. */
  isWarm(market: string): boolean {
    if (this.specs.length === 0) return true;
    const indicators = this.series.get(market)?.indicators;
    if (indicators === undefined) return false;
    for (const indicator of indicators.values()) if (!indicator.hasValue) return false;
    return true;
  }

  /** A member is followed from now on: its indicators and history begin anew. */
  begin(market: string): void {
    const { from } = this.data;
    if (from.kind !== 'candles') return;
    const series = new CandleSeries({ ...from, market });
    const indicators = new Map(this.specs.map(({ name, spec }) => [name, createIndicator(spec)] as const));
    for (const indicator of indicators.values()) series.addIndicator(indicator);
    this.series.set(market, { series, indicators });
  }

  end(market: string): void {
    this.series.delete(market);
  }

  /** Takes in a bar; answers false for one that it has, or that is of a market that is not followed. */
  add(candle: ClosedCandle): boolean {
    const series = this.series.get(candle.market)?.series;
    return series !== undefined && series.add(candle);
  }

  takes(candle: ClosedCandle): boolean {
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
  private readonly followed = new Set<string>();

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

  /** What it subscribes to: of each kind of data one template. */
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

  isFollowed(market: string): boolean {
    return this.followed.has(market);
  }

  /** Whether every indicator of a member has a value. */
  isWarm(market: string): boolean {
    return this.followed.has(market) && this.feeds.every((feed) => feed.isWarm(market));
  }

  /** These markets are followed from now on, and no others. */
  follow(markets: readonly string[]): void {
    const wanted = new Set(markets);
    for (const market of this.followed) {
      if (wanted.has(market)) continue;
      this.followed.delete(market);
      for (const feed of this.feeds) feed.end(market);
    }
    for (const market of wanted) {
      if (this.followed.has(market)) continue;
      this.followed.add(market);
      for (const feed of this.feeds) feed.begin(market);
    }
  }

  /** Feeds bars of the past, without anybody being asked. */
  warmUp(past: readonly ClosedCandle[]): void {
    for (const candle of past) for (const feed of this.feeds) if (feed.takes(candle)) feed.add(candle);
  }
}

function both(one: MemberTemplate, other: MemberTemplate): MemberTemplate {
  if (one.kind === 'candles' && other.kind === 'candles')
    return { ...one, warmUp: Math.max(one.warmUp, other.warmUp) };
  if (one.kind !== 'book' || other.kind !== 'book') return one;
  const everyMs = Math.min(one.everyMs, other.everyMs);
  return { ...one, everyMs, maxAgeMs: Math.min(one.maxAgeMs, other.maxAgeMs) };
}
