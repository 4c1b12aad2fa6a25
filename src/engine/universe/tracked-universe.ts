import { present } from '../../domain/errors.ts';
import type { MarketRanking, OutReason, UniverseState } from '../../strategy/rank-markets.ts';
import type { ClosedCandle } from '../../strategy/strategy-event.ts';
import type { UniverseSubscription, MemberTemplate } from '../../strategy/subscriptions.ts';
import type { StrategyInstance } from '../strategy-instance.ts';
import type { StoredUniverse } from '../stored-records.ts';
import type { VenueProfile } from '../../venues/port.ts';
import { CandleReader } from '../feeds/candle-reader.ts';
import { pageIssue } from '../feeds/candle-pages.ts';
import type { Outbox } from '../outbox.ts';

/** Entry or exit of a market, and what decided it. */
export interface MemberChange {
  readonly market: string;
  readonly kind: 'entered' | 'left';
  /** Rank in the ranking that decided; null if there is none, since a filter refused the market. */
  readonly rank: number | null;
  /** Reason for the entry or exit: what was found, and what was expected. */
  readonly reason: OutReason;
}

/** Change of one universe of a strategy, of which the strategy is notified. */
interface MembersChange {
  readonly entered: readonly string[];
  readonly left: readonly string[];
  /** Entered and left markets in order, each with its reason. */
  readonly changes: readonly MemberChange[];
  readonly past: readonly ClosedCandle[];
}

const NO_RANK = 0;

const BEING_READ: OutReason = { by: 'past', found: null, limit: null };

/**
 * One universe of one strategy: its members, the markets that have left and are still followed, and those
 * whose past bars are being read. For the strategy, a market is a member once its past bars were read.
 */
export class TrackedUniverse {
  readonly instance: StrategyInstance;
  readonly wanted: UniverseSubscription;
  /** Name in messages and files: `alpha/members`. */
  readonly key: string;
  /** True if it was restored after a restart. */
  readonly isRestored: boolean;
  rankings = 0;
  rankedAtMs: number | null = null;
  nextMs = Number.NEGATIVE_INFINITY;
  isEmptyLogged = false;
  /** Number of times that a market has entered, and left. */
  readonly tally = { entered: 0, left: 0 };
  /** Markets that the last ranking chose, also those that the strategy does not know yet. */
  private readonly chosen = new Set<string>();
  /** Markets that the strategy knows as members, with the time since when. */
  private readonly members = new Map<string, number>();
  private readonly kept = new Set<string>();
  /** Past bars of markets that are not followed yet; null while they are read. */
  private readonly past = new Map<string, readonly ClosedCandle[] | null>();
  private ranks: ReadonlyMap<string, number>;
  private out: ReadonlyMap<string, OutReason> = new Map();
  private changes: MemberChange[] = [];
  /** True if the strategy's runner has to be notified of the followed markets. */
  private isChanged = false;
  private shown: UniverseState | null = null;

  constructor(instance: StrategyInstance, wanted: UniverseSubscription, stored: StoredUniverse | undefined) {
    this.instance = instance;
    this.wanted = wanted;
    this.key = `${instance.name}/${wanted.name}`;
    this.isRestored = stored !== undefined;
    const ranks = new Map<string, number>();
    const isCandidate = (market: string): boolean => wanted.candidates.includes(market);
    for (const { market, rank, sinceMs } of stored?.members ?? []) {
      if (!isCandidate(market)) continue;
      this.chosen.add(market);
      this.members.set(market, sinceMs);
      ranks.set(market, rank);
      this.past.set(market, null);
    }
    this.ranks = ranks;
    for (const market of stored?.kept ?? []) {
      if (!isCandidate(market) || this.members.has(market)) continue;
      this.kept.add(market);
      this.past.set(market, null);
    }
  }

  get state(): UniverseState {
    this.shown ??= {
      rankBy: this.wanted.rules.rankBy,
      members: [...this.members]
        .map(([market, sinceMs]) => ({ market, rank: this.ranks.get(market) ?? NO_RANK, sinceMs }))
        .toSorted((left, right) => left.rank - right.rank),
      kept: [...this.kept],
      out: this.reasons(),
      rankedAtMs: this.rankedAtMs,
    };
    return this.shown;
  }

  /** Returns the state for a restart. */
  get stored(): StoredUniverse {
    const { members, kept } = this.state;
    return { members, kept };
  }

  /** Markets that the last ranking chose, as input of the next one. */
  get incumbents(): ReadonlySet<string> {
    return this.chosen;
  }

  /** Markets whose past bars have to be read. */
  get unread(): readonly string[] {
    return [...this.past].flatMap(([market, bars]) => (bars === null ? [market] : []));
  }

  /** Markets whose data is requested: members and kept markets, once their past bars were read. */
  get followed(): readonly string[] {
    return [...this.members.keys(), ...this.kept].filter((market) => !this.past.has(market));
  }

  /** True if nothing is pending: no kept market, no past bars to read, and no change to report. */
  get isSettled(): boolean {
    return this.kept.size === 0 && this.past.size === 0 && !this.isChanged;
  }

  /** Applies a ranking. `holds`: true if the strategy has something in a market. */
  rank(ranking: MarketRanking, nowMs: number, holds: (market: string) => boolean): void {
    this.rankings += 1;
    this.rankedAtMs = nowMs;
    this.shown = null;
    this.ranks = ranking.ranks;
    const wanted = new Set(ranking.members);
    for (const market of this.chosen) if (!wanted.has(market)) this.drop(market, ranking, holds);
    this.release(holds);
    const out: [market: string, reason: OutReason][] = [];
    for (const market of ranking.members) {
      if (this.chosen.has(market)) continue;
      if (!this.choose(market, nowMs))
        out.push([market, { by: 'no place', found: this.kept.size, limit: this.wanted.rules.reserve }]);
    }
    this.out = out.length === 0 ? ranking.out : new Map([...ranking.out, ...out]);
  }

  /** Stops following markets that have left, once the strategy holds nothing there. */
  release(holds: (market: string) => boolean): void {
    for (const market of this.kept) {
      if (holds(market)) continue;
      this.kept.delete(market);
      this.past.delete(market);
      this.changed();
    }
  }

  /** Notes that the past bars of a market were read. */
  read(market: string, bars: readonly ClosedCandle[]): void {
    if (this.past.has(market)) this.past.set(market, bars);
  }

  /** Marks the past bars of a market as unread again, since later bars were delivered meanwhile. */
  readAgain(market: string): void {
    if (this.past.has(market)) this.past.set(market, null);
  }

  /** Markets whose past bars were read and that are not followed yet, with these bars. */
  get ready(): readonly (readonly [market: string, bars: readonly ClosedCandle[]])[] {
    return [...this.past].flatMap(([market, bars]) => (bars === null ? [] : [[market, bars] as const]));
  }

  /** Returns the change to notify the strategy of now; null if there is none. */
  drainChange(nowMs: number): MembersChange | null {
    const bars: ClosedCandle[] = [];
    for (const [market, past] of this.ready) {
      this.past.delete(market);
      bars.push(...past);
      this.changed();
      if (this.members.has(market) || !this.chosen.has(market)) continue;
      this.enter(market, nowMs);
    }
    if (!this.isChanged) return null;
    const { changes } = this;
    const [entered, left] = [marketsOf(changes, 'entered'), marketsOf(changes, 'left')];
    this.isChanged = false;
    this.changes = [];
    this.tally.entered += entered.length;
    this.tally.left += left.length;
    return { entered, left, changes, past: bars };
  }

  private choose(market: string, nowMs: number): boolean {
    if (this.kept.delete(market)) {
      // Its data was never stopped, so no past bars have to be read.
      this.chosen.add(market);
      this.enter(market, nowMs);
      this.changed();
      return true;
    }
    const { take, reserve } = this.wanted.rules;
    if (this.chosen.size + this.kept.size >= take + reserve) return false;
    this.chosen.add(market);
    this.past.set(market, null);
    return true;
  }

  private enter(market: string, nowMs: number): void {
    const rank = present(this.ranks.get(market), 'the rank of a market that enters');
    this.members.set(market, nowMs);
    const reason: OutReason = { by: 'rank', found: rank, limit: this.wanted.rules.take };
    this.changes.push({ market, kind: 'entered', rank, reason });
  }

  private drop(market: string, { ranks, out }: MarketRanking, holds: (market: string) => boolean): void {
    this.chosen.delete(market);
    const isKnown = this.members.delete(market);
    if (isKnown) {
      const reason = present(out.get(market), 'why a member left');
      this.changes.push({ market, kind: 'left', rank: ranks.get(market) ?? null, reason });
      this.changed();
    }
    if (isKnown && holds(market)) this.kept.add(market);
    else this.past.delete(market);
  }

  private changed(): void {
    this.isChanged = true;
    this.shown = null;
  }

  /** Returns the reason of each market that is out. A chosen market is out until its past bars were read. */
  private reasons(): Readonly<Record<string, OutReason>> {
    const reasons = new Map(this.out);
    for (const market of this.chosen) if (!this.members.has(market)) reasons.set(market, BEING_READ);
    return Object.fromEntries(reasons);
  }
}

function marketsOf(changes: readonly MemberChange[], kind: MemberChange['kind']): readonly string[] {
  return changes.flatMap((change) => (change.kind === kind ? [change.market] : []));
}

/** Delay before missing past bars are requested again, in ms. */
const RETRY_MS = 5_000;

/** Longest time that a request for past bars waits for its slot, in ms. */
const LONGEST_WAIT_MS = 60_000;

type CandleTemplate = Extract<MemberTemplate, { kind: 'candles' }>;

/** Reads the past bars of one market, one length and one page after the other. */
export class PastBars {
  readonly market: string;
  private readonly outbox: Outbox;
  private readonly readers: CandleReader[];
  private readonly bars: ClosedCandle[] = [];
  private isAsking = false;
  private notBeforeMs: number;

  constructor(
    market: string,
    of: {
      readonly outbox: Outbox;
      readonly templates: readonly MemberTemplate[];
      readonly venue: Pick<VenueProfile, 'pageSizes' | 'barAnchors'>;
      /** Earliest time of the first request. */
      readonly notBeforeMs: number;
    },
  ) {
    this.notBeforeMs = of.notBeforeMs;
    this.market = market;
    this.outbox = of.outbox;
    this.readers = of.templates
      .filter((template): template is CandleTemplate => template.kind === 'candles')
      .map(({ timeframe, warmUp }) => {
        const { barAnchors: anchors, pageSizes } = of.venue;
        return new CandleReader({ market, timeframe, anchors, warmUp, pageSize: pageSizes.candles });
      });
  }

  /** All past bars, each length in order; null while some are missing. */
  get all(): readonly ClosedCandle[] | null {
    return this.unread === undefined ? this.bars : null;
  }

  /** Time of the next request; infinity while an answer is awaited, and after the last one. */
  get wakeAtMs(): number {
    return this.isAsking || this.unread === undefined ? Number.POSITIVE_INFINITY : this.notBeforeMs;
  }

  /** Requests the next page. */
  pump(nowMs: number): void {
    const reader = this.unread;
    if (reader === undefined || this.isAsking || nowMs < this.notBeforeMs) return;
    this.isAsking = true;
    const { market, timeframe } = reader;
    const call = { kind: 'candles', market, timeframe, ...reader.question(nowMs) } as const;
    const context = {
      requestClass: 'market',
      dedupe: `past ${market} ${timeframe}`,
      withinMs: LONGEST_WAIT_MS,
    } as const;
    this.outbox.ask(call, context, (answer, { sentAtMs, atMs }) => {
      this.isAsking = false;
      const isRight = answer.outcome === 'value' && pageIssue(answer.value, { reader, nowMs: atMs }) === null;
      if (!isRight) this.notBeforeMs = atMs + RETRY_MS;
      else {
        const times = { askedAtMs: sentAtMs ?? atMs, nowMs: atMs, saidAtMs: answer.saidAtMs };
        this.bars.push(...(reader.applyPast(answer.value, times) ?? []));
      }
    });
  }

  private get unread(): CandleReader | undefined {
    return this.readers.find(({ isWarm }) => !isWarm);
  }
}
