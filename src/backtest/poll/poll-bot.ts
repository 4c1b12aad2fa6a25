import type { Budget } from '../../domain/rate-limit.ts';
import { BudgetLedger } from '../../budget/ledger.ts';
import { RequestLimiter } from '../../budget/limiter.ts';
import { MemoryLockouts } from '../../budget/lockouts.ts';
import { BotShell, type BotShellOptions, type ChangeStore } from '../../daemon/bot-shell.ts';
import { planInputOf } from '../../daemon/create-plan.ts';
import { RequestCounts } from '../../daemon/request-counts.ts';
import { invalidOptions } from '../../domain/errors.ts';
import type { EngineNotice } from '../../engine/engine-event.ts';
import { Engine } from '../../engine/engine.ts';
import type { EngineSettings, StrategyInstanceSettings } from '../../engine/engine-settings.ts';
import { movesPerMinute, planPolls, type PollPlan } from '../../scheduler/plan-polls.ts';
import { timersOf } from '../../virtual/virtual-executor.ts';
import type { Timeline } from '../../virtual/virtual-time.ts';
import { INTERFACE_PROFILE, NO_MARGIN_RECORDED } from '../../venues/interface-profile.ts';
import type { OtherVenues } from '../../venues/other-venues.ts';
import type { RecordedCaller } from '../../venues/recorded-caller.ts';
import type { Currency } from '../../domain/market-symbol.ts';
import { leastAmountAt } from '../../domain/market.ts';
import { NO_UNITS, UNITS_PER_ONE, type Units } from '../../domain/money.ts';
import { valueIn, type Prices } from '../../portfolio/holding.ts';
import { type EquityCurve, runWarning, type RunWarning } from '../backtest-run.ts';
import type { FollowedExchange } from '../../venues/followed-exchange.ts';
import type { FollowedMarket } from '../../venues/followed-market.ts';
import { MARKET_NAMES } from '../../exchange/market-names.ts';
import { createHash } from 'node:crypto';
import {
  EMPTY_MIRROR_STATE,
  type JournalEntry,
  type MirrorChange,
  type MirrorState,
} from '../../engine/mirror-change.ts';
import type { FillRecord } from '../../records/fill.ts';
import type { OrderRecord } from '../../records/order.ts';
import { ownMarketsOf } from '../../strategy/strategy-port.ts';
import type { PlannedFeed } from '../../scheduler/feed.ts';
import type { Track } from './recorded-feed.ts';

/** The live bot, run in virtual time. */
export interface PollBot {
  readonly engine: Engine;
  readonly shell: BotShell;
  readonly plan: PollPlan;
  readonly counts: RequestCounts;
}

export interface PollBotOptions {
  /** Settings of the engine, without the feeds, which come from the plan. */
  readonly settings: Omit<EngineSettings, 'feeds'>;
  readonly budgets: ReadonlyMap<string, Budget>;
  /** Other venues whose books are read. */
  readonly others: OtherVenues;
  /** Virtual time, which the caller advances. */
  readonly time: Timeline;
  readonly caller: RecordedCaller;
  readonly mirror: MemoryMirror;
  readonly onNotices?: (notices: readonly EngineNotice[], atMs: number) => void;
  readonly onAnswer?: BotShellOptions['onAnswer'];
}

/** Returns the plan of the live bot. Throws `INVALID_OPTIONS` if the subscriptions exceed limits. */
export function planOf(
  instances: EngineSettings['instances'],
  budgets: ReadonlyMap<string, Budget>,
  others: OtherVenues = new Map(),
): PollPlan {
  const runners = instances.map(({ runner }) => runner);
  const venue = { ...INTERFACE_PROFILE, unserved: NO_MARGIN_RECORDED, others };
  const plan = planPolls(planInputOf(runners, budgets.values(), venue));
  if (plan.problems.length === 0) return plan;
  const message = ['expected subscriptions that the limits of the exchange allow, were', ...plan.problems];
  throw invalidOptions(message.join('\n  '));
}

/**
 * Builds the bot from the parts of the daemon, with virtual timers and a mirror in memory. Throws as `planOf`
 * does.
 */
export function createPollBot(options: PollBotOptions): PollBot {
  const { settings, others, time, caller, mirror, onNotices = () => undefined, onAnswer } = options;
  const plan = planOf(settings.instances, options.budgets, others);
  const limits = [...others.values()].map(({ limit }) => [limit.name, limit] as const);
  const budgets = new Map([...options.budgets, ...limits]);
  const engine = new Engine(
    {
      ...settings,
      feeds: plan.feeds,
      movesPerMinute: movesPerMinute(plan.budgets, settings.venue),
      isRestartable: mirror.isStored,
    },
    mirror.load(),
    time.now(),
  );
  const ledger = new BudgetLedger(budgets.values());
  const most = (): ReadonlyMap<string, number> =>
    new Map(ledger.usage().map(({ budget, most: used }) => [budget.name, used]));
  const counts = new RequestCounts({ budgets, most });
  const nowMs = (): number => time.now();
  const shell = new BotShell({
    engine,
    store: mirror,
    time,
    limiter: new RequestLimiter({
      budgets: budgets.values(),
      ledger,
      lockouts: new MemoryLockouts(),
      nowMs,
      // The caller ends every call within its time-out, so nothing needs to watch over it.
      executorFor: () => null,
      areAtOnce: true,
      timers: timersOf(time),
    }),
    caller,
    canLogIn: false,
    limiterMs: nowMs,
    onRequestEnd: ({ call }, { outcome }) => counts.add(call, outcome, caller),
    onNotices,
    ...(onAnswer === undefined ? {} : { onAnswer }),
  });
  return { engine, shell, plan, counts };
}

/** Value of the account in one quote currency, and its history, at the exchange's last prices. */
export class PollEquity {
  /** Currencies of the account that no market can value; they count as nothing. */
  readonly unvalued: readonly string[];
  private readonly exchange: FollowedExchange;
  private readonly quote: Currency;
  private readonly markets: ReadonlyMap<string, FollowedMarket>;
  private readonly prices: Prices = {
    marketNames: MARKET_NAMES,
    priceOf: (symbol) => this.markets.get(symbol)?.price ?? null,
  };
  private readonly timeMs: number[] = [];
  private readonly equity: number[] = [];
  private readonly isExposed: number[] = [];

  constructor(exchange: FollowedExchange, quote: Currency) {
    this.exchange = exchange;
    this.quote = quote;
    this.markets = new Map(exchange.markets.map((market) => [market.state.rules.symbol, market]));
    this.unvalued = exchange
      .balances()
      .flatMap(([currency, total]) =>
        total > 0n && this.valueOf(currency, total) === null ? [currency] : [],
      );
  }

  /** Returns the exact value by the rule of `valueIn`: each currency's value is rounded half-even. */
  exact(): Units {
    let sum = 0n;
    for (const [currency, total] of this.exchange.balances()) sum += this.valueOf(currency, total) ?? 0n;
    return sum as Units;
  }

  private valueOf(asset: string, amount: bigint): Units | null {
    return valueIn(this.quote, { asset, amount }, this.prices);
  }

  /** Adds a point to the curve, unless the last one has the same time. */
  note(timeMs: number): void {
    if (this.timeMs.at(-1) === timeMs) return;
    this.timeMs.push(timeMs);
    this.equity.push(Number(this.exact()) / Number(UNITS_PER_ONE));
    const holds = ({ state: { rules } }: FollowedMarket): boolean =>
      rules.base !== this.quote &&
      this.exchange.balance(rules.base) >=
        leastAmountAt(rules, this.prices.priceOf(rules.symbol) ?? NO_UNITS);
    this.isExposed.push([...this.markets.values()].some(holds) ? 1 : 0);
  }

  curve(): EquityCurve {
    return {
      length: this.timeMs.length,
      timeMs: Float64Array.from(this.timeMs),
      equity: Float64Array.from(this.equity),
      isExposed: Uint8Array.from(this.isExposed),
    };
  }
}

/** Fixed part of every clientOrderId, so that output is reproducible; a stored mirror draws it at random. */
const EPOCH = 'poll';

const MOST_UNHASHED = 16_384;

/** Stored mirror that receives all changes that a live bot would write. */
export type StoredMirror = Pick<ChangeStore, 'apply'>;

/**
 * Mirror of a run that is never restarted. It keeps orders and fills in memory, and only a hash of the
 * journal, equal to that of a stored mirror with the same lines. Everything else is dropped, so that memory
 * grows only with the trades.
 */
export class MemoryMirror implements ChangeStore {
  readonly fills: FillRecord[] = [];
  private readonly byKey = new Map<string, OrderRecord>();
  private readonly hash = createHash('sha256');
  /** Lines that are not in the hash yet: hashing many short ones is slower than one long text. */
  private unhashed = '';
  private readonly onJournal: ((entry: JournalEntry, atMs: number) => void) | null;
  private readonly stored: StoredMirror | null;
  private lines = 0;

  /** `onJournal` receives each line of the journal, and `stored` every change. */
  constructor(
    onJournal: ((entry: JournalEntry, atMs: number) => void) | null = null,
    stored: StoredMirror | null = null,
  ) {
    this.onJournal = onJournal;
    this.stored = stored;
  }

  /** True if there is a stored mirror, so that the state for a restart must be written. */
  get isStored(): boolean {
    return this.stored !== null;
  }

  /** Current state of all orders, in the order in which they were planned. */
  get orders(): readonly OrderRecord[] {
    return [...this.byKey.values()];
  }

  load(): MirrorState {
    return { ...EMPTY_MIRROR_STATE, epoch: EPOCH };
  }

  apply(changes: readonly MirrorChange[], { atMs }: { readonly atMs: number }): void {
    this.stored?.apply(changes, { atMs, isDurable: false });
    for (const change of changes) {
      if (change.kind === 'order') this.byKey.set(change.order.key, change.order);
      else if (change.kind === 'fill') this.fills.push(change.fill);
      else if (change.kind === 'journal') this.write(change.entry, atMs);
    }
  }

  isRunningOut(): boolean {
    return false;
  }

  /** Returns the SHA-256 of all journal lines so far, in hexadecimal. */
  journalHash(): string {
    this.hashLines();
    return this.hash.copy().digest('hex');
  }

  private write(entry: JournalEntry, atMs: number): void {
    this.lines += 1;
    const { kind, subject, json } = entry;
    this.unhashed += `${JSON.stringify([this.lines, atMs, kind, subject, json])}\n`;
    if (this.unhashed.length >= MOST_UNHASHED) this.hashLines();
    this.onJournal?.(entry, atMs);
  }

  private hashLines(): void {
    this.hash.update(this.unhashed);
    this.unhashed = '';
  }
}

/** Ratio of recording to poll interval above which a plan counts as finer than a recording. */
const FINER = 1.5;

/** Returns warnings where the plan polls too often for the recording, or its books are too old. */
export function planWarnings(
  tracks: readonly Track[],
  of: { readonly feeds: readonly PlannedFeed[]; readonly instances: readonly StrategyInstanceSettings[] },
): readonly RunWarning[] {
  return tracks.flatMap((track) => {
    const { symbol } = track.market.state.rules;
    const kinds = [
      { what: 'book', kind: 'book', gapMs: track.books.usualGapMs },
      { what: 'tape', kind: 'public-trades', gapMs: track.trades?.usualGapMs ?? null },
    ] as const;
    return [
      ...kinds.flatMap(({ what, kind, gapMs }) => {
        const feed = of.feeds.find(
          (candidate) =>
            (candidate.kind === kind && candidate.market === symbol) ||
            (kind === 'book' && candidate.kind === 'books'),
        );
        if (feed === undefined || gapMs === null || gapMs <= feed.intervalMs * FINER) return [];
        return [
          runWarning('warning.finePlan', {
            what: runWarning(`warning.${what}`),
            market: symbol,
            every: { aboutMs: feed.intervalMs },
            gap: { aboutMs: gapMs },
          }),
        ];
      }),
      ...of.instances.flatMap(({ runner, limits }) =>
        tooOld(symbol, track.books.usualGapMs, { runner, limits }),
      ),
    ];
  });
}

function tooOld(
  symbol: string,
  gapMs: number | null,
  { runner, limits }: Pick<StrategyInstanceSettings, 'runner' | 'limits'>,
): readonly RunWarning[] {
  const { maxBookVenueAgeMs } = limits;
  if (
    !ownMarketsOf(runner).includes(symbol) ||
    gapMs === null ||
    maxBookVenueAgeMs === null ||
    gapMs <= maxBookVenueAgeMs
  )
    return [];
  return [
    runWarning('warning.oldBooks', {
      market: symbol,
      gap: { aboutMs: gapMs },
      strategy: runner.name,
      most: { aboutMs: maxBookVenueAgeMs },
      setting: 'risk.maxBookVenueAge',
    }),
  ];
}
