import { MINUTE_MS } from '../domain/time-text.ts';
import { disposable } from '../domain/closing.ts';
import { present } from '../domain/errors.ts';
import { mkdirSync, rmSync } from 'node:fs';
import { budgetTable } from '../exchange/client-options.ts';
import { DRAIN_POLICIES, type ControlCommand } from '../engine/engine-event.ts';
import { readOrderName } from '../engine/order-names.ts';
import { Bot } from './bot.ts';
import { givenCoins, INSTANCE, positionLimitsOf } from './bot-engine.ts';
import {
  type GivenCoins,
  hashOfTruth,
  truthOf,
  type ExchangeTruth,
  readMirrorRows,
  namedOrders,
  violationsOf,
  type Violation,
} from './checkers/exchange-truth.ts';
import { checkAgreement } from './checkers/agreement-checker.ts';
import { BudgetChecker } from './checkers/budget-checker.ts';
import { checkProtection } from './checkers/protection-checker.ts';
import { checkExposure, checkOwnership } from './checkers/exposure-checker.ts';
import { checkOrders } from './checkers/order-checker.ts';
import { Coverage, type Counts } from './coverage.ts';
import { Dice } from './dice.ts';
import { EventLog } from './event-log.ts';
import { loseMoney, mostDust, mostRounding } from './exchange-events.ts';
import {
  actsByHandOf,
  approvalsOf,
  locksByHandOf,
  promotionsOf,
  reloadsOf,
  movesByHandOf,
  notesByHandOf,
  sentSignalsOf,
} from './people.ts';
import { drawSwarm, STOP_MS, type Swarm } from './swarm.ts';
import { loadTestedVenue, type TestedVenue } from './tested-venue.ts';
import type { VenuePlace } from '../venues/client-credentials.ts';
import { BOT_USER, FuzzWorld } from './world.ts';

export interface SeedOptions {
  readonly seed: number;
  readonly hours: number;
  /** Folder that is created, and removed at the end. It should be on tmpfs, or a run waits for the disk. */
  readonly folder: string;
  /** Venue to test in place of the built-in one, by its file or package; the default is the built-in one. */
  readonly venue?: VenuePlace;
  /** Names, such as of orders, whose events are wanted; else the last events, or those before a break. */
  readonly names?: readonly string[];
}

export interface SeedResult {
  readonly seed: number;
  readonly violations: readonly Violation[];
  readonly counts: Counts;
  readonly journalHash: string;
  /** Hash of the account's orders, fills and balances at the exchange in the end. */
  readonly tradingHash: string;
  readonly requests: number;
  /** Last events; empty if nothing was violated. */
  readonly events: readonly string[];
}

const START_MS = Date.UTC(2026, 0, 5, 12);
/** Interval at which the log of requests is polled, in ms: it drops old ones beyond a bound. */
const POLL_INTERVAL_MS = 30 * MINUTE_MS;
/** Time after the faults end by which every halt, lockout and transfer has ended by itself. */
const CALM_MS = 31 * MINUTE_MS;
/** Time the market stands still before mirror and exchange are compared: every list is read again by then. */
const STILL_MS = 5 * MINUTE_MS;
/** Longest wait for agreement, as lockouts last up to a day; and longest wait after the last lockout. */
const LONGEST_WAIT_MS = 26 * 60 * MINUTE_MS;
const PATIENCE_MS = 30 * MINUTE_MS;
/** Delay after which a person who found no break checks again. */
const POLL_AGAIN_MS = 10 * MINUTE_MS;
/** Share of drains that surely keep the exits: only this policy has a choice. The others draw any policy. */
const EXITS_SHARE = 0.6;
/** Acts of somebody else that spend the account's money. */
const SPENDS_MONEY: ReadonlySet<string> = new Set(['order by hand', 'order repeated by hand', 'withdrawal']);
/** Acts that move money without a trade. */
const MOVES_MONEY: ReadonlySet<string> = new Set(['deposit', 'withdrawal']);
/** Time before which a loss is not detected: the first reading of the books already lacks that money. */
const BOOKS_BEGIN_MS = 45 * MINUTE_MS;

/** Runs one seed, from its beginning to the quiet after it, and checks its guarantees. */
export async function runSeed(options: SeedOptions): Promise<SeedResult> {
  rmSync(options.folder, { recursive: true, force: true });
  mkdirSync(options.folder, { recursive: true });
  using _folder = disposable(options.folder, (path) => rmSync(path, { recursive: true, force: true }));
  const tested = options.venue === undefined ? null : await loadTestedVenue(options.venue);
  return await new SeedRun(options, tested).run();
}

/**
 * Longest time a bracket's position may be without its exit while nothing prevents one, in ms: two readings
 * of an account without orders at the slowest pace of a seed, which is 8 times 15 s.
 */
const LONGEST_GAP_MS = 240_000;

/** Bounds of the classes in which gaps are counted, in ms. */
const GAP_BOUNDS_MS = [1_000, 3_000, 10_000, 30_000, 60_000, 120_000, 300_000, 600_000];

/**
 * Returns what moves money in a run with a venue. Without a history of the wallets a loss looks like a
 * withdrawal, and a deposit of one currency beside a withdrawal of another one like a missed trade, for which
 * a bot rightly stops.
 */
function movesOf({ disturbances }: Swarm, { profile }: TestedVenue): Partial<Swarm> {
  if (profile.ownLists.transactions !== null) return {};
  return {
    lossesAtMs: [],
    disturbances: disturbances.filter(({ disturbance }) => disturbance.name !== 'deposit'),
  };
}

class SeedRun {
  private readonly swarm: Swarm;
  private readonly world: FuzzWorld;
  private readonly coverage = new Coverage();
  private readonly events: EventLog;
  private readonly bot: Bot;
  private readonly budgets: BudgetChecker;
  private isWild = true;
  private losses = 0;
  private readonly given: GivenCoins;
  private firstLossAtMs: number | null = null;
  private acceptedBreaks = 0;
  /** Breaks before any money was lost, and after. */
  private falseBreaks = 0;
  private trueBreaks = 0;

  constructor({ seed, hours, folder, names }: SeedOptions, tested: TestedVenue | null) {
    this.events = new EventLog(START_MS, names);
    const swarm = drawSwarm(seed, hours);
    // The replies of a tested venue name no lowered limit, and it has no log-in.
    this.swarm =
      tested === null ? swarm : { ...swarm, crowding: [], logsIn: false, ...movesOf(swarm, tested) };
    const { clockSkewMs } = this.swarm;
    this.world = new FuzzWorld({ seed, startMs: START_MS, clockSkewMs, tested });
    this.given = givenCoins({ seed, markets: this.world.rules, onVandal: () => {}, tested });
    const { world, coverage, events } = this;
    this.bot = new Bot({ world, swarm: this.swarm, folder, coverage, events, onBreak: () => this.onBreak() });
    this.budgets = new BudgetChecker(world.log, {
      limits: tested === null ? budgetTable({}, 0) : tested.limits,
      lowered: new Set(this.swarm.crowding.map(({ budget }) => budget)),
      budgetOf: ({ endpoint, budget }) => tested?.budgetOf(endpoint) ?? budget,
    });
  }

  async run(): Promise<SeedResult> {
    const { swarm, world, bot } = this;
    this.schedule();
    bot.begin();
    bot.watchdog?.begin();
    await world.time.run(START_MS + swarm.runMs);
    const violations = [...(await this.calmDown()), ...this.lastingViolations()];
    const journalHash = bot.end();
    const tradingHash = hashOfTruth(truthOf(world.exchange, BOT_USER));
    const events = violations.length === 0 ? [] : this.events.lines();
    const requests = world.log.count;
    const counts = this.coverage.counts();
    return { seed: swarm.seed, violations, counts, journalHash, tradingHash, requests, events };
  }

  private schedule(): void {
    const { swarm, world, bot, coverage } = this;
    const at = (atMs: number, work: () => void): void => {
      world.time.at(START_MS + atMs, () => {
        if (this.isWild) work();
      });
    };
    for (const { fromMs, toMs, rules } of swarm.episodes) {
      at(fromMs, () => {
        world.setFaults(rules);
        bot.checkers.brackets.hold('faults', true, world.time.now());
      });
      at(toMs, () => {
        world.setFaults([]);
        bot.checkers.brackets.hold('faults', false, world.time.now());
      });
    }
    for (const atMs of swarm.crashesAtMs) at(atMs, () => bot.crash('at random'));
    if (swarm.putBack !== null) {
      at(swarm.putBack.copiedAtMs, () => bot.copyMirror());
      at(swarm.putBack.atMs, () => bot.putBack());
    }
    for (const atMs of swarm.stopsAtMs) at(atMs, () => bot.stop(STOP_MS));
    for (const { fromMs, toMs } of swarm.slowMachine?.starved ?? [])
      at(fromMs, () => bot.starve(toMs - fromMs));
    for (const { atMs, forMs } of swarm.stalls) at(atMs, () => this.stall(forMs));
    for (const absence of swarm.watchdog?.absences ?? []) at(absence.atMs, () => bot.leave(absence));
    for (const { atMs, forMs } of swarm.watchdog?.stops ?? []) at(atMs, () => bot.watchdog?.stop(forMs));
    for (const atMs of swarm.watchdog?.crashesAtMs ?? []) at(atMs, () => bot.watchdog?.crash('at random'));
    for (const { fromMs, toMs, budget, limit } of swarm.crowding) {
      at(fromMs, () => this.crowd(budget, limit));
      at(toMs, () => this.crowd(budget, null));
    }
    const { listedMs, renumberedAtMs } = swarm.tradeHabits;
    if (listedMs !== null) {
      coverage.count('short list of trades');
      Object.assign(world.exchange.trading.settings, { tradesListedMs: listedMs });
    }
    for (const atMs of renumberedAtMs) at(atMs, () => this.renumberTrades());
    for (const { atMs, byMs } of swarm.clockSteps) at(atMs, () => bot.stepClock(byMs));
    for (const atMs of swarm.lossesAtMs) at(atMs, () => this.loseMoney());
    for (const { atMs, kind } of swarm.controls) {
      const act = (): void => {
        // A person accepts what was found, and looks again where nothing was yet.
        if (kind === 'accept-balances' && this.trueBreaks === this.acceptedBreaks) {
          at(world.time.now() - START_MS + POLL_AGAIN_MS, act);
          return;
        }
        if (kind === 'accept-balances') this.acceptedBreaks = this.trueBreaks;
        coverage.count(`control ${kind}`);
        bot.control(kind === 'halt' ? { kind, reason: 'the fuzzer said so', wholeAccount: false } : { kind });
      };
      at(atMs, act);
    }
    const run = { seed: swarm.seed, runMs: swarm.runMs, markets: world.rules.map(({ symbol }) => symbol) };
    const hands = {
      world,
      control: (command: ControlCommand) => bot.control(command),
      openOrders: () => bot.openOrders(),
      waitingEntries: () => bot.waitingEntries(),
      onApplied: (id: number) => bot.checkers.positions.applied(id),
    };
    const people = [locksByHandOf, actsByHandOf, reloadsOf, promotionsOf, approvalsOf, notesByHandOf];
    for (const { atMs, act } of people.flatMap((actsOf) => actsOf(run)))
      at(atMs, () => {
        const what = act(hands);
        if (what !== null) coverage.count(what);
      });
    // A mirror of before has forgotten what a person said since, and wrong replies say what is not so.
    if (swarm.putBack === null && swarm.wrongReplies === null)
      for (const { atMs, act } of movesByHandOf(run)) {
        at(atMs, () => {
          const what = act(hands);
          if (what === null) return;
          this.events.log(world.time.now(), what);
          coverage.count(what);
          bot.checkers.disturbed();
          bot.checkers.isMoneyMoved = true;
        });
      }
    for (const { atMs, command } of sentSignalsOf(run)) at(atMs, () => bot.signal(command));
    for (const [index, { disturbance, meanMs }] of swarm.disturbances.entries()) {
      const dice = Dice.of(swarm.seed, `${disturbance.name} ${index}`);
      const again = (afterMs: number): void =>
        at(afterMs, () => {
          this.events.log(world.time.now(), disturbance.name);
          coverage.count(disturbance.name);
          disturbance.act(world, dice, world.advance());
          if (SPENDS_MONEY.has(disturbance.name)) bot.checkers.disturbed();
          if (MOVES_MONEY.has(disturbance.name)) bot.checkers.isMoneyMoved = true;
          again(world.time.now() - START_MS + dice.exponential(meanMs));
        });
      again(dice.exponential(meanMs));
    }
    this.checkBudgets();
  }

  private stall(durationMs: number): void {
    this.events.log(this.world.time.now(), `the exchange stands still for ${durationMs} ms`);
    this.coverage.count('stall of the exchange');
    const nowMs = this.world.time.now();
    this.bot.checkers.brackets.excuses.push({ fromMs: nowMs, toMs: nowMs + durationMs });
    this.world.stall(durationMs);
  }

  private renumberTrades(): void {
    this.world.advance();
    this.events.log(this.world.time.now(), 'the exchange gives every trade another id');
    this.coverage.count('trades renumbered');
    this.world.exchange.trading.renumberTrades();
  }

  private crowd(budget: string, limit: number | null): void {
    this.events.log(
      this.world.time.now(),
      `the exchange sets the limit of ${budget} to ${limit ?? 'what it was'}`,
    );
    this.bot.checkers.brackets.hold(`lowered ${budget}`, limit !== null, this.world.time.now());
    this.coverage.count(limit === null ? 'limit given back' : 'limit lowered');
    this.world.lowerLimit(budget, limit);
  }

  private checkBudgets(): void {
    this.world.time.at(this.world.time.now() + POLL_INTERVAL_MS, () => {
      this.budgets.poll();
      this.checkBudgets();
    });
  }

  private loseMoney(): void {
    this.world.advance();
    if (loseMoney(this.world, Dice.of(this.swarm.seed, `loss ${this.losses}`))) {
      this.losses += 1;
      this.firstLossAtMs ??= this.world.time.now() - START_MS;
    }
    this.bot.checkers.disturbed();
    this.bot.checkers.isMoneyMoved = true;
    this.events.log(this.world.time.now(), 'the exchange loses money of the account');
  }

  private onBreak(): void {
    if (this.losses > 0) this.trueBreaks += 1;
    // Money of a transfer about which a reply lied is not where the bot was told.
    else if (!this.bot.hasWrongTransfer) {
      this.falseBreaks += 1;
      this.events.freeze();
    }
  }

  /** Checks that every loss is found, and that nothing else is mistaken for one. */
  private breakViolations(): readonly Violation[] {
    const { firstLossAtMs, falseBreaks, trueBreaks } = this;
    const isMissed = firstLossAtMs !== null && firstLossAtMs >= BOOKS_BEGIN_MS && trueBreaks === 0;
    return violationsOf('breaks', [
      ...(falseBreaks === 0 ? [] : [`expected no break where no money was lost, there were ${falseBreaks}`]),
      ...(isMissed
        ? [`expected a break, since money was lost after ${firstLossAtMs} ms, there was none`]
        : []),
    ]);
  }

  /** Ends all faults: the bot cancels or leaves its orders, and its data become those of the exchange. */
  private async calmDown(): Promise<readonly Violation[]> {
    const { world, bot, swarm } = this;
    this.isWild = false;
    world.setFaults([]);
    bot.checkers.brackets.hold('faults', false, world.time.now());
    for (const { budget } of swarm.crowding)
      bot.checkers.brackets.hold(`lowered ${budget}`, false, world.time.now());
    for (const { budget } of swarm.crowding) world.lowerLimit(budget, null);
    Object.assign(world.exchange.trading.settings, { newForMs: 0 });
    bot.endCrashes();
    await this.elapse(CALM_MS);
    const dice = Dice.of(swarm.seed, 'drain');
    bot.drain(dice.happens(EXITS_SHARE) ? 'keep-exits' : (dice.pick(DRAIN_POLICIES) ?? 'keep-exits'));
    await this.elapse(STILL_MS);
    world.setTrading(false);
    bot.checkers.figures.lastEquity = null;
    let waitedMs = 0;
    let calmMs = 0;
    for (;;) {
      await this.elapse(STILL_MS);
      const violations = this.agreement();
      waitedMs += STILL_MS;
      calmMs = bot.isLockedOut() ? 0 : calmMs + STILL_MS;
      if (violations.length === 0 || calmMs >= PATIENCE_MS || waitedMs >= LONGEST_WAIT_MS) return violations;
    }
  }

  private agreement(): readonly Violation[] {
    const { world, bot } = this;
    const nowMs = world.advance();
    const wrong = bot.checkers.figures.lastEquity;
    const holdings = bot.wrongHoldings();
    return [
      ...checkAgreement(
        truthOf(world.exchange, BOT_USER, nowMs),
        readMirrorRows(bot.mirrorPath, world.idBehind),
        {
          instance: INSTANCE,
          refused: bot.checkers.refusedNames,
        },
      ),
      ...violationsOf('equity agrees', wrong === null ? [] : [wrong]),
      ...violationsOf('holdings', holdings === null ? [] : [holdings]),
    ];
  }

  private rulesOf(market: string): FuzzWorld['rules'][number] {
    const rules = this.world.rules.find(({ symbol }) => symbol === market);
    return present(rules, `the market ${market}`);
  }

  /** Returns violations of guarantees that hold even if not everything is quiet. */
  private lastingViolations(): readonly Violation[] {
    const { world, bot, swarm } = this;
    const rows = readMirrorRows(bot.mirrorPath, world.idBehind);
    const truth = truthOf(world.exchange, BOT_USER);
    const judged = withoutStrategies(truth, bot.checkers.positions.moved);
    return [
      ...bot.mistakes.map((message) => ({ check: 'no mistakes', message })),
      ...this.budgets.violations(),
      ...bot.violations(truth),
      ...checkOrders(truth, rows, bot.checkers.refusedNames, {
        roundingOf: (market) => mostRounding(this.rulesOf(market)),
        dustOf: (market, price) => mostDust(this.rulesOf(market), price),
      }),
      ...checkExposure(judged, {
        instance: INSTANCE,
        maxPosition: positionLimitsOf(swarm.seed),
        refused: bot.checkers.refusedNames,
        given: this.given,
      }),
      ...checkOwnership(judged, {
        instance: INSTANCE,
        refused: bot.checkers.refusedNames,
        given: this.given,
      }),
      ...this.protectionViolations(truth),
      ...this.breakViolations(),
    ];
  }

  /** Returns violations for positions of brackets without an exit. */
  private protectionViolations(truth: ExchangeTruth): readonly Violation[] {
    const { bot, world, swarm, coverage } = this;
    const { brackets, excuses } = bot.checkers.brackets;
    const { violations, gapsMs } = checkProtection(truth, {
      instance: INSTANCE,
      brackets,
      excuses,
      longestMs: LONGEST_GAP_MS,
      markets: world.rules,
      clockSkewMs: swarm.clockSkewMs,
      refused: bot.checkers.refusedNames,
    });
    for (const gapMs of gapsMs)
      coverage.count(`gap up to ${GAP_BOUNDS_MS.find((bound) => gapMs <= bound) ?? 'more'}`);
    return violations;
  }

  private async elapse(durationMs: number): Promise<void> {
    await this.world.time.run(this.world.time.now() + durationMs);
  }
}

/** Returns the truth without the orders of strategies whose books a person changed. */
function withoutStrategies(truth: ExchangeTruth, moved: ReadonlySet<string>): ExchangeTruth {
  if (moved.size === 0) return truth;
  const isOut = new Set(
    namedOrders(truth, INSTANCE).flatMap(({ order, name }) =>
      moved.has(readOrderName(name)?.strategy ?? '') ? [order.id] : [],
    ),
  );
  return { ...truth, orders: truth.orders.filter(({ id }) => !isOut.has(id)) };
}
