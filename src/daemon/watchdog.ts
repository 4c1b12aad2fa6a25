import { countText } from '../domain/money.ts';
import { addAbortListener } from 'node:events';
import { closingAsync } from '../domain/closing.ts';
import { listText, messageOf, invalidOptions } from '../domain/errors.ts';
import { type Pulse, readRun } from './run-record.ts';
import {
  type CanceledEntries,
  type SilentBot,
  cancelEntries,
  readOwnOrders,
  WhileSilent,
} from './cancel-entries.ts';
import { lengthText, secondText } from '../domain/time-text.ts';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { monotonicMs } from '../budget/process-owner.ts';
import { MARKET_NAMES } from '../exchange/market-names.ts';
import { mirrorPathOf } from '../mirror/mirror-path.ts';
import { openRemoteExchange } from '../venues/live-venue.ts';
import { acquireProcessLock } from './process-locks.ts';
import type { BotConfig } from './create-bot-config.ts';

/** Report of a watchdog: one line for people each, and an alert if it is trouble. */
export type WatchdogNews =
  | Exclude<WatchStep, { readonly kind: 'none' | 'cancel-entries' }>
  /** `isRepeat`: nothing has changed since the attempt before, which was reported. */
  | { readonly kind: 'canceled'; readonly result: CanceledEntries; readonly isRepeat: boolean }
  | { readonly kind: 'not-canceled'; readonly reason: string; readonly isLast: boolean }
  | { readonly kind: 'problem'; readonly message: string };

interface WatchdogParts {
  readonly rule: WatchRule;
  readonly readPulse: () => Pulse | null;
  /** Returns the time of a clock that is never set, in ms. */
  readonly steadyMs: () => number;
  /** Cancels entries; null if the bot has no orders at an exchange. Throws the error that prevents it. */
  readonly cancel: ((bot: SilentBot) => Promise<CanceledEntries>) | null;
  readonly onNews: (news: WatchdogNews) => void;
}

/**
 * Decides after each poll what to report and do about a bot, and has it done. Time, heartbeat and access to
 * the exchange are injected.
 */
export class Watchdog {
  private readonly parts: WatchdogParts;
  private watch: PulseWatch;
  /** Result of the last attempt in this silence. */
  private last: CanceledEntries | null = null;
  private canceling: Promise<void> | null = null;

  constructor(parts: WatchdogParts) {
    this.parts = parts;
    this.watch = beginWatch(this.pollNow());
  }

  /** Polls the heartbeat; to be called at an interval, also during a cancel, which may wait long. */
  poll(): void {
    const before = this.watch;
    const [next, step] = afterPoll(before, this.pollNow(), this.parts.rule);
    this.watch = next;
    if (step.kind === 'none') return;
    if (step.kind === 'cancel-entries') {
      // A cancel that is still running, maybe of an earlier silence, ends by itself, and the next begins
      // then. Only cancels that begin are counted, as there are few.
      if (this.canceling !== null) {
        this.watch = { ...next, attempts: before.attempts, cancelAtMs: before.cancelAtMs };
        return;
      }
      this.canceling = this.tryToCancel(step).finally(() => {
        this.canceling = null;
      });
      return;
    }
    this.last = null;
    this.parts.onNews(step);
  }

  /** Waits until nothing is being canceled. */
  async rest(): Promise<void> {
    await this.canceling;
  }

  private pollNow(): { readonly steadyMs: number; readonly pulse: Pulse | null } {
    return { steadyMs: this.parts.steadyMs(), pulse: this.parts.readPulse() };
  }

  private async tryToCancel({ attempt, forMs }: Extract<WatchStep, { readonly kind: 'cancel-entries' }>) {
    const { cancel, readPulse, onNews } = this.parts;
    const { pulse } = this.watch;
    const isSameSilence = (): boolean => !isOtherPulse(pulse, this.watch.pulse);
    if (cancel === null) {
      this.watch = afterCancel(this.watch);
      return;
    }
    try {
      const result = await cancel({ forMs, isBack: () => isOtherPulse(pulse, readPulse()) });
      const isRepeat = this.last !== null && result.canceled.length === 0 && isAlike(this.last, result);
      onNews({ kind: 'canceled', result, isRepeat });
      if (!isSameSilence()) return;
      this.last = result;
      if (result.left.length === 0 && result.unseen.length === 0) this.watch = afterCancel(this.watch);
    } catch (error) {
      const reason = messageOf(error);
      if (isSameSilence()) onNews({ kind: 'not-canceled', reason, isLast: attempt >= MOST_ATTEMPTS });
    }
  }
}

function isAlike(before: CanceledEntries, now: CanceledEntries): boolean {
  return leftOf(before) === leftOf(now) && before.kept.length === now.kept.length;
}

function leftOf({ left }: CanceledEntries): string {
  return left.map(({ order }) => order).join(' ');
}

/** Times for a watchdog to report and act, in ms. */
export interface WatchRule {
  /** Longest time that the bot's loop may stand still. */
  readonly silentAfterMs: number;
  /** Standstill of the loop after which its entries are canceled; null: they never are. */
  readonly cancelEntriesAfterMs: number | null;
}

/** A poll of a data folder. `steadyMs` is of a clock that is never set. */
interface PulsePoll {
  readonly steadyMs: number;
  readonly pulse: Pulse | null;
}

/** State of a watchdog between two polls. */
interface PulseWatch {
  /** Time of the last poll. */
  readonly polledMs: number;
  /** Pulse at its last change, and the time that change was seen. */
  readonly pulse: Pulse | null;
  readonly changedMs: number;
  readonly state: 'waiting' | 'beating' | 'silent' | 'ended';
  /** Number of attempts to cancel entries in this silence; below, the time of the next. */
  readonly attempts: number;
  readonly cancelAtMs: number;
}

/** Action after a poll. */
type WatchStep =
  | { readonly kind: 'none' }
  | { readonly kind: 'began' | 'back'; readonly pulse: Pulse }
  | { readonly kind: 'ended'; readonly pulse: Pulse }
  /** `pulse` is null if there never was one. */
  | { readonly kind: 'silent'; readonly pulse: Pulse | null; readonly forMs: number }
  | { readonly kind: 'cancel-entries'; readonly attempt: number; readonly forMs: number };

/** Longest interval between polls, in ms; after a longer one the watchdog stood still itself. */
const LONGEST_GAP_MS = 15_000;

/** Maximum number of attempts to cancel, at growing intervals. */
export const MOST_ATTEMPTS = 8;
const FIRST_RETRY_MS = 30_000;

export function beginWatch(poll: PulsePoll): PulseWatch {
  return {
    polledMs: poll.steadyMs,
    pulse: poll.pulse,
    changedMs: poll.steadyMs,
    state: poll.pulse === null || poll.pulse.endedAtMs === null ? 'waiting' : 'ended',
    attempts: 0,
    cancelAtMs: Number.POSITIVE_INFINITY,
  };
}

/**
 * Returns the state and the action after a poll. A bot is silent if its pulse did not change while this
 * watchdog polled. A step of the wall clock, or a standstill of the machine or the watchdog, does not count.
 */
export function afterPoll(
  watch: PulseWatch,
  poll: PulsePoll,
  rule: WatchRule,
): readonly [PulseWatch, WatchStep] {
  const { steadyMs, pulse } = poll;
  if (isOtherPulse(watch.pulse, pulse)) return afterBeat(watch, poll);
  const hasSlept = steadyMs - watch.polledMs > LONGEST_GAP_MS;
  const changedMs = hasSlept ? steadyMs : watch.changedMs;
  const next = { ...watch, polledMs: steadyMs, changedMs };
  if (watch.state === 'ended') return [next, { kind: 'none' }];
  const forMs = steadyMs - changedMs;
  if (watch.state !== 'silent') {
    if (forMs < rule.silentAfterMs) return [next, { kind: 'none' }];
    const wait = rule.cancelEntriesAfterMs;
    const cancelAtMs = wait === null || pulse === null ? Number.POSITIVE_INFINITY : changedMs + wait;
    return [
      { ...next, state: 'silent', attempts: 0, cancelAtMs },
      { kind: 'silent', pulse, forMs },
    ];
  }
  // After a standstill of the watchdog, the bot may be about to resume too: it polls once more.
  if (hasSlept || steadyMs < watch.cancelAtMs) return [next, { kind: 'none' }];
  const attempt = watch.attempts + 1;
  const retryMs = FIRST_RETRY_MS * 2 ** (attempt - 1);
  const cancelAtMs = attempt < MOST_ATTEMPTS ? steadyMs + retryMs : Number.POSITIVE_INFINITY;
  return [
    { ...next, attempts: attempt, cancelAtMs },
    { kind: 'cancel-entries', attempt, forMs },
  ];
}

/** Ends the attempts: nothing is left to cancel in this silence. */
export function afterCancel(watch: PulseWatch): PulseWatch {
  return { ...watch, cancelAtMs: Number.POSITIVE_INFINITY };
}

/** True if a loop has turned, or a run has begun or ended, between two polls. */
function isOtherPulse(left: Pulse | null, right: Pulse | null): boolean {
  if (right === null) return false;
  return (
    left === null ||
    left.beatMs !== right.beatMs ||
    left.sinceMs !== right.sinceMs ||
    left.pid !== right.pid ||
    left.endedAtMs !== right.endedAtMs
  );
}

function afterBeat(watch: PulseWatch, { steadyMs, pulse }: PulsePoll): readonly [PulseWatch, WatchStep] {
  if (pulse === null) throw new Error('expected a pulse after a beat');
  const state = pulse.endedAtMs === null ? 'beating' : 'ended';
  const next: PulseWatch = {
    polledMs: steadyMs,
    changedMs: steadyMs,
    pulse,
    state,
    attempts: 0,
    cancelAtMs: Number.POSITIVE_INFINITY,
  };
  if (state === 'ended') return [next, { kind: 'ended', pulse }];
  if (watch.state === 'silent') return [next, { kind: 'back', pulse }];
  return [next, watch.state === 'beating' ? { kind: 'none' } : { kind: 'began', pulse }];
}

/** Maximum number of orders that are named in a text. */
const MOST_NAMED = 10;

/** Describes the event in one line for people. */
export function watchdogText(news: WatchdogNews): string {
  switch (news.kind) {
    case 'began':
      return `the bot runs (pid ${news.pulse.pid})`;
    case 'back':
      return 'the bot is back, and looks after its orders itself';
    case 'ended': {
      const { failure } = news.pulse;
      return failure === null ? 'the bot has ended in order' : `the bot has ended with an error: ${failure}`;
    }
    case 'silent': {
      const { pulse, forMs } = news;
      return pulse === null
        ? `no bot has shown itself for ${lengthText(forMs)}`
        : `the bot (pid ${pulse.pid}) is silent since ${secondText(pulse.beatMs)} UTC; its open orders stay at the exchange and can fill`;
    }
    case 'canceled':
      return canceledText(news.result);
    case 'not-canceled':
      return `the entries of the silent bot could not be canceled: ${news.reason}; ${news.isLast ? 'it is not tried again: cancel them at the exchange' : 'it is tried again'}`;
    case 'problem':
      return news.message;
  }
}

/** True if a person should check the event. */
export function isTrouble(news: WatchdogNews): boolean {
  if (news.kind === 'ended') return news.pulse.failure !== null;
  return news.kind === 'silent' || news.kind === 'not-canceled' || news.kind === 'canceled';
}

function canceledText({ canceled, kept, left, unseen, isBack }: CanceledEntries): string {
  const parts = [
    canceled.length === 0
      ? 'no entry was open'
      : `${countText(canceled.length, 'entry is', 'entries are')} canceled (${listText(canceled, MOST_NAMED)})`,
    ...(kept.length === 0
      ? []
      : [`${countText(kept.length, 'exit stays', 'exits stay')} (${listText(kept, MOST_NAMED)})`]),
    ...(left.length === 0
      ? []
      : [
          `${left.length} could not be canceled (${listText(
            left.map(({ order, reason }) => `${order}: ${reason}`),
            MOST_NAMED,
          )})`,
        ]),
    ...(unseen.length === 0
      ? []
      : [`${unseen.length} may still turn up (${listText(unseen, MOST_NAMED)}), and are looked for again`]),
    ...(isBack ? ['the bot is back, so the rest is left to it'] : []),
  ];
  return `of the silent bot ${parts.join('; ')}`;
}

interface WatchdogOptions {
  readonly config: BotConfig;
  readonly onNews: (news: WatchdogNews) => void;
  readonly signal: AbortSignal;
  /** Interval between polls, in ms. */
  readonly everyMs?: number;
}

/** Returns the path of the lock that a data folder's watchdog holds while it runs. */
export function watchdogProcessLockPath(dataFolder: string): string {
  return join(dataFolder, 'watchdog.lock');
}

/** Interval of polls, in ms: several fit into the shortest silence that can be configured. */
const POLL_INTERVAL_MS = 1_000;

/**
 * Polls the heartbeat of a bot from a separate process, reports when it is silent, and cancels its entries if
 * configured. It uses nothing that a bot needs: not the lock of its data folder, and only slots for cancels
 * of the ledger. Throws `DATA_UNUSABLE` if another watchdog has the folder.
 */
export async function runWatchdog(options: WatchdogOptions): Promise<void> {
  const { config, onNews, signal, everyMs = POLL_INTERVAL_MS } = options;
  const { folder } = config.data;
  using _lock = acquireProcessLock({
    path: watchdogProcessLockPath(folder),
    what: `the watchdog of ${folder}`,
    otherwise: 'name another folder with --data',
  });
  const watchdog = new Watchdog({
    rule: config.watchdog,
    readPulse: () => readRun(folder).pulse,
    steadyMs: monotonicMs,
    cancel: config.mode === 'live' ? async (bot) => cancelAt(options, bot) : null,
    onNews,
  });
  while (!signal.aborted) {
    await pause(everyMs, undefined, { signal }).catch(() => undefined);
    watchdog.poll();
  }
  await watchdog.rest();
}

async function cancelAt(
  { config, onNews, signal }: WatchdogOptions,
  bot: SilentBot,
): Promise<CanceledEntries> {
  const { baseUrl, credentials } = config.exchange;
  if (baseUrl === null || credentials === null) {
    throw invalidOptions('expected exchange.baseUrl and exchange.credentials to cancel entries with');
  }
  const isBack = (): boolean => signal.aborted || bot.isBack();
  await using remote = closingAsync(
    await openRemoteExchange({
      config,
      baseUrl,
      credentials,
      wrap: (inner) => new WhileSilent(inner, isBack),
      onProblem: (message) => onNews({ kind: 'problem', message }),
      isGuest: true,
    }),
  );
  // Otherwise the end would wait for requests that wait for a slot.
  using _stop = addAbortListener(signal, () => void remote.limiter.close());
  return await cancelEntries({
    ...remote,
    nowMs: () => remote.time.now(),
    limiterMs: monotonicMs,
    instance: config.instance,
    lateArrivalMs: config.execution.lateArrivalMs,
    readOwn: () => readOwnOrders(mirrorPathOf(config.data.folder), MARKET_NAMES),
    forMs: bot.forMs,
    isBack,
  });
}
