import { wrongHoldings } from './checkers/position-checker.ts';
import { copyFileSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type {
  EngineOutput,
  ControlCommand,
  DrainPolicy,
  EngineEvent,
  SignalCommand,
} from '../engine/engine-event.ts';
import type { Engine } from '../engine/engine.ts';
import { english, inEnglish } from '../language/sentence.ts';
import { forgetPlace } from '../mirror/identity.ts';
import { BotCheckers } from './bot-checkers.ts';
import { createBotEngine } from './bot-engine.ts';
import { BotLife, IN_LOCKOUT, IN_SIGNAL, IN_TRANSFER, leaveHalfMade, type LikelyCrash } from './bot-life.ts';
import { type BotMachine, slowProcess, type SlowProcess } from './slow-machine.ts';
import { checkDrain, drainBeginning, type DrainBeginning } from './checkers/budget-checker.ts';
import type { ProcessTime } from '../virtual/process-time.ts';
import { type ExchangeTruth, readAlgorithmsAtWork, type Violation } from './checkers/exchange-truth.ts';
import { isBreak, isLimit, type Coverage } from './coverage.ts';
import { Dice } from './dice.ts';
import type { EventLog } from './event-log.ts';
import { ReplyMutator } from './reply-mutator.ts';
import { SignalDesk } from './people.ts';
import type { Swarm } from './swarm.ts';
import type { VandalAct } from './vandal.ts';
import { type PlannedAbsence, WatchdogRun } from './watchdog-run.ts';
import type { FuzzWorld } from './world.ts';

interface BotOptions {
  readonly world: FuzzWorld;
  readonly swarm: Swarm;
  /** Folder of mirror and ledger. */
  readonly folder: string;
  readonly coverage: Coverage;
  readonly events: EventLog;
  /** Called when the engine found that the books differ from the exchange. */
  readonly onBreak: () => void;
}

/** Share of the lives that start with a mirror of version 4. */
const OLD_SHARE = 0.1;

/** Deaths by an error after which a bot is not restarted: it would die again of the same error. */
const MOST_MISTAKES = 3;

/** Factor by which a crash is likelier during a request that changes something, or while an order settles. */
const LIKELY_FACTOR = 15;

/** Range of the time from a report of an unknown transfer until a person accepts the wallets. */
const PERSON_MS = [60_000, 1_800_000] as const;

/** Time after which a strategy that does not return is ended, in ms; the bot stands still until then. */
const LOOP_MS = 5_000;

/** Largest error of the system clock in ms, even after many steps. */
const LARGEST_OFFSET_MS = 15_000;

/** The bot over all its lives: restarted from the disk after each crash, until the run ends. */
export class Bot {
  readonly mirrorPath: string;
  /** Errors that ended a life without a planned crash. */
  readonly mistakes: string[] = [];
  private readonly options: BotOptions;
  /** True if a person is going to check an unknown transfer. */
  private isPersonComing = false;
  private readonly dice: Dice;
  private readonly beganMs: number;
  private readonly machine: BotMachine;
  private readonly mutator: ReplyMutator | null;
  readonly checkers: BotCheckers;
  private readonly desk: SignalDesk;
  /** Watchdog of the bot; null in a run without one. */
  readonly watchdog: WatchdogRun | null;
  private life: BotLife | null = null;
  private engine: Engine | null = null;
  private drained: DrainBeginning | null = null;
  private mayCrash = true;

  constructor(options: BotOptions) {
    this.options = options;
    this.dice = Dice.of(options.swarm.seed, 'bot');
    this.beganMs = options.world.time.now();
    this.mirrorPath = join(options.folder, 'mirror.sqlite');
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
              this.checkers.brackets.excuses.push({ fromMs: nowMs, toMs: nowMs });
              options.events.log(options.world.time.now(), what);
            },
          });
    this.checkers = new BotCheckers({
      ...options,
      mirrorPath: this.mirrorPath,
      mutator: this.mutator,
      onMoment: (crash) => this.crashAfter(crash),
    });
    this.desk = new SignalDesk((command, reply) => {
      options.coverage.count(`signal ${reply.code}`);
      this.checkers.signals.replied(command.id, reply);
      if (reply.code === 'told') this.crashAfter(IN_SIGNAL);
    });
    this.machine = {
      mirrorPath: this.mirrorPath,
      ledgerPath: join(options.folder, 'ledger.sqlite'),
      heartbeatFolder: options.swarm.watchdog === null ? null : options.folder,
      wallOffsetMs: 0,
      deadOwners: new Set(),
      lives: 0,
    };
    this.watchdog = this.createWatchdog();
  }

  /** Begins a life, unless one is running. */
  begin(): void {
    if (this.life !== null) return;
    const { world, swarm, events } = this.options;
    events.log(world.time.now(), `life ${this.machine.lives + 1} begins`);
    this.ageMirror();
    const atWork = readAlgorithmsAtWork(this.mirrorPath);
    this.checkers.brackets.begin(atWork);
    this.watchdog?.checker.bot.begins(world.time.now());
    try {
      this.life = this.createLife(swarm);
      const found = readAlgorithmsAtWork(this.mirrorPath);
      const lost = [...atWork].filter((id) => !found.has(id));
      if (lost.length > 0)
        throw new Error(
          `expected all algorithms to outlive the restart, found those of ${lost.join(', ')} gone`,
        );
      this.life.start();
      for (const posted of this.desk.commands(world.time.now())) this.give(posted);
    } catch (error) {
      this.died('mistake', error);
    }
  }

  /** Crashes the bot. `goneMs`: length of its absence; drawn if omitted. */
  crash(where: string, goneMs?: number): void {
    if (this.life === null) return;
    this.life.crash();
    this.died(where, null, goneMs);
  }

  /** Makes the bot absent for a time, as planned for a run with a watchdog. */
  leave({ kind, forMs }: PlannedAbsence): void {
    if (this.life === null || !this.mayCrash) return;
    this.options.coverage.count(`absence: ${kind}`);
    if (kind === 'stands still') this.stop(forMs);
    else if (kind === 'killed') this.crash('for a while', forMs);
    else {
      this.life.end();
      this.watchdog?.checker.bot.ends(this.options.world.time.now(), true);
      this.died('after an end in order', null, forMs);
    }
  }

  stop(durationMs: number): void {
    const { world, events, coverage } = this.options;
    if (this.life === null) return;
    this.checkers.brackets.excuses.push({ fromMs: world.time.now(), toMs: world.time.now() + durationMs });
    events.log(world.time.now(), `stands still for ${durationMs} ms`);
    coverage.count('stops');
    this.watchdog?.checker.bot.stands(world.time.now(), durationMs);
    this.life.stop(durationMs);
  }

  stepClock(byMs: number): void {
    const { world, events, coverage } = this.options;
    this.checkers.brackets.excuses.push({ fromMs: world.time.now(), toMs: world.time.now() });
    const offsetMs = this.machine.wallOffsetMs + byMs;
    this.machine.wallOffsetMs = Math.max(-LARGEST_OFFSET_MS, Math.min(LARGEST_OFFSET_MS, offsetMs));
    events.log(world.time.now(), `the wall clock is off by ${this.machine.wallOffsetMs} ms`);
    coverage.count('clock steps');
  }

  /** Ends the run in order, and stores the state at the beginning of that. */
  drain(openOrders: DrainPolicy): void {
    if (this.life === null || this.engine === null) return;
    this.options.coverage.count(`drain ${openOrders}`);
    this.checkers.brackets.endAll(this.options.world.time.now());
    this.drained = drainBeginning(this.engine, openOrders);
    this.checkers.locks.hasCanceled = false;
    this.life.control({ kind: 'drain', openOrders });
  }

  /** Copies the mirror, as for a backup. */
  copyMirror(): void {
    if (!existsSync(this.mirrorPath)) return;
    const database = new Database(this.mirrorPath, { readonly: true });
    database.prepare('VACUUM INTO ?').run(this.copyPath);
    database.close();
    if (this.isRestoredByCommand) {
      const copy = new Database(this.copyPath);
      forgetPlace(copy);
      copy.close();
    }
    this.options.events.log(this.options.world.time.now(), 'the mirror is copied');
  }

  /** Sometimes turns the mirror into that of an older sarraf, which had reasons as English sentences. */
  private ageMirror(): void {
    const { swarm, coverage, events, world } = this.options;
    const { lives } = this.machine;
    if (!existsSync(this.mirrorPath) || !Dice.of(swarm.seed, `old mirror ${lives}`).happens(OLD_SHARE))
      return;
    const database = new Database(this.mirrorPath);
    database.pragma('synchronous = OFF');
    database.function('in_english', (text) => english(String(text)));
    database.function('all_in_english', (json) => JSON.stringify(inEnglish(JSON.parse(String(json)))));
    database.exec(`
      UPDATE orders SET reason = in_english(reason) WHERE reason IS NOT NULL;
      UPDATE intents SET reason = in_english(reason) WHERE reason IS NOT NULL;
      UPDATE strategies SET reason = in_english(reason) WHERE reason IS NOT NULL;
      UPDATE algorithms SET json = all_in_english(json) WHERE json LIKE '%"code%';
      UPDATE kept SET json = all_in_english(json) WHERE json LIKE '%"code%';
      UPDATE journal SET json = all_in_english(json) WHERE json LIKE '%"code%';
      ALTER TABLE orders DROP COLUMN arrival_bid;
      ALTER TABLE orders DROP COLUMN arrival_ask;
      ALTER TABLE fills DROP COLUMN fee_currency;
      ALTER TABLE fills DROP COLUMN fee_value;
      DROP TABLE trip_notes;
      DROP INDEX intents_waiting;
      DROP INDEX fills_by_time;
      ALTER TABLE intents DROP COLUMN approval;
      ALTER TABLE intents DROP COLUMN expires_at_ms;
      ALTER TABLE intents DROP COLUMN bound;
      ALTER TABLE intents DROP COLUMN best;
      ALTER TABLE intents DROP COLUMN value;
      ALTER TABLE intents DROP COLUMN decided_by;
      PRAGMA user_version = 4;`);
    database.close();
    coverage.count('mirror of version 4');
    events.log(world.time.now(), 'the mirror is that of an older version');
  }

  /** Replaces the mirror by its copy; everything written since is lost. */
  putBack(): void {
    const { world, coverage, events, swarm } = this.options;
    if (!existsSync(this.copyPath)) return;
    if (this.life !== null) this.watchdog?.checker.bot.ends(world.time.now());
    this.life?.crash();
    this.life = null;
    this.checkers.putBack();
    const mark = this.isRestoredByCommand ? ['.mark'] : [];
    for (const ending of ['', '-wal', '-shm', ...mark])
      rmSync(`${this.mirrorPath}${ending}`, { force: true });
    copyFileSync(this.copyPath, this.mirrorPath);
    coverage.count(this.isRestoredByCommand ? 'mirror restored' : 'mirror put back');
    events.log(world.time.now(), 'the mirror is put back from its copy');
    const [least, most] = swarm.restartMs;
    world.time.at(world.time.now() + this.dice.logUniform(least, most), () => this.begin());
  }

  /**
   * True for the half of the copies that are made and restored as `sarraf backup` and `sarraf restore` do it:
   * they are known as copies by themselves. The others are copied by hand, and known by the mark beside the
   * mirror.
   */
  private get isRestoredByCommand(): boolean {
    return (this.options.swarm.putBack?.copiedAtMs ?? 0) % 2 === 0;
  }

  private get copyPath(): string {
    return `${this.mirrorPath}.copy`;
  }

  control(command: ControlCommand): void {
    if (command.kind === 'accept-balances') this.checkers.transfers.accepted();
    this.life?.control(command);
  }

  /** Sends a signal, which stays posted until the bot has answered it. */
  signal(command: SignalCommand): void {
    const nowMs = this.options.world.time.now();
    this.desk.post(command, nowMs);
    for (const posted of this.desk.commands(nowMs, command.id)) this.give(posted);
  }

  private give(command: SignalCommand): void {
    this.life?.control(command, () => this.settleSignals());
  }

  /** Collects the answers to signals after a step: they are given once the step is on the disk. */
  private settleAfterStep(): void {
    const { time } = this.options.world;
    const { life } = this;
    time.at(time.now() + 1, () => {
      if (life !== null && this.life === life) this.settleSignals();
    });
  }

  private settleSignals(): void {
    const { engine } = this;
    if (engine !== null) this.desk.settle((command) => engine.signals.replyTo(command));
  }

  /** Returns the keys of its orders that may still trade, as far as it knows. */
  openOrders(): readonly string[] {
    return this.life === null ? [] : (this.engine?.liveOrderKeys() ?? []);
  }

  /** Returns the ids of the entries that wait for a person. */
  waitingEntries(): readonly string[] {
    return this.life === null ? [] : [...(this.engine?.approvals.waiting.keys() ?? [])];
  }

  /** Ends all crashes: the bot then lives until the end of the run. */
  endCrashes(): void {
    this.mayCrash = false;
    this.watchdog?.endCrashes();
    if (this.mutator !== null) this.mutator.isOn = false;
    this.options.world.standingBooks.isOn = false;
    if (this.options.world.other !== null) this.options.world.other.isOn = false;
    this.begin();
  }

  /** True if a budget or the account is locked out. */
  isLockedOut(): boolean {
    return this.life?.isLockedOut() ?? false;
  }

  /** True if a reply about a transfer was falsified. */
  get hasWrongTransfer(): boolean {
    return (this.mutator?.spoiledTransfers.size ?? 0) > 0;
  }

  /** Describes holdings of strategies that the engine and the mirror's rows differ in; null if none. */
  wrongHoldings(): string | null {
    return this.engine === null ? null : wrongHoldings(this.engine, this.mirrorPath);
  }

  /** Returns the violations in sent requests, over all lives. */
  violations(truth: ExchangeTruth): readonly Violation[] {
    const drain =
      this.drained === null
        ? null
        : checkDrain(truth, this.drained, {
            hasLockCanceled: this.checkers.locks.hasCanceled,
            idBehind: this.options.world.idBehind,
          });
    if (drain !== null) this.options.coverage.count('orders that a drain was judged by', drain.judged);
    this.settleSignals();
    return [
      ...this.checkers.violations(truth),
      ...(this.watchdog?.violations() ?? []),
      ...this.checkers.signals.violations(this.mirrorPath, this.desk.unanswered(), this.desk.repeated),
      ...(drain?.violations ?? []),
    ];
  }

  /** Closes the files; returns the hash of the journal, or an empty text if no life runs. */
  end(): string {
    const hash = this.life?.journalHash() ?? '';
    this.watchdog?.end();
    this.life?.crash();
    this.life = null;
    this.checkers.close();
    return hash;
  }

  private createWatchdog(): WatchdogRun | null {
    const { world, swarm, folder, coverage, events } = this.options;
    if (swarm.watchdog === null) return null;
    const { seed, logsIn, clockSkewMs, slowMachine, watchdog: plan } = swarm;
    return new WatchdogRun({
      world,
      machine: this.machine,
      heartbeatFolder: folder,
      seed,
      logsIn,
      clockSkewMs,
      isSlow: slowMachine !== null,
      plan,
      coverage,
      events,
      witnesses: this.checkers.accountWitnesses,
      onMistake: (error) => this.mistakes.push(stackOf(error)),
    });
  }

  private createLife(swarm: Swarm): BotLife {
    const { world } = this.options;
    this.checkers.begins();
    if (this.machine.lives === 0)
      for (const left of leaveHalfMade(swarm.seed, this.machine)) {
        this.options.coverage.count('first start killed');
        this.options.events.log(world.time.now(), left);
      }
    return new BotLife({
      world,
      machine: this.machine,
      dice: this.dice,
      logsIn: swarm.logsIn,
      mutator: this.mutator,
      slowProcess: (process) => this.slowProcess(process),
      createEngine: (state, nowMs) => {
        const onVandal = (act: VandalAct): void => this.onVandal(act);
        this.engine = createBotEngine(
          { seed: swarm.seed, markets: world.rules, onVandal, tested: world.tested },
          state,
          nowMs,
        );
        return this.engine;
      },
      witnesses: this.checkers.witnesses,
      diesAt: (point, isChange) => {
        const factor = isChange || this.options.coverage.isSettling() ? LIKELY_FACTOR : 1;
        return this.mayCrash && this.dice.happens(swarm.crashes[point] * factor);
      },
      onOtherRead: (askedAtMs) => this.checkers.otherPrice.read(askedAtMs),
      onStep: (event, output) => this.watch(event, output),
      onBeat: () => this.watchdog?.checker.bot.turns(world.time.now()),
      onDeath: (cause, error) => this.died(cause, error),
    });
  }

  private slowProcess(process: ProcessTime): SlowProcess | null {
    const { swarm, world, coverage } = this.options;
    if (swarm.slowMachine === null) return null;
    coverage.count('lives on a slow machine');
    const dice = Dice.of(swarm.seed, `slow process ${this.machine.lives}`);
    const beganMs = this.beganMs;
    return slowProcess(swarm.slowMachine, { process, dice, runMs: () => world.time.now() - beganMs });
  }

  /** Starves the bot of processor time for some time. */
  starve(forMs: number): void {
    const { world, coverage, events } = this.options;
    const nowMs = world.time.now();
    coverage.count('starved');
    events.log(nowMs, `is starved for ${forMs} ms`);
    this.checkers.brackets.excuses.push({ fromMs: nowMs, toMs: nowMs + forMs });
  }

  private onVandal(act: VandalAct): void {
    this.options.coverage.count(`strategy ${act}`);
    if (act !== 'loops') return;
    this.watchdog?.checker.bot.stands(this.options.world.time.now(), LOOP_MS);
    this.life?.stop(LOOP_MS);
  }

  private died(cause: string, error: unknown, goneMs?: number): void {
    const { world, swarm, coverage, events } = this.options;
    this.life = null;
    coverage.crash(cause);
    this.watchdog?.checker.bot.ends(world.time.now());
    this.checkers.died();
    events.log(world.time.now(), `dies ${cause}`);
    if (cause === 'mistake') {
      this.mistakes.push(stackOf(error));
      if (this.mistakes.length >= MOST_MISTAKES) return;
    }
    const [least, most] = swarm.restartMs;
    const afterMs = goneMs ?? this.dice.logUniform(least, most);
    world.time.at(world.time.now() + afterMs, () => this.begin());
  }

  /** Crashes the bot soon after an event, in a share of the cases. */
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
      if (word === 'intent transfer working' && coverage.transfers.isInProgress) this.crashAfter(IN_TRANSFER);
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

  private watch(event: EngineEvent, output: EngineOutput): void {
    if (!this.desk.isEmpty) this.settleAfterStep();
    const { world, coverage, events } = this.options;
    events.step(event, output, world.time.now());
    this.checkers.watch(this.engine, { event, output }, () => this.isLockedOut());
    if (event.kind === 'answer') {
      coverage.answer(event.answer);
      if (isLimit(event.answer)) this.crashAfter(IN_LOCKOUT);
    }
    this.watchTransfers(event, output);
    for (const change of output.changes) {
      coverage.change(change);
      if (isBreak(change)) this.options.onBreak();
    }
  }
}

const stackOf = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error);
