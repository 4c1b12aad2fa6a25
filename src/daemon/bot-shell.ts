import type { CommitTimes } from '../budget/commit-times.ts';
import { SarrafError } from '../domain/errors.ts';
import { english, sentence } from '../language/sentence.ts';
import type { EngineOutput, EngineRequest, ControlCommand, EngineEvent } from '../engine/engine-event.ts';
import type { VenueAnswer } from '../venues/port.ts';
import type { MirrorChange } from '../engine/mirror-change.ts';
import type { Cancel, Timeline } from '../virtual/virtual-time.ts';
import type { FeedPace } from '../scheduler/poll-queue.ts';
import { submitRequest, type RequestEnd, type SendRequestOptions } from '../venues/venue-caller.ts';

/** Part that decides on events: the engine. */
export interface Stepper {
  step(event: EngineEvent): EngineOutput;
}

/** Store to which changes are written. Throws `DATA_UNUSABLE` if it cannot write. */
export interface ChangeStore {
  apply(
    changes: readonly MirrorChange[],
    options: { readonly atMs: number; readonly isDurable: boolean },
  ): void;
  /** Writes the changes that the store holds back; called once a second. Absent if it holds nothing back. */
  flush?(): void;
  /** True if the space left on the disk is needed for cancels. */
  isRunningOut(): boolean;
}

export interface BotShellOptions extends Omit<SendRequestOptions, 'engineMs'> {
  readonly engine: Stepper;
  readonly store: ChangeStore;
  /** Recorder of the time for which commits of the store block the loop. */
  readonly commits?: CommitTimes | undefined;
  readonly time: Timeline;
  /** Called with each request that ended, and its answer. */
  readonly onRequestEnd?: (request: EngineRequest, answer: VenueAnswer) => void;
  /** Called with each answer just before the engine gets it, at the same time. Must not throw. */
  readonly onAnswer?: (
    call: EngineRequest['call'],
    answer: VenueAnswer,
    atMs: number,
    askedAtMs: number,
  ) => void;
  readonly onNotices: (output: EngineOutput['notices'], atMs: number) => void;
  /** Called with each event just before the engine gets it. Must not throw. */
  readonly onEvent?: (event: EngineEvent) => void;
}

/** Interval between writes of the collected changes, in ms. */
const FLUSH_EVERY_MS = 1_000;

/** Pause before a failed write is tried again, in ms; otherwise each book would try it. */
const REFUSED_FOR_MS = 10_000;

/**
 * Maximum number of changes that are held in memory because they could not be written. Beyond it the bot
 * ends, since nothing that it does is recorded.
 */
const MOST_UNWRITTEN = 100_000;

/**
 * Connects the engine with time, disk and exchange: each event is a step, each step's changes are written
 * before its requests leave, and each answer is an event. It makes no decisions.
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
  /** Requests that ended during a step because newer ones replaced them. */
  private readonly ended: { readonly request: EngineRequest; readonly end: RequestEnd }[] = [];

  constructor(options: BotShellOptions) {
    this.options = options;
    const { limiter, caller, canLogIn, limiterMs, time } = options;
    this.sending = { limiter, caller, canLogIn, limiterMs, engineMs: () => time.now() };
    // The error goes to those who wait for `failure`; without one it must not end the process.
    this.failed.promise.catch(() => undefined);
  }

  /**
   * Rejects when the bot cannot continue: a broken invariant, or a disk that accepts no more writes. It
   * settles once in the bot's life, so listen to it once: each `Promise.race` with it would leave a reaction
   * that lives as long as the bot. Loops call `throwIfFailed`.
   */
  get failure(): Promise<never> {
    return this.failed.promise;
  }

  /** Throws the error that stops the bot from continuing, if there is one. */
  throwIfFailed(): void {
    if (this.fault !== null) throw this.fault.error;
  }

  /**
   * Returns the time since the loop last turned, in ms. The loop turns at least once a second if the store
   * has `flush`, else only with each step.
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

  /** Changes how often feeds are polled. */
  pace(paces: readonly FeedPace[]): void {
    this.step({ kind: 'pace', atMs: this.options.time.now(), paces });
  }

  /** Runs a step of the engine now, after something happened without an answer or a timer. */
  poll(): void {
    this.step({ kind: 'tick', atMs: this.options.time.now() });
  }

  /** Stops accepting steps; replies to requests already sent may still arrive. */
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

  /** Stops the bot. Requests that wait for a slot do not leave either: their outcome would be unknown. */
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
   * Writes a step's changes, after those that could not be written before. Returns true if they are stored as
   * required.
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

  /** Ends a request that is not sent: its row is not written, or its outcome might not be. */
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
