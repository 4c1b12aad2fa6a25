import { type WatchdogNews, Watchdog, type WatchRule } from '../daemon/watchdog.ts';
import { givenCoins, INSTANCE } from './bot-engine.ts';
import { truthOf, type Violation, type LeavingRequest, type WireWitness } from './checkers/exchange-truth.ts';
import { WatchdogChecker, WatchdogOrders } from './checkers/watchdog-checker.ts';
import type { Coverage } from './coverage.ts';
import { Dice } from './dice.ts';
import type { EventLog } from './event-log.ts';
import { MINUTE_MS, SECOND_MS } from '../domain/time-text.ts';
import { BOT_USER } from './world.ts';
import { DEFAULT_ENGINE_TIMES } from '../engine/engine-settings.ts';
import { MARKET_NAMES } from '../exchange/market-names.ts';
import { INTERFACE_PROFILE } from '../venues/interface-profile.ts';
import type { LedgerStore } from '../budget/store.ts';
import { readRun } from '../daemon/run-record.ts';
import {
  cancelEntries,
  type CanceledEntries,
  type SilentBot,
  readOwnOrders,
  WhileSilent,
} from '../daemon/cancel-entries.ts';
import { ProcessTime } from '../virtual/process-time.ts';
import { openExchangeRoute, type ExchangeRouteOptions } from './exchange-route.ts';

/** An absence of the bot: its kind, and its length. */
export interface PlannedAbsence {
  readonly atMs: number;
  readonly forMs: number;
  readonly kind: 'stands still' | 'killed' | 'ended in order';
}

/** Plan of a seed with a watchdog. Times are in ms since the beginning of the run. */
export interface WatchdogPlan {
  readonly rule: WatchRule;
  readonly absences: readonly PlannedAbsence[];
  /** Times at which the watchdog itself stands still. */
  readonly stops: readonly { readonly atMs: number; readonly forMs: number }[];
  readonly crashesAtMs: readonly number[];
  /** Share of its own requests after which it soon dies. */
  readonly crashShare: number;
}

/** Share of the seeds with a watchdog, and share of those in which it may cancel. */
const SHARE = 0.35;
const CANCELS_SHARE = 0.8;

/** Share of the absences that end about when the watchdog cancels, and the range around that time. */
const NEAR_CANCEL_SHARE = 0.5;
const BEFORE_CANCEL_MS = 500;
const AFTER_CANCEL_MS = 2_000;

/** Draws the plan of a seed; null for a seed without a watchdog. */
export function watchdogPlanOf(seed: number, runMs: number): WatchdogPlan | null {
  const dice = Dice.of(seed, 'watchdog');
  if (!dice.happens(SHARE)) return null;
  const cancelEntriesAfterMs = dice.happens(CANCELS_SHARE) ? drawLength(dice, 5, 150) : null;
  const rule = { silentAfterMs: drawLength(dice, 5, 60), cancelEntriesAfterMs };
  return {
    rule,
    absences: drawAbsences(dice, rule, runMs),
    stops: dice.happens(0.4)
      ? dice.times(runMs, 30 * MINUTE_MS).map((atMs) => ({ atMs, forMs: drawLength(dice, 5, 300) }))
      : [],
    crashesAtMs: dice.happens(0.4) ? dice.times(runMs, 40 * MINUTE_MS) : [],
    crashShare: dice.happens(0.5) ? dice.logUniform(0.02, 0.5) : 0,
  };
}

function drawAbsences(dice: Dice, rule: WatchRule, runMs: number): readonly PlannedAbsence[] {
  const { silentAfterMs, cancelEntriesAfterMs } = rule;
  const actsAfterMs = Math.max(silentAfterMs, cancelEntriesAfterMs ?? 0);
  return dice
    .times(runMs, dice.logUniform(8, 40) * MINUTE_MS)
    .map((atMs) => ({
      atMs,
      forMs: dice.happens(NEAR_CANCEL_SHARE)
        ? Math.round(actsAfterMs + dice.between(-BEFORE_CANCEL_MS, AFTER_CANCEL_MS))
        : drawLength(dice, 5, 1_200),
      kind:
        dice.pick(['stands still', 'stands still', 'killed', 'killed', 'ended in order'] as const) ??
        'killed',
    }))
    .filter(({ atMs, forMs }) => atMs + forMs < runMs);
}

const drawLength = (dice: Dice, leastSeconds: number, mostSeconds: number): number =>
  Math.round(dice.logUniform(leastSeconds, mostSeconds) * SECOND_MS);

interface WatchdogRunOptions extends Pick<
  ExchangeRouteOptions,
  'world' | 'machine' | 'logsIn' | 'witnesses'
> {
  readonly heartbeatFolder: string;
  readonly seed: number;
  readonly clockSkewMs: number;
  readonly isSlow: boolean;
  readonly plan: WatchdogPlan;
  readonly coverage: Coverage;
  readonly events: EventLog;
  readonly onMistake: (error: unknown) => void;
}

/** Range of a watchdog's downtime after a crash, and of the delay of its death after a request, in ms. */
const RESTART_MS = [500, 60_000] as const;
const DIES_WITHIN_MS = [1, 400] as const;

/** The watchdog over all its lives, with its checker. */
export class WatchdogRun {
  readonly checker: WatchdogChecker;
  private readonly options: WatchdogRunOptions;
  private readonly dice: Dice;
  private life: WatchdogLife | null = null;
  private lives = 0;
  private mayCrash = true;

  /** Ends the watchdog soon after one of its requests, in a share of the cases. */
  private readonly danger: WireWitness = {
    leaves: ({ endpoint }: LeavingRequest) => {
      const { world, plan } = this.options;
      const { life } = this;
      if (!this.dice.happens(plan.crashShare)) return;
      const where = endpoint.name === 'updateOrderStatus' ? 'amid its cancels' : 'amid its reading';
      world.time.at(world.time.now() + this.dice.logUniform(...DIES_WITHIN_MS), () => {
        if (this.life === life) this.crash(where);
      });
    },
    isAnswered: () => {},
  };

  constructor(options: WatchdogRunOptions) {
    const { world, machine, seed, plan, coverage } = options;
    const { rules: markets, tested } = world;
    const given = givenCoins({ seed, markets, onVandal: () => {}, tested });
    this.options = options;
    this.dice = Dice.of(seed, 'watchdog life');
    this.checker = new WatchdogChecker({
      rule: plan.rule,
      nowMs: () => world.time.now(),
      clockSkewMs: options.clockSkewMs,
      isSlow: options.isSlow,
      orders: () =>
        new WatchdogOrders({
          instance: INSTANCE,
          mirrorPath: machine.mirrorPath,
          exitNames: coverage.exitNames,
          truth: truthOf(world.exchange, BOT_USER),
          idBehind: world.idBehind,
          given,
        }),
      count: (what) => coverage.count(what),
    });
  }

  /** Begins a life, unless one is running. */
  begin(): void {
    if (this.life !== null) return;
    const { world, machine, heartbeatFolder, logsIn, plan, witnesses, onMistake } = this.options;
    this.lives += 1;
    this.checker.begins();
    this.log(`watchdog ${this.lives} begins`);
    this.life = new WatchdogLife({
      world,
      machine,
      heartbeatFolder,
      owner: `watchdog ${this.lives}`,
      dice: this.dice,
      logsIn,
      rule: plan.rule,
      witnesses: [...witnesses, this.checker, this.danger],
      onNews: (news) => this.news(news),
      onTry: { begins: () => this.checker.triesBegin(), ends: () => this.checker.triesEnd() },
      onMistake,
    });
  }

  stop(durationMs: number): void {
    if (this.life === null) return;
    this.checker.watchdog.stands(this.options.world.time.now(), durationMs);
    this.log(`the watchdog stands still for ${durationMs} ms`);
    this.options.coverage.count('stops of the watchdog');
    this.life.stop(durationMs);
  }

  /** Crashes the watchdog, which is back after some time. */
  crash(where: string): void {
    const { world, coverage } = this.options;
    if (this.life === null || !this.mayCrash) return;
    this.end();
    this.log(`the watchdog dies ${where}`);
    coverage.count(`crash of the watchdog ${where}`);
    world.time.at(world.time.now() + this.dice.logUniform(...RESTART_MS), () => this.begin());
  }

  /** Ends all crashes: the watchdog then lives until the end of the run. */
  endCrashes(): void {
    this.mayCrash = false;
    this.begin();
  }

  end(): void {
    this.checker.watchdog.ends(this.options.world.time.now());
    this.life?.crash();
    this.life = null;
  }

  violations(): readonly Violation[] {
    return this.checker.violations();
  }

  private news(news: WatchdogNews): void {
    this.log(`the watchdog says ${JSON.stringify(news)}`);
    this.checker.news(news);
  }

  private log(what: string): void {
    this.options.events.log(this.options.world.time.now(), what);
  }
}

interface WatchdogLifeOptions extends Pick<
  WatchdogRunOptions,
  'world' | 'machine' | 'heartbeatFolder' | 'logsIn' | 'witnesses' | 'onMistake'
> {
  /** Name in the ledger. */
  readonly owner: string;
  readonly dice: Dice;
  readonly rule: WatchRule;
  readonly onNews: (news: WatchdogNews) => void;
  /** Called when it begins to cancel, and when it has ended. */
  readonly onTry: { readonly begins: () => void; readonly ends: () => void };
}

const POLL_INTERVAL_MS = 1_000;

/** One life of a watchdog beside the bot: the daemon's own code, with its own link and ledger. */
class WatchdogLife {
  private readonly options: WatchdogLifeOptions;
  private readonly time: ProcessTime;
  /** Ledger while it cancels; else null. */
  private ledger: LedgerStore | null = null;

  constructor(options: WatchdogLifeOptions) {
    this.options = options;
    this.time = new ProcessTime(options.world.time);
    void this.run().catch(options.onMistake);
  }

  /** Stops the process for some time. */
  stop(durationMs: number): void {
    this.time.stop(durationMs);
  }

  /** Ends the process at once. */
  crash(): void {
    this.time.kill();
    this.options.machine.deadOwners.add(this.options.owner);
    this.ledger?.close();
    this.ledger = null;
  }

  private async run(): Promise<void> {
    const { world, rule, heartbeatFolder, onNews } = this.options;
    const watchdog = new Watchdog({
      rule,
      readPulse: () => readRun(heartbeatFolder).pulse,
      steadyMs: () => world.time.now(),
      cancel: async (bot) => this.cancel(bot),
      onNews,
    });
    for (;;) {
      await this.time.sleep(POLL_INTERVAL_MS);
      watchdog.poll();
    }
  }

  private async cancel({ forMs, isBack }: SilentBot): Promise<CanceledEntries> {
    const { machine, onTry, world } = this.options;
    onTry.begins();
    const route = openExchangeRoute({
      ...this.options,
      time: this.time,
      mutator: null,
      isGuest: true,
      wrap: (inner) => new WhileSilent(inner, isBack),
    });
    this.ledger = route.ledger;
    try {
      return await cancelEntries({
        ...route,
        profile: world.tested?.profile ?? INTERFACE_PROFILE,
        nowMs: () => this.time.now(),
        limiterMs: () => this.time.now(),
        instance: INSTANCE,
        lateArrivalMs: DEFAULT_ENGINE_TIMES.lateArrivalMs,
        readOwn: () => readOwnOrders(machine.mirrorPath, MARKET_NAMES),
        forMs,
        isBack,
      });
    } finally {
      await route.limiter.close();
      route.ledger.close();
      this.ledger = null;
      onTry.ends();
    }
  }
}
