import type { CommitTimes } from '../budget/commit-times.ts';
import { SarrafError } from '../domain/errors.ts';
import { english, sentence } from '../language/sentence.ts';
import type { EngineOutput, EngineRequest } from '../engine/engine-command.ts';
import type { VenueAnswer } from '../venues/port.ts';
import type { ControlCommand, EngineEvent } from '../engine/engine-event.ts';
import type { MirrorChange } from '../engine/mirror-change.ts';
import type { Cancel, Timeline } from '../virtual/virtual-time.ts';
import type { FeedPace } from '../scheduler/poll-queue.ts';
import { submitRequest, type RequestEnd, type SendRequestOptions } from '../venues/venue-caller.ts';

/** Decides on events; the engine. */
export interface Stepper {
  step(event: EngineEvent): EngineOutput;
}

/** Store that changes are written to. Throws `DATA_UNUSABLE` if it cannot write. */
export interface ChangeStore {
  apply(
    changes: readonly MirrorChange[],
    options: { readonly atMs: number; readonly isDurable: boolean },
  ): void;
  /** Writes what it holds back; to be called once a second. None where it holds nothing back. */
  flush?(): void;
  /** True if the remaining room is needed for cancels. */
  isRunningOut(): boolean;
}

export interface BotShellOptions extends Omit<SendRequestOptions, 'engineMs'> {
  readonly engine: Stepper;
  readonly store: ChangeStore;
  /** Takes down how long commits of the store hold up the loop. */
  readonly commits?: CommitTimes | undefined;
  readonly time: Timeline;
  /** Told of each request that came to an end, and of everything that a step wants said. */
  readonly onRequestEnd?: (request: EngineRequest, answer: VenueAnswer) => void;
  /** Handed every answer just before the engine is, at the same time. Must not throw. */
  readonly onAnswer?: (
    call: EngineRequest['call'],
    answer: VenueAnswer,
    atMs: number,
    askedAtMs: number,
  ) => void;
  readonly onNotices: (output: EngineOutput['notices'], atMs: number) => void;
  /** Called with every event just before the engine. Must not throw. */
  readonly onEvent?: (event: EngineEvent) => void;
}

/** Interval between writes of the gathered changes. */
const FLUSH_EVERY_MS = 1_000;

/** Pause before a failed write is retried, so not with every book. */
const REFUSED_FOR_MS = 10_000;

/**
 * Changes that could not be written are kept up to this many; then the bot ends, since nothing that it does
 * is on record.
 */
const MOST_UNWRITTEN = 100_000;

/**
 * Brings the engine together with time, disk and exchange: each event is a step, each step's changes are
 * written before its requests leave, and each answer is an event. It decides nothing.
 */
export class BotShell {
  private readonly options: BotShellOptions;
  private readonly sending: SendRequestOptions;
  private readonly failed = Promise.withResolvers<never>();
  private fault: { readonly error: unknown } | null = null;
  private cancelWake: Cancel | null = null;
  private cancelFlush: Cancel | null = null;
  private wakeAtMs = Number.POSITIVE_INFINITY;
  private isClosed = false;
  private unwritten: MirrorChange[] = [];
  private lastTurnMs = performance.now();
  private inFlight = 0;
  private isStuck = false;
  private isStepping = false;
  /** Requests that came to their end while a step was carried out: dropped for newer ones. */
  private readonly ended: { readonly request: EngineRequest; readonly end: RequestEnd }[] = [];

  constructor(options: BotShellOptions) {
    this.options = options;
    const { limiter, caller, canLogIn, limiterMs, time } = options;
    this.sending = { limiter, caller, canLogIn, limiterMs, engineMs: () => time.now() };
    // A waiter for the end of the bot gets it; without one it must not end the process.
    this.failed.promise.catch(() => undefined);
  }

  /**
   * Rejects when the bot can not go on: a broken invariant, a disk that takes nothing more. It settles once
   * in the bot's life, so listen to it once: each `Promise.race` with it would leave a reaction behind that
   * lives as long as the bot. Loops call `throwIfFailed`.
   */
  get failure(): Promise<never> {
    return this.failed.promise;
  }

  /** Throws what keeps the bot from going on, if anything does. */
  throwIfFailed(): void {
    if (this.fault !== null) throw this.fault.error;
  }

  /**
   * Returns the time since the loop last turned. It turns at least once a second if the store is one to
   * flush, else with each step only.
   */
  heartbeatAgeMs(): number {
    return performance.now() - this.lastTurnMs;
  }

  get requestsInFlight(): number {
    return this.inFlight;
  }

  start(): void {
    this.step({ kind: 'tick', atMs: this.options.time.now() });
    if (this.options.store.flush !== undefined) this.flushLater();
  }

  control(command: ControlCommand): void {
    this.step({ kind: 'control', atMs: this.options.time.now(), command });
  }

  /** Has feeds asked more or less often. */
  pace(paces: readonly FeedPace[]): void {
    this.step({ kind: 'pace', atMs: this.options.time.now(), paces });
  }

  /** Has the engine look round now: something has happened without an answer or a timer. */
  poll(): void {
    this.step({ kind: 'tick', atMs: this.options.time.now() });
  }

  /** Takes no more steps; what is on its way may still arrive. */
  close(): void {
    this.isClosed = true;
    this.cancelWake?.();
    this.cancelFlush?.();
    try {
      this.options.store.flush?.();
    } catch (error) {
      this.noteFault(error);
    }
  }

  private step(event: EngineEvent): void {
    if (this.isClosed) return;
    this.isStepping = true;
    try {
      this.carryOut(event);
    } catch (error) {
      this.fail(error);
    } finally {
      this.isStepping = false;
    }
    for (let ended = this.ended.shift(); ended !== undefined; ended = this.ended.shift())
      this.applyEnd(ended.request, ended.end);
  }

  /** Requests that wait for a slot do not leave either: their outcome would be unknown. */
  private fail(error: unknown): void {
    this.isClosed = true;
    this.cancelWake?.();
    this.cancelFlush?.();
    this.noteFault(error);
    void this.options.limiter.close();
  }

  private noteFault(error: unknown): void {
    this.fault ??= { error };
    this.failed.reject(error);
  }

  private carryOut(event: EngineEvent): void {
    const { engine, store, time, onNotices, onEvent } = this.options;
    onEvent?.(event);
    const output = engine.step(event);
    if (output.notices.length > 0) onNotices(output.notices, event.atMs);
    const isWritten = this.write(output, event.atMs);
    for (const request of output.requests) {
      // A cancel may go out even when nothing can be written: not to cancel is worse.
      if (request.requestClass === 'cancel') this.send(request);
      else if (!isWritten) this.refuse(request, english(sentence('mirror-unwritable')));
      else if (request.requestClass === 'place' && store.isRunningOut())
        this.refuse(request, english(sentence('disk-full')));
      else this.send(request);
    }
    this.lastTurnMs = performance.now();
    if (output.wakeAtMs === this.wakeAtMs) return;
    this.cancelWake?.();
    this.wakeAtMs = output.wakeAtMs;
    this.cancelWake = Number.isFinite(output.wakeAtMs) ? time.at(output.wakeAtMs, () => this.wake()) : null;
  }

  private wake(): void {
    this.wakeAtMs = Number.POSITIVE_INFINITY;
    this.cancelWake = null;
    this.step({ kind: 'tick', atMs: this.options.time.now() });
  }

  /**
   * Writes a step's changes, after those that could not be written before. Answers whether they are where
   * they have to be.
   */
  private write({ changes, isDurable }: EngineOutput, atMs: number): boolean {
    const { store } = this.options;
    if (changes.length === 0 && !isDurable && this.unwritten.length === 0) return true;
    const all = this.unwritten.length === 0 ? changes : [...this.unwritten, ...changes];
    try {
      this.commit(() => store.apply(all, { atMs, isDurable }));
      this.unwritten = [];
      if (isDurable) this.isStuck = false;
      return true;
    } catch (error) {
      if (!(error instanceof SarrafError) || error.code !== 'DATA_UNUSABLE') throw error;
      this.unwritten = [...all];
      if (this.unwritten.length > MOST_UNWRITTEN) throw error;
      // Reported once, and not with every step until it can be written again.
      if (!this.isStuck) {
        this.options.onNotices(
          [{ kind: 'notice', level: 'error', message: error.message, subject: null }],
          atMs,
        );
      }
      this.isStuck = true;
      return false;
    }
  }

  private commit(work: () => void): void {
    const { commits } = this.options;
    if (commits === undefined) work();
    else commits.time(work);
  }

  private send(request: EngineRequest): void {
    this.inFlight += 1;
    submitRequest(request, this.sending, {
      onEnd: (end) => {
        if (this.isStepping) this.ended.push({ request, end });
        else this.applyEnd(request, end);
      },
      onError: (error) => {
        this.inFlight -= 1;
        this.fail(error);
      },
    });
  }

  private applyEnd(request: EngineRequest, end: RequestEnd): void {
    const { time, onRequestEnd, onAnswer } = this.options;
    const { answer } = end;
    try {
      onRequestEnd?.(request, answer);
      const atMs = time.now();
      onAnswer?.(request.call, answer, atMs, end.sentAtMs ?? atMs);
      this.step({ kind: 'answer', atMs, requestId: request.id, ...end });
    } catch (error) {
      this.fail(error);
    } finally {
      this.inFlight -= 1;
    }
  }

  /** Its row is not written, or its outcome might not be: it does not leave. */
  private refuse(request: EngineRequest, reason: string): void {
    const { time } = this.options;
    time.at(time.now(), () =>
      this.step({
        kind: 'answer',
        atMs: time.now(),
        requestId: request.id,
        sentAtMs: null,
        answer: { outcome: 'unsent', reason, retryInMs: REFUSED_FOR_MS },
      }),
    );
  }

  private flushLater(): void {
    const { time, store } = this.options;
    this.cancelFlush = time.at(time.now() + FLUSH_EVERY_MS, () => {
      if (this.isClosed) return;
      this.lastTurnMs = performance.now();
      try {
        this.commit(() => store.flush?.());
        this.flushLater();
      } catch (error) {
        this.fail(error);
      }
    });
  }
}
