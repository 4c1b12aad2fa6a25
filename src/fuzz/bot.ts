import { copyFileSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { EngineOutput } from '../engine/engine-command.ts';
import type { Engine } from '../engine/engine.ts';
import type { ControlCommand, DrainPolicy, EngineEvent } from '../engine/engine-event.ts';
import { createBotEngine, INSTANCE, drawnUniverse } from './bot-engine.ts';
import { BotLife, type BotMachine } from './bot-life.ts';
import { BracketWatch } from './checkers/bracket-watch.ts';
import { checkDrain, drainBeginning, type DrainBeginning } from './checkers/drain-checker.ts';
import type { ExchangeTruth } from './checkers/exchange-truth.ts';
import { FundsChecker, type TrueFunds } from './checkers/funds-checker.ts';
import { ForeignChecker } from './checkers/foreign-checker.ts';
import { JournalChecker } from './checkers/journal-checker.ts';
import { LockChecker } from './checkers/lock-checker.ts';
import { LockoutChecker } from './checkers/lockout-checker.ts';
import { LoweredLimitChecker } from './checkers/lowered-limit-checker.ts';
import { FreshnessChecker } from './checkers/freshness-checker.ts';
import { OverlapChecker } from './checkers/overlap-checker.ts';
import { NONE_REFUSED } from './checkers/own-key.ts';
import { SharesChecker } from './checkers/shares-checker.ts';
import { RejectionChecker } from './checkers/rejection-checker.ts';
import { madeTransfers, TransferChecker } from './checkers/transfer-checker.ts';
import { UniverseChecker } from './checkers/universe-checker.ts';
import { VandalChecker } from './checkers/vandal-checker.ts';
import type { Violation } from './checkers/violation.ts';
import { isLimit, type Coverage } from './coverage.ts';
import { Dice } from './dice.ts';
import type { EventLog } from './event-log.ts';
import { lockRulesOf } from './lock-plan.ts';
import { ReplyMutator } from './reply-mutator.ts';
import type { Swarm } from './swarm.ts';
import type { VandalAct } from './vandal.ts';
import { TREASURER } from './workload/treasurer.ts';
import { BOT_USER, type FuzzWorld } from './world.ts';

export interface BotOptions {
  readonly world: FuzzWorld;
  readonly swarm: Swarm;
  /** Where mirror and ledger are. */
  readonly folder: string;
  readonly coverage: Coverage;
  readonly events: EventLog;
  /** The engine found that the books do not agree. */
  readonly onBreak: () => void;
}

/** Deaths by an error after which a bot is not started again: it would die of the same again and again. */
const MOST_MISTAKES = 3;

/**
 * How many times likelier a process dies amid a request that changes something, or while an order settles,
 * than at any other moment.
 */
const LIKELY_FACTOR = 15;

/** A death that is rare by chance: how often it comes after what it is to meet, and how long after. */
interface LikelyCrash {
  readonly where: string;
  readonly share: number;
  readonly leastMs: number;
  readonly mostMs: number;
}

/** The next life must know of the lockout. */
const IN_LOCKOUT: LikelyCrash = { where: 'in a lockout', share: 0.4, leastMs: 500, mostMs: 120_000 };

/** Locks are short here, and the next life must know of them. */
const IN_LOCK: LikelyCrash = { where: 'after a lock began', share: 0.2, leastMs: 500, mostMs: 20_000 };

/** A transfer is on its way for the blink of an eye, and the next life must not know less of it. */
const IN_TRANSFER: LikelyCrash = { where: 'amid a transfer', share: 0.15, leastMs: 1, mostMs: 200 };

/** What is held there is soon sold, and the next life must follow it. */
const IN_LEFT: LikelyCrash = {
  where: 'after a held market left',
  share: 0.5,
  leastMs: 500,
  mostMs: 10_000,
};

/** When a person looks at the wallets and accepts them, after the bot said that a transfer is unknown. */
const PERSON_MS = [60_000, 1_800_000] as const;

/** A strategy that does not come back is ended after so long, and the bot has stood still until then. */
const LOOP_MS = 5_000;

/** The most that the system clock is wrong by, however often it is stepped. */
const LARGEST_OFFSET_MS = 15_000;

/** The bot over all its lives: begun again from the disk after each crash, until the run ends. */
export class Bot {
  readonly mirrorPath: string;
  /** The error that ended a life without a planned crash. */
  readonly mistakes: string[] = [];
  private readonly options: BotOptions;
  private readonly journal: JournalChecker;
  private readonly lockouts = new LockoutChecker();
  private readonly lowered: LoweredLimitChecker;
  private readonly foreign = new ForeignChecker(INSTANCE);
  private readonly overlap = new OverlapChecker();
  private readonly freshness = new FreshnessChecker();
  private readonly vandal = new VandalChecker();
  private readonly rejections = new RejectionChecker();
  private readonly universe: UniverseChecker | null;
  readonly brackets = new BracketWatch();
  private mayBeLockedOut = false;
  private readonly locks: LockChecker;

  private readonly funds = new FundsChecker();
  private readonly shares = new SharesChecker();
  private readonly transfers: TransferChecker;
  /** Whether a person is about to look at a transfer that is unknown. */
  private isPersonComing = false;
  private readonly dice: Dice;
  private readonly machine: BotMachine;
  private readonly mutator: ReplyMutator | null;
  private life: BotLife | null = null;
  private engine: Engine | null = null;
  private drained: DrainBeginning | null = null;
  private mayCrash = true;

  constructor(options: BotOptions) {
    this.options = options;
    this.dice = Dice.of(options.swarm.seed, 'bot');
    this.lowered = new LoweredLimitChecker(() => options.coverage.count('limit reply that lowers'));
    const universe = drawnUniverse(options.swarm.seed);
    this.universe = universe === null ? null : new UniverseChecker(universe);
    this.mirrorPath = join(options.folder, 'mirror.sqlite');
    this.locks = new LockChecker({
      instance: INSTANCE,
      rules: lockRulesOf(options.swarm.seed),
      count: (what) => {
        options.coverage.count(what);
        if (what === 'lock begun') this.crashAfter(IN_LOCK);
      },
    });
    this.journal = new JournalChecker(this.mirrorPath);
    this.transfers = new TransferChecker(this.mirrorPath);
    const { wrongReplies, seed } = options.swarm;
    this.mutator =
      wrongReplies === null
        ? null
        : new ReplyMutator({
            plan: wrongReplies,
            dice: Dice.of(seed, 'mutator'),
            onWrong: (what) => {
              options.coverage.count(what);
              const nowMs = options.world.time.now();
              this.brackets.excuses.push({ fromMs: nowMs, toMs: nowMs });
              options.events.say(options.world.time.now(), what);
            },
          });
    this.machine = {
      mirrorPath: this.mirrorPath,
      ledgerPath: join(options.folder, 'ledger.sqlite'),
      wallOffsetMs: 0,
      deadOwners: new Set(),
      lives: 0,
    };
  }

  /** Begins a life, if none is going on. */
  begin(): void {
    if (this.life !== null) return;
    const { world, swarm, events } = this.options;
    events.say(world.time.now(), `life ${this.machine.lives + 1} begins`);
    try {
      this.life = this.createLife(swarm);
      this.life.start();
    } catch (error) {
      this.died('mistake', error);
    }
  }

  crash(where: string): void {
    if (this.life === null) return;
    this.life.crash();
    this.died(where, null);
  }

  stop(durationMs: number): void {
    const { world, events, coverage } = this.options;
    if (this.life === null) return;
    this.brackets.excuses.push({ fromMs: world.time.now(), toMs: world.time.now() + durationMs });
    events.say(world.time.now(), `stands still for ${durationMs} ms`);
    coverage.count('stops');
    this.life.stop(durationMs);
  }

  stepClock(byMs: number): void {
    const { world, events, coverage } = this.options;
    this.brackets.excuses.push({ fromMs: world.time.now(), toMs: world.time.now() });
    const offsetMs = this.machine.wallOffsetMs + byMs;
    this.machine.wallOffsetMs = Math.max(-LARGEST_OFFSET_MS, Math.min(LARGEST_OFFSET_MS, offsetMs));
    events.say(world.time.now(), `the wall clock is off by ${this.machine.wallOffsetMs} ms`);
    coverage.count('clock steps');
  }

  /** Ends the run in order, and remembers what that began with. */
  drain(openOrders: DrainPolicy): void {
    if (this.life === null || this.engine === null) return;
    this.options.coverage.count(`drain ${openOrders}`);
    this.brackets.endAll(this.options.world.time.now());
    this.drained = drainBeginning(this.engine, openOrders);
    this.life.control({ kind: 'drain', openOrders });
  }

  /** Somebody copies the mirror, as for a backup. */
  copyMirror(): void {
    if (!existsSync(this.mirrorPath)) return;
    const database = new Database(this.mirrorPath, { readonly: true });
    database.prepare('VACUUM INTO ?').run(this.copyPath);
    database.close();
    this.options.events.say(this.options.world.time.now(), 'the mirror is copied');
  }

  /** The copy takes the mirror's place, and what was written since is gone. */
  putBack(): void {
    const { world, coverage, events, swarm } = this.options;
    if (!existsSync(this.copyPath)) return;
    this.life?.crash();
    this.life = null;
    this.brackets.endAll(world.time.now());
    this.brackets.hold('dead or not ready', true, world.time.now());
    this.journal.forgetFile();
    this.transfers.forgetFile();
    this.locks.forget();
    for (const ending of ['', '-wal', '-shm']) rmSync(`${this.mirrorPath}${ending}`, { force: true });
    copyFileSync(this.copyPath, this.mirrorPath);
    coverage.count('mirror put back');
    events.say(world.time.now(), 'the mirror is put back from its copy');
    const [least, most] = swarm.restartMs;
    world.time.at(world.time.now() + this.dice.logUniform(least, most), () => this.begin());
  }

  private get copyPath(): string {
    return `${this.mirrorPath}.copy`;
  }

  control(command: ControlCommand): void {
    if (command.kind === 'accept-balances') this.transfers.accepted();
    this.life?.control(command);
  }

  /** From now on it lives until the end. */
  endCrashes(): void {
    this.mayCrash = false;
    if (this.mutator !== null) this.mutator.isOn = false;
    this.begin();
  }

  /** Whether a budget, or the account, is locked out. */
  isLockedOut(): boolean {
    return this.life?.isLockedOut() ?? false;
  }

  /** Orders whose refusal it received, and which may exist all the same. */
  get refusedNames(): ReadonlySet<string> {
    return this.mutator?.refusedNames ?? NONE_REFUSED;
  }

  /** Faults of the requests that left, over all lives. */
  violations(truth: ExchangeTruth): readonly Violation[] {
    const { journal, lockouts, foreign, overlap } = this;
    const drain = this.drained === null ? null : checkDrain(truth, this.drained);
    if (drain !== null) this.options.coverage.count('orders that a drain was judged by', drain.judged);
    return [
      ...journal.violations(),
      ...lockouts.violations(),
      ...this.lowered.violations(),
      ...foreign.violations(truth),
      ...overlap.violations(),
      ...this.freshness.violations(this.options.coverage.exitNames),
      ...this.vandal.violations(),
      ...this.rejections.violations(),
      ...(this.universe?.violations() ?? []),
      ...this.locks.violations(truth, {
        refused: this.refusedNames,
        exits: this.options.coverage.exitNames,
      }),
      ...this.funds.violations(),
      ...this.shares.violations(),
      ...this.transferViolations(),
      ...(drain?.violations ?? []),
    ];
  }

  /** Closes the files, and answers the hash of the journal; empty where no life runs. */
  end(): string {
    const hash = this.life?.journalHash() ?? '';
    this.life?.crash();
    this.life = null;
    this.journal.close();
    this.transfers.close();
    return hash;
  }

  private transferViolations(): readonly Violation[] {
    const { world, coverage } = this.options;
    const made = madeTransfers(world.exchange, BOT_USER);
    const { violations, unknown } = this.transfers.judge({
      made,
      spoiled: this.mutator?.spoiledTransfers ?? NONE_REFUSED,
      strategy: TREASURER.name,
    });
    for (const key of unknown)
      coverage.count(`unknown transfers that were ${made.has(key) ? 'made' : 'not made'}`);
    return violations;
  }

  private createLife(swarm: Swarm): BotLife {
    const { world } = this.options;
    return new BotLife({
      world,
      machine: this.machine,
      dice: this.dice,
      logsIn: swarm.logsIn,
      mutator: this.mutator,
      createEngine: (state, nowMs) => {
        const onVandal = (act: VandalAct): void => this.onVandal(act);
        this.engine = createBotEngine({ seed: swarm.seed, markets: world.rules, onVandal }, state, nowMs);
        return this.engine;
      },
      witnesses: [
        this.journal,
        this.transfers,
        this.lockouts,
        this.lowered,
        this.foreign,
        this.overlap,
        this.freshness,
      ],
      diesAt: (point, isChange) => {
        const factor = isChange || this.options.coverage.isSettling() ? LIKELY_FACTOR : 1;
        return this.mayCrash && this.dice.happens(swarm.crashes[point] * factor);
      },
      onStep: (event, output) => this.watch(event, output),
      onDeath: (cause, error) => this.died(cause, error),
    });
  }

  private onVandal(act: VandalAct): void {
    this.options.coverage.count(`strategy ${act}`);
    if (act === 'loops') this.life?.stop(LOOP_MS);
  }

  private acceptedId(clientOrderId: string): number | null {
    return (
      this.options.world.bot.orders.values().find((order) => order.clientOrderId === clientOrderId)?.id ??
      null
    );
  }

  /** Somebody else was at the account. */
  disturbed(): void {
    this.funds.disturbed(this.options.world.time.now());
  }

  /** Not where replies lie about what is there, or the mirror forgets what was. */
  private get canJudgeFunds(): boolean {
    const { wrongReplies, putBack } = this.options.swarm;
    return wrongReplies === null && putBack === null;
  }

  private fundsOf(currency: string): TrueFunds {
    const { exchange, bot } = this.options.world;
    const wallet = exchange.accounts.walletsOf(BOT_USER).find((one) => one.currency === currency);
    const own = bot.open
      .values()
      .filter(
        ({ clientOrderId, payingWallet }) =>
          clientOrderId?.startsWith(`${INSTANCE}-`) === true && payingWallet.currency === currency,
      );
    return { total: wallet?.total ?? 0n, heldByOwn: own.reduce((sum, { held }) => sum + held, 0n) };
  }

  private died(cause: string, error: unknown): void {
    const { world, swarm, coverage, events } = this.options;
    this.life = null;
    this.brackets.hold('dead or not ready', true, world.time.now());
    coverage.crash(cause);
    if (this.locks.isLocked) coverage.count('crash in a lock');
    this.locks.died();
    events.say(world.time.now(), `dies ${cause}`);
    if (cause === 'mistake') {
      this.mistakes.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
      if (this.mistakes.length >= MOST_MISTAKES) return;
    }
    const [least, most] = swarm.restartMs;
    world.time.at(world.time.now() + this.dice.logUniform(least, most), () => this.begin());
  }

  /** Dies soon after what has just begun, in a share of the cases. */
  private crashAfter({ where, share, leastMs, mostMs }: LikelyCrash): void {
    const { world, swarm } = this.options;
    const dice = Dice.of(swarm.seed, `${where} ${world.time.now()}`);
    if (!this.mayCrash || !dice.happens(share)) return;
    world.time.at(world.time.now() + dice.logUniform(leastMs, mostMs), () => {
      if (this.mayCrash) this.crash(where);
    });
  }

  private watchTransfers(event: EngineEvent, output: EngineOutput): void {
    const { coverage, swarm } = this.options;
    for (const word of coverage.transfers.step(event, output)) {
      coverage.count(word);
      if (word === 'intent transfer working' && coverage.transfers.isUnderWay) this.crashAfter(IN_TRANSFER);
    }
    // Whoever accepts what was lost before it was found would hide it.
    if (swarm.lossesAtMs.length === 0 && coverage.transfers.isUnknown) this.callPerson();
  }

  private callPerson(): void {
    const { world, swarm } = this.options;
    if (this.isPersonComing || !this.mayCrash) return;
    this.isPersonComing = true;
    const dice = Dice.of(swarm.seed, `person ${world.time.now()}`);
    world.time.at(world.time.now() + dice.logUniform(...PERSON_MS), () => {
      this.isPersonComing = false;
      if (!this.mayCrash) return;
      if (this.life === null) this.callPerson();
      else this.control({ kind: 'accept-balances' });
    });
  }

  /** What keeps exits from being placed is looked for at each step, which costs little. */
  private watchBrackets(event: EngineEvent, output: EngineOutput): void {
    const nowMs = this.options.world.time.now();
    const { brackets, engine } = this;
    if (event.kind === 'answer' && (isLimit(event.answer) || event.answer.outcome === 'failed'))
      this.mayBeLockedOut = true;
    if (this.mayBeLockedOut) this.mayBeLockedOut = this.isLockedOut();
    brackets.hold('locked out', this.mayBeLockedOut, nowMs);
    brackets.hold('dead or not ready', engine === null || engine.closedReason() !== null, nowMs);
    brackets.take(output, nowMs);
  }

  private watch(event: EngineEvent, output: EngineOutput): void {
    const { world, coverage, events } = this.options;
    events.step(event, output, world.time.now());
    if (this.engine !== null) {
      this.vandal.watch(this.engine, output, world.time.now());
      if (event.kind !== 'opens') this.locks.watch(this.engine, output, event.atMs);
    }
    if (this.engine !== null && this.universe !== null) {
      for (const told of this.universe.watch(this.engine, event, output, world.time.now())) {
        coverage.universe(told);
        if (told.left.some((market) => told.kept.includes(market))) this.crashAfter(IN_LEFT);
      }
    }
    this.rejections.watch(
      output,
      { idOf: (name) => this.acceptedId(name), refused: this.refusedNames },
      world.time.now(),
    );
    if (this.options.swarm.putBack === null) this.shares.watch(output);
    if (this.canJudgeFunds) this.funds.watch(output, (currency) => this.fundsOf(currency), world.time.now());
    if (event.kind === 'answer') {
      coverage.answer(event.answer);
      if (isLimit(event.answer)) this.crashAfter(IN_LOCKOUT);
    }
    this.watchBrackets(event, output);
    this.watchTransfers(event, output);
    for (const change of output.changes) {
      if (change.kind === 'order') coverage.order(change.order);
      else if (change.kind === 'journal' && change.entry.kind === 'finding') coverage.finding(change.entry);
      else if (change.kind === 'journal' && change.entry.kind === 'strategy')
        coverage.count(`strategy ${change.entry.subject === 'vandal' ? 'vandal' : 'other'} failed`);
      else if (change.kind === 'fill')
        coverage.count(change.fill.orderKey === null ? 'foreign fills' : 'fills');
      else if (change.kind === 'intent') coverage.intent(change.intent);
      else if (
        change.kind === 'journal' &&
        change.entry.kind === 'reconciliation' &&
        change.entry.subject === 'break'
      ) {
        this.options.onBreak();
        coverage.count('breaks');
      }
    }
  }
}
