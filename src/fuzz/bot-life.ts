import { LedgerStore, type StoredBudget } from '../budget/store.ts';
import type { RequestLimiter } from '../budget/limiter.ts';
import { createVenueCaller, type VenueCaller } from '../daemon/venue-caller.ts';
import type { EngineOutput, EngineRequest } from '../engine/engine-command.ts';
import type { ControlCommand, EngineEvent } from '../engine/engine-event.ts';
import type { MirrorState } from '../engine/mirror-change.ts';
import { MirrorStore } from '../mirror/mirror-store.ts';
import { DEFAULT_RETENTION } from '../mirror/retention.ts';
import { ProcessTime } from '../virtual/process-time.ts';
import type { Cancel } from '../virtual/virtual-time.ts';
import { createVirtualLimiter } from '../virtual/virtual-limiter.ts';
import { createBotClient } from './bot-client.ts';
import type { Dice } from './dice.ts';
import { Link } from './link.ts';
import { sendRequest } from './request-sender.ts';
import type { CrashPoint } from './swarm.ts';
import type { FuzzWorld } from './world.ts';

/** What decides: the engine, or something that stands in for it. */
export interface Stepper {
  step(event: EngineEvent): EngineOutput;
}

/** What outlives a process: the files, and the machine's clock. */
export interface BotMachine {
  readonly mirrorPath: string;
  readonly ledgerPath: string;
  /** Of the wall clock against the true time; stepped by the swarm. */
  wallOffsetMs: number;
  /** Owners of ledger slots whose process is gone. */
  readonly deadOwners: Set<string>;
  /** Lives so far, this one included. */
  lives: number;
}

export interface BotLifeOptions {
  readonly world: FuzzWorld;
  readonly machine: BotMachine;
  readonly dice: Dice;
  readonly logsIn: boolean;
  readonly createEngine: (state: MirrorState, nowMs: number) => Stepper;
  /** Asked at each point where the process may die. */
  readonly diesAt: (point: CrashPoint) => boolean;
  readonly onStep: (event: EngineEvent, output: EngineOutput) => void;
  /** It has died by itself, at a point or of a mistake. */
  readonly onDeath: (cause: CrashPoint | 'mistake', error: unknown) => void;
}

/** From an admission to the send: what the executor's own timers take. */
const MOST_START_MS = 4;
const FLUSH_EVERY_MS = 1_000;

/**
 * One life of the bot: from what is on the disk to a crash. The same parts as the daemon's, with virtual time for timers and a link for sockets. What
 * it has sent goes on without it; what it had not written is lost.
 */
export class BotLife {
  private readonly options: BotLifeOptions;
  private readonly time: ProcessTime;
  private readonly owner: string;
  private readonly ledger: LedgerStore;
  private readonly mirror: MirrorStore;
  private readonly limiter: RequestLimiter;
  private readonly caller: VenueCaller;
  private readonly engine: Stepper;
  private readonly clockOffsetMs: number;
  private readonly budgets: readonly string[];
  private cancelWake: Cancel | null = null;

  constructor(options: BotLifeOptions) {
    const { world, machine, dice, logsIn } = options;
    this.options = options;
    this.time = new ProcessTime(world.time);
    // A process reads the wall clock once; from then on its own time only goes on.
    this.clockOffsetMs = machine.wallOffsetMs;
    machine.lives += 1;
    this.owner = `life ${machine.lives}`;
    const client = createBotClient({
      transport: new Link({ world, process: this.time, dice }),
      logsIn,
      wallMs: () => world.time.now() + machine.wallOffsetMs,
      nowMs: () => this.time.now(),
      limiter: () => this.limiter,
    });
    this.budgets = [...client.budgets.keys()];
    this.ledger = this.openLedger(client.budgets.values());
    this.limiter = createVirtualLimiter({
      time: this.time,
      budgets: client.budgets.values(),
      ledger: this.ledger,
      lockouts: this.ledger,
      startMs: () => dice.integer(0, MOST_START_MS),
    });
    this.caller = createVenueCaller(client);
    this.mirror = MirrorStore.open({
      path: machine.mirrorPath,
      retention: DEFAULT_RETENTION,
      nowMs: this.engineMs,
      epoch: () => this.drawEpoch(),
      durability: 'full',
    });
    this.engine = options.createEngine(this.mirror.load(), this.engineMs);
  }

  /** The engine's clock. */
  get engineMs(): number {
    return this.time.now() + this.clockOffsetMs;
  }

  get isDead(): boolean {
    return this.time.isDead;
  }

  start(): void {
    this.time.at(this.time.now(), () => this.tick());
    this.flushLater();
  }

  /** Stands still. */
  stop(durationMs: number): void {
    this.time.stop(durationMs);
  }

  control(command: ControlCommand): void {
    this.time.at(this.time.now(), () => this.step({ kind: 'control', atMs: this.engineMs, command }));
  }

  /** Ends it at once. */
  crash(): void {
    if (this.isDead) return;
    this.time.kill();
    this.options.machine.deadOwners.add(this.owner);
    this.mirror.abandon();
    this.ledger.close();
  }

  /** Whether a budget that the bot uses, or its account, is locked out now. */
  isLockedOut(): boolean {
    const nowMs = this.time.now();
    return this.budgets.some((budget) => this.ledger.heldUntil({ budget, credential: 'with' }, nowMs) !== null);
  }

  /** SHA-256 of the journal. */
  journalHash(): string {
    return this.mirror.journalHash();
  }

  private openLedger(budgets: Iterable<StoredBudget>): LedgerStore {
    const { world, machine } = this.options;
    return new LedgerStore({
      path: machine.ledgerPath,
      budgets,
      subjects: { ip: 'here', token: 'bot' },
      whenMissing: 'empty',
      machine: {
        bootId: 'boot',
        owner: this.owner,
        lifeSignOf: (owner) => (machine.deadOwners.has(owner) ? 'dead' : 'alive'),
        monotonicMs: () => world.time.now(),
        wallMs: () => world.time.now() + machine.wallOffsetMs,
      },
    });
  }

  private tick(): void {
    this.step({ kind: 'tick', atMs: this.engineMs });
  }

  private step(event: EngineEvent): void {
    if (this.isDead) return;
    try {
      this.carryOut(event);
    } catch (error) {
      this.die('mistake', error);
    }
  }

  private carryOut(event: EngineEvent): void {
    const { diesAt, onStep } = this.options;
    if (event.kind === 'answer' && diesAt('at an answer')) return this.die('at an answer');
    const output = this.engine.step(event);
    onStep(event, output);
    const { changes, isDurable, requests } = output;
    if (isDurable && diesAt('before the commit')) return this.die('before the commit');
    this.mirror.apply(changes, { atMs: event.atMs, isDurable });
    if (isDurable && diesAt('after the commit')) return this.die('after the commit');
    for (const request of requests) {
      void this.send(request);
      if (diesAt('amid the requests')) return this.die('amid the requests');
    }
    this.wakeAt(output.wakeAtMs);
  }

  private async send(request: EngineRequest): Promise<void> {
    const { limiter, caller } = this;
    try {
      const end = await sendRequest(request, {
        limiter,
        caller,
        canLogIn: this.options.logsIn,
        engineMs: () => this.engineMs,
        limiterMs: () => this.time.now(),
      });
      this.step({ kind: 'answer', atMs: this.engineMs, requestId: request.id, ...end });
    } catch (error) {
      this.die('mistake', error);
    }
  }

  private wakeAt(engineMs: number): void {
    this.cancelWake?.();
    this.cancelWake = Number.isFinite(engineMs) ? this.time.at(engineMs - this.clockOffsetMs, () => this.tick()) : null;
  }

  private flushLater(): void {
    this.time.at(this.time.now() + FLUSH_EVERY_MS, () => {
      this.mirror.flush();
      this.flushLater();
    });
  }

  private die(cause: CrashPoint | 'mistake', error: unknown = null): void {
    if (this.isDead) return;
    this.crash();
    this.options.onDeath(cause, error);
  }

  private drawEpoch(): string {
    const letters = 'abcdefghijklmnopqrstuvwxyz0123456789';
    return Array.from({ length: 4 }, () => letters[this.options.dice.integer(0, letters.length - 1)]).join('');
  }
}
