import type { LedgerStore } from '../budget/store.ts';
import { BotShell, type Stepper, type ChangeStore } from '../daemon/bot-shell.ts';
import { RunRecord, type RunBeginning } from '../daemon/run-record.ts';
import type { EngineOutput } from '../engine/engine-command.ts';
import type { ControlCommand, EngineEvent } from '../engine/engine-event.ts';
import type { MirrorState } from '../engine/mirror-change.ts';
import { MirrorStore } from '../mirror/mirror-store.ts';
import { DEFAULT_RETENTION } from '../mirror/pruner.ts';
import { OffsetTime, ProcessTime } from '../virtual/process-time.ts';
import type { WireWitness } from './checkers/exchange-truth.ts';
import type { BotMachine, SlowProcess } from './slow-machine.ts';
import { writeFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import { Dice } from './dice.ts';
import { openExchangeRoute } from './exchange-route.ts';
import type { ReplyMutator } from './reply-mutator.ts';
import type { CrashPoint } from './swarm.ts';
import type { FuzzWorld } from './world.ts';
import type { Limiter, RequestLimiter } from '../budget/limiter.ts';
import type { RequestClass } from '../domain/rate-limit.ts';
import type { VenueCallKind } from '../venues/port.ts';

interface BotLifeOptions {
  readonly world: FuzzWorld;
  readonly machine: BotMachine;
  readonly dice: Dice;
  readonly logsIn: boolean;
  readonly mutator: ReplyMutator | null;
  /** Returns the effects of a slow machine on its process; null on one that is not slow. */
  readonly slowProcess: (process: ProcessTime) => SlowProcess | null;
  readonly createEngine: (state: MirrorState, nowMs: number) => Stepper;
  /** Called with what leaves for the exchange, and with its replies. */
  readonly witnesses: readonly WireWitness[];
  /** Asked at each point where the process may die. */
  readonly diesAt: (point: CrashPoint, isChange: boolean) => boolean;
  readonly onStep: (event: EngineEvent, output: EngineOutput) => void;
  readonly onBeat: () => void;
  /** It has died by itself, at a crash point or by an error. */
  readonly onDeath: (cause: CrashPoint | 'mistake', error: unknown) => void;
}

/**
 * One life of the bot: from the files on the disk to a crash. The daemon's own parts, with virtual time for
 * timers and a link for sockets. Requests that it has sent still arrive; what it had not written is lost.
 */
export class BotLife {
  private readonly options: BotLifeOptions;
  private readonly time: ProcessTime;
  private readonly owner: string;
  private readonly ledger: LedgerStore;
  private readonly mirror: MirrorStore;
  private readonly record: RunRecord | null;
  private readonly shell: BotShell;
  private readonly budgets: readonly string[];

  constructor(options: BotLifeOptions) {
    const { world, machine, logsIn } = options;
    this.options = options;
    this.time = new ProcessTime(world.time);
    machine.lives += 1;
    this.owner = `life ${machine.lives}`;
    this.record = this.beginRecord();
    const slow = options.slowProcess(this.time);
    const route = openExchangeRoute({ ...options, owner: this.owner, time: this.time, slow });
    this.budgets = route.budgets;
    this.ledger = route.ledger;
    // A process reads the system clock once; from then on its own time only advances.
    const engineTime = new OffsetTime(this.time, machine.wallOffsetMs);
    this.mirror = this.openMirror(engineTime.now());
    const mortal = { ...options, time: this.time, die: (point: CrashPoint) => this.die(point, null) };
    this.shell = new BotShell({
      engine: mortalEngine(options.createEngine(this.mirror.load(), engineTime.now()), mortal),
      store: mortalStore(this.mirror, mortal),
      limiter: mortalLimiter(route.limiter, mortal),
      caller: route.caller,
      commits: slow?.commits,
      time: engineTime,
      limiterMs: () => this.time.now(),
      canLogIn: logsIn,
      onNotices: () => {},
    });
    void this.shell.failure.catch((error: unknown) => {
      if (!(error instanceof Death)) this.die('mistake', error);
    });
  }

  get isDead(): boolean {
    return this.time.isDead;
  }

  start(): void {
    this.time.at(this.time.now(), () => this.shell.start());
  }

  /** Stands still. */
  stop(durationMs: number): void {
    this.time.stop(durationMs);
  }

  /** `then` is called once it is on the disk, unless the bot dies over it. */
  control(command: ControlCommand, then: () => void = () => {}): void {
    this.time.at(this.time.now(), () => {
      this.shell.control(command);
      if (!this.isDead) then();
    });
  }

  /** Ends it at once. */
  crash(): void {
    if (this.isDead) return;
    this.time.kill();
    this.options.machine.deadOwners.add(this.owner);
    this.mirror.abandon();
    this.ledger.close();
  }

  /** Ends it as a run ends that nobody wants any more, with its orders left open. */
  end(): void {
    this.record?.[Symbol.dispose]();
    this.crash();
  }

  /** True if a budget that the bot uses, or its account, is locked out now. */
  isLockedOut(): boolean {
    const nowMs = this.time.now();
    return this.budgets.some(
      (budget) => this.ledger.heldUntil({ budget, credential: 'with' }, nowMs) !== null,
    );
  }

  /** SHA-256 of the journal. */
  journalHash(): string {
    return this.mirror.journalHash();
  }

  private beginRecord(): RunRecord | null {
    const { world, machine } = this.options;
    if (machine.heartbeatFolder === null) return null;
    const beginning: RunBeginning = { mode: 'live', instance: 'bot', strategies: [] };
    return new RunRecord(machine.heartbeatFolder, beginning, {
      pid: machine.lives,
      wallMs: () => world.time.now() + machine.wallOffsetMs,
      every: (ms, work) => this.every(ms, work),
    });
  }

  private every(ms: number, work: () => void): () => void {
    let isOver = false;
    const again = (): void => {
      this.time.at(this.time.now() + ms, () => {
        if (isOver) return;
        work();
        this.options.onBeat();
        again();
      });
    };
    again();
    return () => {
      isOver = true;
    };
  }

  private openMirror(nowMs: number): MirrorStore {
    return MirrorStore.open({
      path: this.options.machine.mirrorPath,
      retention: DEFAULT_RETENTION,
      nowMs,
      epoch: () => this.drawEpoch(),
      durability: 'full',
    });
  }

  private die(cause: CrashPoint | 'mistake', error: unknown): void {
    if (this.isDead) return;
    this.crash();
    this.options.onDeath(cause, error);
  }

  private drawEpoch(): string {
    const letters = 'abcdefghijklmnopqrstuvwxyz0123456789';
    return Array.from({ length: 4 }, () => letters[this.options.dice.integer(0, letters.length - 1)]).join(
      '',
    );
  }
}

interface CrashOptions {
  readonly time: ProcessTime;
  /**
   * Asked at each point where the process may die. `isChange`: amid something that changes the exchange,
   * where a death hurts most.
   */
  readonly diesAt: (point: CrashPoint, isChange: boolean) => boolean;
  /** Ends the process at once. */
  readonly die: (point: CrashPoint) => void;
  readonly onStep: (event: EngineEvent, output: EngineOutput) => void;
}

/** Thrown where the process has just died: nothing after it is done any more. */
class Death extends Error {
  override readonly name = 'Death';
}

function dieAt(point: CrashPoint, options: CrashOptions): never {
  options.die(point);
  throw new Death(point);
}

const CHANGING: ReadonlySet<VenueCallKind> = new Set([
  'place',
  'place-oco',
  'cancel',
  'cancel-old',
  'transfer',
]);
const CHANGING_CLASSES: ReadonlySet<RequestClass> = new Set(['exit', 'place', 'cancel']);

/** An engine that may die when an answer comes, before it has taken it in. */
function mortalEngine(engine: Stepper, options: CrashOptions): Stepper {
  const changing = new Set<number>();
  return {
    step(event) {
      if (event.kind === 'answer' && options.diesAt('at an answer', changing.delete(event.requestId))) {
        return dieAt('at an answer', options);
      }
      const output = engine.step(event);
      for (const { id, call } of output.requests) if (CHANGING.has(call.kind)) changing.add(id);
      options.onStep(event, output);
      return output;
    },
  };
}

/** A store around whose durable commits the process may die. */
function mortalStore(store: ChangeStore, options: CrashOptions): ChangeStore {
  return {
    apply(changes, how) {
      if (how.isDurable && options.diesAt('before the commit', false))
        return dieAt('before the commit', options);
      store.apply(changes, how);
      if (how.isDurable && options.diesAt('after the commit', false))
        return dieAt('after the commit', options);
    },
    flush: () => store.flush?.(),
    isRunningOut: () => store.isRunningOut(),
  };
}

/** A limiter between whose requests the process may die: those passed on may have left, the rest never do. */
function mortalLimiter(limiter: RequestLimiter, options: CrashOptions): Limiter {
  return {
    submit(call) {
      if (options.time.isDead) return;
      limiter.submit(call);
      const isChange = CHANGING_CLASSES.has(call.requestClass);
      if (options.diesAt('amid the requests', isChange)) options.die('amid the requests');
    },
    close: async () => limiter.close(),
  };
}

/** A death that is rare by chance: how often it comes after what it is to meet, and how long after. */
export interface LikelyCrash {
  readonly where: string;
  readonly share: number;
  readonly leastMs: number;
  readonly mostMs: number;
}

/** The next life must know of the lockout. */
export const IN_LOCKOUT: LikelyCrash = { where: 'in a lockout', share: 0.4, leastMs: 500, mostMs: 120_000 };

/**
 * Locks are short here, and the next life must know of them: also where the process dies before it writes
 * again.
 */
export const IN_LOCK: LikelyCrash = { where: 'after a lock began', share: 0.2, leastMs: 1, mostMs: 20_000 };

/** A position that a person closes is closed to its end, also by the next life. */
export const IN_CLOSE: LikelyCrash = { where: 'amid a close', share: 0.4, leastMs: 1, mostMs: 5_000 };

/** Crash after a signal: its effects are on the disk before anything else. */
export const IN_SIGNAL: LikelyCrash = { where: 'after a signal', share: 0.1, leastMs: 1, mostMs: 900 };

/** A transfer is on its way for the blink of an eye, and the next life must not know less of it. */
export const IN_TRANSFER: LikelyCrash = { where: 'amid a transfer', share: 0.15, leastMs: 1, mostMs: 200 };

/** Crash after a held market left: the holding there is soon sold, and the next life must follow it. */
export const IN_LEFT: LikelyCrash = {
  where: 'after a held market left',
  share: 0.5,
  leastMs: 500,
  mostMs: 10_000,
};

/** Share of the seeds whose first start is killed while it makes its files. */
const HALF_MADE_SHARE = 0.3;

/** "sarr" in ASCII: the mark of a mirror, which is written before anything else of it. */
const MIRROR_MARK = 0x73617272;

/**
 * Leaves the files of a bot as its very first start leaves them that is killed while it makes them: in some
 * seeds, and of each file none, one without bytes, or one without tables. Answers what it left, in words.
 */
export function leaveHalfMade(
  seed: number,
  { mirrorPath, ledgerPath }: { readonly mirrorPath: string; readonly ledgerPath: string },
): readonly string[] {
  const dice = Dice.of(seed, 'first start');
  if (!dice.happens(HALF_MADE_SHARE)) return [];
  return [mirrorPath, ledgerPath].flatMap((path) => {
    const stage = dice.pick(['nothing', 'no bytes', 'no tables'] as const) ?? 'nothing';
    if (stage === 'nothing') return [];
    writeFileSync(path, '');
    if (stage === 'no tables') {
      const database = new Database(path);
      if (path === mirrorPath) database.pragma(`application_id = ${MIRROR_MARK}`);
      database.pragma('journal_mode = WAL');
      database.close();
    }
    return [`first start killed: ${path === mirrorPath ? 'mirror' : 'ledger'} with ${stage}`];
  });
}
