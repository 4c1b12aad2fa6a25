import type { LedgerStore } from '../budget/store.ts';
import { BotShell, type Stepper, type ChangeStore } from '../daemon/bot-shell.ts';
import { RunRecord, type RunBeginning } from '../daemon/run-record.ts';
import type { EngineOutput, ControlCommand, EngineEvent } from '../engine/engine-event.ts';
import type { MirrorState } from '../engine/mirror-change.ts';
import { MirrorStore } from '../mirror/mirror-store.ts';
import { DEFAULT_RETENTION } from '../mirror/pruner.ts';
import { OffsetTime, ProcessTime } from '../virtual/process-time.ts';
import type { SlowProcess } from './slow-machine.ts';
import { writeFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import { Dice } from './dice.ts';
import { openExchangeRoute, type ExchangeRouteOptions } from './exchange-route.ts';
import type { CrashPoint } from './swarm.ts';
import type { Limiter } from '../budget/limiter.ts';
import { routedTo, type OtherVenue } from '../venues/other-venues.ts';
import type { RequestClass } from '../domain/rate-limit.ts';
import { CHANGING_CALLS } from '../venues/port.ts';

interface BotLifeOptions extends Pick<
  ExchangeRouteOptions,
  'world' | 'machine' | 'dice' | 'logsIn' | 'mutator' | 'witnesses'
> {
  /** Called with the time of the request of each book of another exchange that was read. */
  readonly onOtherRead: (askedAtMs: number) => void;
  /** Returns the effects of a slow machine on a process; null if the machine is not slow. */
  readonly slowProcess: (process: ProcessTime) => SlowProcess | null;
  readonly createEngine: (state: MirrorState, nowMs: number) => Stepper;
  /** Decides at each crash point if the process dies there. */
  readonly diesAt: (point: CrashPoint, isChange: boolean) => boolean;
  readonly onStep: (event: EngineEvent, output: EngineOutput) => void;
  readonly onBeat: () => void;
  /** Called after a death at a crash point or by an error. */
  readonly onDeath: (cause: CrashPoint | 'mistake', error: unknown) => void;
}

/**
 * One life of the bot: from the files on the disk to a crash. It consists of the daemon's own parts, with
 * virtual time for timers and a link for sockets. Requests that it has sent still arrive; changes that it had
 * not written are lost.
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
    const routed = routedTo({ ...route, limiterMs: () => this.time.now() }, this.openOthers());
    this.shell = new BotShell({
      engine: mortalEngine(options.createEngine(this.mirror.load(), engineTime.now()), mortal),
      store: mortalStore(this.mirror, mortal),
      limiter: mortalLimiter(routed.limiter, mortal),
      caller: routed.caller,
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

  /** Stops the process for some time. */
  stop(durationMs: number): void {
    this.time.stop(durationMs);
  }

  /** Passes a command to the bot. `then` is called once it is on the disk, unless the bot dies before. */
  control(command: ControlCommand, then: () => void = () => {}): void {
    this.time.at(this.time.now(), () => {
      this.shell.control(command);
      if (!this.isDead) then();
    });
  }

  /** Ends the process at once. */
  crash(): void {
    if (this.isDead) return;
    this.time.kill();
    this.options.machine.deadOwners.add(this.owner);
    this.mirror.abandon();
    this.ledger.close();
  }

  /** Ends the life at the end of a run, with its orders left open. */
  end(): void {
    this.record?.[Symbol.dispose]();
    this.crash();
  }

  /** True if a budget that the bot uses, or its account, is locked out. */
  isLockedOut(): boolean {
    const nowMs = this.time.now();
    return this.budgets.some(
      (budget) => this.ledger.heldUntil({ budget, credential: 'with' }, nowMs) !== null,
    );
  }

  /** Returns the SHA-256 of the journal. */
  journalHash(): string {
    return this.mirror.journalHash();
  }

  private openOthers(): readonly OtherVenue[] {
    const { world, onOtherRead: onRead } = this.options;
    return world.other === null
      ? []
      : [world.other.open(this.time, { awake: async () => this.time.awake(), onRead })];
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
   * Decides at each crash point if the process dies there. `isChange`: true during a request that changes the
   * exchange, where a death does the most harm.
   */
  readonly diesAt: (point: CrashPoint, isChange: boolean) => boolean;
  /** Ends the process at once, for a crash point. */
  readonly die: (point: CrashPoint) => void;
  readonly onStep: (event: EngineEvent, output: EngineOutput) => void;
}

/** Thrown when the process has just died, so that no code after it runs. */
class Death extends Error {
  override readonly name = 'Death';
}

function dieAt(point: CrashPoint, options: CrashOptions): never {
  options.die(point);
  throw new Death(point);
}

const CHANGING_CLASSES: ReadonlySet<RequestClass> = new Set(['exit', 'place', 'cancel']);

/** Wraps an engine so that it may die at an answer, before it has applied it. */
function mortalEngine(engine: Stepper, options: CrashOptions): Stepper {
  const changing = new Set<number>();
  return {
    step(event) {
      if (event.kind === 'answer' && options.diesAt('at an answer', changing.delete(event.requestId)))
        return dieAt('at an answer', options);
      const output = engine.step(event);
      for (const { id, call } of output.requests) if (CHANGING_CALLS.has(call.kind)) changing.add(id);
      options.onStep(event, output);
      return output;
    },
  };
}

/** Wraps a store so that the process may die before or after a durable commit. */
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

/** Wraps a limiter so that the process may die between requests: the remaining ones are never sent. */
function mortalLimiter(limiter: Limiter, options: CrashOptions): Limiter {
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

/** A crash that chance rarely meets: the share of its events that it follows, and the delay in ms. */
export interface LikelyCrash {
  readonly where: string;
  readonly share: number;
  readonly leastMs: number;
  readonly mostMs: number;
}

/** Crash during a lockout: the next life must know of the lockout. */
export const IN_LOCKOUT: LikelyCrash = { where: 'in a lockout', share: 0.4, leastMs: 500, mostMs: 120_000 };

/** Crash after a lock: locks are short here, and the next life must know of them in any case. */
export const IN_LOCK: LikelyCrash = { where: 'after a lock began', share: 0.2, leastMs: 1, mostMs: 20_000 };

/** Crash during a manual close: the position is closed completely, also by the next life. */
export const IN_CLOSE: LikelyCrash = { where: 'amid a close', share: 0.4, leastMs: 1, mostMs: 5_000 };

/** Crash soon after a person approved an entry. */
export const IN_APPROVAL: LikelyCrash = {
  where: 'after an approval',
  share: 0.2,
  leastMs: 1,
  mostMs: 5_000,
};

/** Crash after a signal: its effects are on the disk before anything else happens. */
export const IN_SIGNAL: LikelyCrash = { where: 'after a signal', share: 0.1, leastMs: 1, mostMs: 900 };

/** Crash during a transfer, which takes only moments: the next life must know as much of it. */
export const IN_TRANSFER: LikelyCrash = { where: 'amid a transfer', share: 0.15, leastMs: 1, mostMs: 200 };

/** Crash after a held market was left: its holding is soon sold, and the next life must follow it. */
export const IN_LEFT: LikelyCrash = {
  where: 'after a held market left',
  share: 0.5,
  leastMs: 500,
  mostMs: 10_000,
};

/** Share of the seeds whose first start is killed while it creates its files. */
const HALF_MADE_SHARE = 0.3;

/** Application id of a mirror, "sarr" in ASCII, which is written before anything else. */
const MIRROR_MARK = 0x73617272;

/**
 * Leaves the bot's files as a first start would that is killed while it creates them: in some seeds, and each
 * file missing, empty or without tables. Returns a description of them.
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
