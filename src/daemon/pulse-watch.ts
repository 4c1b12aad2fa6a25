import type { Pulse } from './heartbeat.ts';

/** Times for a watchdog to report and act, in ms. */
export interface WatchRule {
  /** Time the bot's loop may stand still. */
  readonly silentAfterMs: number;
  /** Time the loop stands still before its entries are canceled; null: they never are. */
  readonly cancelEntriesAfterMs: number | null;
}

/** A look at a data folder. `steadyMs` is of a clock that nobody steps. */
interface PulseLook {
  readonly steadyMs: number;
  readonly pulse: Pulse | null;
}

/** State of a watchdog between two polls. */
export interface PulseWatch {
  /** Of the last look. */
  readonly lookedMs: number;
  /** Pulse at its last change, and the time that change was seen. */
  readonly pulse: Pulse | null;
  readonly changedMs: number;
  readonly state: 'waiting' | 'beating' | 'silent' | 'ended';
  /** Number of attempts to cancel entries in this silence, and the time of the next. */
  readonly attempts: number;
  readonly cancelAtMs: number;
}

/** Action after a poll. */
export type WatchStep =
  | { readonly kind: 'none' }
  | { readonly kind: 'began' | 'back'; readonly pulse: Pulse }
  | { readonly kind: 'ended'; readonly pulse: Pulse }
  /** `pulse` is null where there never was one. */
  | { readonly kind: 'silent'; readonly pulse: Pulse | null; readonly forMs: number }
  | { readonly kind: 'cancel-entries'; readonly attempt: number; readonly forMs: number };

/** A watchdog that looks more seldom than this stood still itself, and knows nothing of that time. */
const LONGEST_GAP_MS = 15_000;

/** Maximum number of attempts to cancel, at growing intervals. */
export const MOST_ATTEMPTS = 8;
const FIRST_RETRY_MS = 30_000;

export function beginWatch(look: PulseLook): PulseWatch {
  return {
    lookedMs: look.steadyMs,
    pulse: look.pulse,
    changedMs: look.steadyMs,
    state: look.pulse === null || look.pulse.endedAtMs === null ? 'waiting' : 'ended',
    attempts: 0,
    cancelAtMs: Number.POSITIVE_INFINITY,
  };
}

/**
 * Takes in a look. Silence is that the pulse did not change while this watchdog looked: neither a step of the
 * wall clock nor a time in which machine or watchdog stood still makes any.
 */
export function afterLook(
  watch: PulseWatch,
  look: PulseLook,
  rule: WatchRule,
): readonly [PulseWatch, WatchStep] {
  const { steadyMs, pulse } = look;
  if (isOtherPulse(watch.pulse, pulse)) return afterBeat(watch, look);
  const hasSlept = steadyMs - watch.lookedMs > LONGEST_GAP_MS;
  const changedMs = hasSlept ? steadyMs : watch.changedMs;
  const next = { ...watch, lookedMs: steadyMs, changedMs };
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
  // A watchdog that slept may find a bot that is about to wake as well: it looks once more.
  if (hasSlept || steadyMs < watch.cancelAtMs) return [next, { kind: 'none' }];
  const attempt = watch.attempts + 1;
  const retryMs = FIRST_RETRY_MS * 2 ** (attempt - 1);
  const cancelAtMs = attempt < MOST_ATTEMPTS ? steadyMs + retryMs : Number.POSITIVE_INFINITY;
  return [
    { ...next, attempts: attempt, cancelAtMs },
    { kind: 'cancel-entries', attempt, forMs },
  ];
}

/** Nothing is left to cancel in this silence. */
export function afterCancel(watch: PulseWatch): PulseWatch {
  return { ...watch, cancelAtMs: Number.POSITIVE_INFINITY };
}

/** True if a loop has turned, or a run has begun or ended, between two polls. */
export function isOtherPulse(left: Pulse | null, right: Pulse | null): boolean {
  if (right === null) return false;
  return (
    left === null ||
    left.beatMs !== right.beatMs ||
    left.sinceMs !== right.sinceMs ||
    left.pid !== right.pid ||
    left.endedAtMs !== right.endedAtMs
  );
}

function afterBeat(watch: PulseWatch, { steadyMs, pulse }: PulseLook): readonly [PulseWatch, WatchStep] {
  if (pulse === null) throw new Error('expected a pulse after a beat');
  const state = pulse.endedAtMs === null ? 'beating' : 'ended';
  const next: PulseWatch = {
    lookedMs: steadyMs,
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
