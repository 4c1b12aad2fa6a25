import { EnginePart } from './engine-settings.ts';
import { multiplyUnits, NO_UNITS, divideDown } from '../domain/money.ts';
import { present } from '../domain/errors.ts';
import { statsCall, type VenueProfile } from '../venues/port.ts';
import type { MarketStats } from '../domain/order-book.ts';
import {
  DayFigures,
  outCounts,
  rankMarkets,
  type MarketRanking,
  type UniverseState,
} from '../strategy/rank-markets.ts';
import type { AlgorithmManager } from './algorithms/algorithm-manager.ts';
import type { FeedHandler } from './feeds/feed-handler.ts';
import type { MarketDataCache } from './feeds/market-data-cache.ts';
import type { OrderBlotter } from './orders/order-blotter.ts';
import type { Outbox } from './outbox.ts';
import type { StrategyDispatcher } from './strategy-dispatcher.ts';
import type { StrategyInstance } from './strategy-instance.ts';
import type { StrategyNotifier } from './strategies/strategy-notifier.ts';
import { PastBars, TrackedUniverse, type MemberChange } from './universe/tracked-universe.ts';
import { restored, type StoredTexts } from './stored-records.ts';
import type { Ranking } from '../strategy/universe-rules.ts';

/** Maximum wait of a request for statistics for its slot, in ms. */
const LONGEST_WAIT_MS = 60_000;

/** Delay before past bars are read again because other strategies got newer ones meanwhile, in ms. */
const READ_AGAIN_MS = 1_000;

interface UniverseManagerOptions {
  readonly instances: readonly StrategyInstance[];
  readonly venue: Pick<VenueProfile, 'pageSizes' | 'barAnchors'>;
  readonly outbox: Outbox;
  readonly markets: MarketDataCache;
  readonly blotter: OrderBlotter;
  readonly algorithms: AlgorithmManager;
  readonly notifier: StrategyNotifier;
  readonly strategies: StrategyDispatcher;
  readonly feeds: FeedHandler;
  /**
   * Time from which it requests statistics itself, in a run that polls nothing; null: they come from their
   * feed.
   */
  readonly ranksFromMs: number | null;
  readonly stored: StoredTexts;
}

/** Counts of one universe in a run. */
export interface UniverseReport {
  readonly key: string;
  readonly rankings: number;
  readonly entered: number;
  readonly left: number;
  /** Text on why no market passed the last ranking; null if some did. */
  readonly empty: string | null;
}

/**
 * Ranks the markets of each universe when it is due, reads the past bars of new members, and notifies the
 * strategies. A market that leaves is not sold: it stays followed while its strategy has something in it.
 */
export class UniverseManager extends EnginePart<UniverseManagerOptions> {
  readonly tracked: readonly TrackedUniverse[];
  private readonly firstSeen: Map<string, number | null>;
  /** Past bars that are being read, by universe and market. */
  private readonly reading = new Map<TrackedUniverse, Map<string, PastBars>>();
  private readonly records = new MemberRecords();
  /** Request for the statistics of all markets. */
  private readonly statsOfAll: ReturnType<typeof statsCall>;
  private statsAtMs: number | null = null;
  private isAsking = false;
  /** True if something has changed since the last `store`. */
  isChanged = false;

  constructor(options: UniverseManagerOptions) {
    super(options);
    const { stored } = options;
    this.statsOfAll = statsCall([...options.markets.all()].map(({ market }) => market));
    const record = restored(stored, 'universes');
    this.firstSeen = new Map(Object.entries(record?.firstSeen ?? {}));
    this.tracked = options.instances.flatMap((instance) =>
      instance.runner.subscriptions.flatMap((wanted) =>
        wanted.kind === 'universe'
          ? [new TrackedUniverse(instance, wanted, record?.universes[`${instance.name}/${wanted.name}`])]
          : [],
      ),
    );
    for (const one of this.tracked) {
      one.nextMs = Math.max(one.nextMs, options.ranksFromMs ?? Number.NEGATIVE_INFINITY);
      this.reading.set(one, new Map());
    }
  }

  /** Returns a universe as its strategy sees it; null if it has none of that name. */
  stateOf(instance: StrategyInstance, name: string): UniverseState | null {
    const found = this.tracked.find((one) => one.instance === instance && one.wanted.name === name);
    return found?.state ?? null;
  }

  /** Notes that the statistics of all markets were read. */
  onStats(nowMs: number): void {
    this.statsAtMs = nowMs;
  }

  /** Returns the report of each universe in this run. */
  reports(): readonly UniverseReport[] {
    return this.tracked.map(({ key, rankings, tally, wanted, state }) => ({
      key,
      rankings,
      ...tally,
      empty:
        state.members.length > 0
          ? null
          : outCounts(Object.values(state.out)) || String(wanted.candidates.length),
    }));
  }

  /** Returns the markets that entered and left in this process, and why. */
  history(): MemberHistory {
    return this.records.history();
  }

  /** Does what is due: ranks, reads past bars, and notifies. Not before strategies have started. */
  pump(nowMs: number): void {
    this.rankDue(nowMs);
    for (const one of this.tracked) {
      if (one.isSettled && present(this.reading.get(one), 'a list').size === 0) continue;
      one.release((market) => this.holds(one.instance, market));
      this.readPast(one, nowMs);
      this.announce(one, nowMs);
    }
  }

  /** Returns the time of the next ranking or reading that is due, in ms since 1970; infinity without one. */
  wakeAtMs(): number {
    let next = Number.POSITIVE_INFINITY;
    for (const one of this.tracked) {
      if (this.options.ranksFromMs !== null && !this.isAsking) next = Math.min(next, one.nextMs);
      for (const past of present(this.reading.get(one), 'a list').values())
        next = Math.min(next, past.wakeAtMs);
    }
    return next;
  }

  /** Stores the members of each universe. */
  store(): void {
    this.isChanged = false;
    this.options.outbox.persist('universes', {
      firstSeen: Object.fromEntries(this.firstSeen),
      universes: Object.fromEntries(this.tracked.map((one) => [one.key, one.stored])),
    });
  }

  private rankDue(nowMs: number): void {
    const { ranksFromMs, outbox } = this.options;
    const due = this.tracked.filter(({ nextMs }) => nextMs <= nowMs);
    if (due.length === 0 || this.isAsking) return;
    if (ranksFromMs === null) {
      const { statsAtMs } = this;
      const ripe = due.filter(({ rankedAtMs }) => statsAtMs !== null && statsAtMs > (rankedAtMs ?? -1));
      if (ripe.length > 0) this.rank(ripe, this.latestStats(statsAtMs ?? nowMs), nowMs);
      return;
    }
    this.isAsking = true;
    const context = { requestClass: 'market', dedupe: 'universe', withinMs: LONGEST_WAIT_MS } as const;
    outbox.ask(this.statsOfAll, context, (answer, { atMs }) => {
      this.isAsking = false;
      if (answer.outcome === 'value') this.rank(due, answer.value, atMs);
    });
  }

  private latestStats(atMs: number): readonly MarketStats[] {
    return [...this.options.markets.all()].flatMap(({ stats, statsSeenAtMs }) =>
      stats !== null && statsSeenAtMs !== null && statsSeenAtMs >= atMs ? [stats] : [],
    );
  }

  private rank(due: readonly TrackedUniverse[], stats: readonly MarketStats[], nowMs: number): void {
    this.noteFirstSeen(stats, nowMs);
    const figures = new Map<string, DayFigures>();
    for (const one of stats) {
      const { symbol } = one.market;
      const seenMs = this.firstSeen.get(symbol) ?? null;
      figures.set(symbol, new DayFigures(one, seenMs === null ? Number.POSITIVE_INFINITY : nowMs - seenMs));
    }
    const hasBooks = this.options.ranksFromMs === null;
    for (const one of due) {
      const { rules, candidates } = one.wanted;
      one.nextMs = (Math.floor(nowMs / rules.refreshMs) + 1) * rules.refreshMs;
      const ranking = rankMarkets(figures, { rules, candidates, members: one.incumbents, hasBooks });
      one.rank(ranking, nowMs, (market) => this.holds(one.instance, market));
      this.isChanged = true;
      this.logEmpty(one, ranking);
    }
  }

  /** Notes when each market was first seen; null for those in the first statistics, whose age is unknown. */
  private noteFirstSeen(stats: readonly MarketStats[], nowMs: number): void {
    const isFirst = this.firstSeen.size === 0;
    for (const { market } of stats) {
      if (!this.firstSeen.has(market.symbol)) this.firstSeen.set(market.symbol, isFirst ? null : nowMs);
    }
  }

  /** Reports that no market passed: the first ranking refuses the strategy; later it is logged once. */
  private logEmpty(one: TrackedUniverse, { members, out }: MarketRanking): void {
    const { outbox, strategies, ranksFromMs } = this.options;
    if (members.length > 0) {
      one.isEmptyLogged = false;
      return;
    }
    if (one.isEmptyLogged) return;
    one.isEmptyLogged = true;
    const { candidates, rules, name } = one.wanted;
    const text = `expected markets that pass the filters of the universe ${name}, found none of ${candidates.length} in ${rules.quote}: ${outCounts(out.values())}`;
    const isKnown = [...out.values()].every(({ by }) => by !== 'no data');
    if (one.rankings === 1 && !one.isRestored && isKnown && ranksFromMs === null) {
      strategies.refuse(one.instance, `${text}; widen them`);
    } else outbox.alarm(`${one.instance.name}: ${text}`, one.instance.name);
  }

  /** Requests the past bars of the markets that will be followed. */
  private readPast(one: TrackedUniverse, nowMs: number): void {
    const reading = present(this.reading.get(one), 'a list');
    const unread = new Set(one.unread);
    for (const market of reading.keys()) if (!unread.has(market)) reading.delete(market);
    for (const market of unread) {
      const past = reading.get(market) ?? this.pastOf(one, market, nowMs);
      reading.set(market, past);
      past.pump(nowMs);
      const bars = past.all;
      if (bars === null) continue;
      reading.delete(market);
      one.read(market, bars);
    }
  }

  private pastOf(one: TrackedUniverse, market: string, notBeforeMs: number): PastBars {
    const { outbox, venue } = this.options;
    const { templates } = one.wanted;
    return new PastBars(market, { outbox, templates, venue, notBeforeMs });
  }

  private announce(one: TrackedUniverse, nowMs: number): void {
    const { notifier, feeds, outbox } = this.options;
    for (const [market, bars] of one.ready) {
      if (!feeds.isAhead(bars)) continue;
      one.readAgain(market);
      present(this.reading.get(one), 'a list').set(market, this.pastOf(one, market, nowMs + READ_AGAIN_MS));
    }
    const change = one.drainChange(nowMs);
    if (change === null) return;
    const { entered, left, changes, past } = change;
    const { state, instance, followed, wanted } = one;
    const { name: universe, rules } = wanted;
    this.records.note(changes, { atMs: nowMs, strategy: instance.name, universe, rankBy: rules.rankBy });
    this.isChanged = true;
    feeds.follow(new Set(this.tracked.flatMap((each) => each.followed)), past);
    notifier.notify(instance, {
      kind: 'universe',
      name: wanted.name,
      entered,
      left,
      universe: state,
      follows: followed,
      past,
    });
    const members = state.members.map(({ market }) => market);
    outbox.journal('universe', one.key, { entered, left, members, kept: state.kept });
    if (entered.length === 0 && left.length === 0) return;
    outbox.info(
      `${instance.name}: ${wanted.name} are ${members.join(', ') || 'none'}${universeText(', entered', entered)}${universeText(', left', left)}${universeText(', still followed', state.kept)}`,
      instance.name,
    );
  }

  /** True if the strategy has an unfinished order, an algorithm or more than dust in the market. */
  private holds(instance: StrategyInstance, symbol: string): boolean {
    const { markets, blotter, algorithms } = this.options;
    if (blotter.table.unfinished(instance.name).some(({ market }) => market === symbol)) return true;
    if (algorithms.isAtWorkIn(instance, symbol)) return true;
    const state = markets.get(symbol);
    if (state === undefined) return false;
    const { market } = state;
    const held = instance.held(market.base);
    if (held <= NO_UNITS || held < market.amountStep) return false;
    const price = markets.priceOf(symbol);
    // An amount worth less than the smallest order can not be sold.
    return price === null || multiplyUnits(held, price, divideDown) >= market.minOrderValue;
  }
}

function universeText(what: string, markets: readonly string[]): string {
  return markets.length === 0 ? '' : `${what} ${markets.join(', ')}`;
}

/** A market that entered or left a universe, as reported to its strategy; shown in a backtest's report. */
export interface MemberRecord extends MemberChange {
  readonly atMs: number;
  readonly strategy: string;
  /** Name of the universe, as the strategy declares it. */
  readonly universe: string;
  readonly rankBy: Ranking;
}

/** Remembered changes of universes in a run, and the number of further ones. */
export interface MemberHistory {
  /** Changes in the order in which strategies were notified. */
  readonly records: readonly MemberRecord[];
  readonly more: number;
}

/** Maximum number of changes that are remembered; later ones are only counted. */
const MOST_RECORDS = 20_000;

/** Remembers the markets that entered and left universes in this process. */
export class MemberRecords {
  private readonly records: MemberRecord[] = [];
  private more = 0;

  note(changes: readonly MemberChange[], of: Omit<MemberRecord, keyof MemberChange>): void {
    for (const change of changes) {
      if (this.records.length < MOST_RECORDS) this.records.push({ ...of, ...change });
      else this.more += 1;
    }
  }

  history(): MemberHistory {
    return { records: this.records, more: this.more };
  }
}
