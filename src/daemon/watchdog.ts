import { messageOf } from '../domain/errors.ts';
import type { Pulse } from './heartbeat.ts';
import type { CanceledEntries, SilentBot } from './cancel-entries.ts';
import {
  afterCancel,
  afterLook,
  beginWatch,
  isOtherPulse,
  MOST_ATTEMPTS,
  type PulseWatch,
  type WatchRule,
  type WatchStep,
} from './pulse-watch.ts';

/** Report of a watchdog; each is one line for people, and an alert if it is trouble. */
export type WatchdogNews =
  | Exclude<WatchStep, { readonly kind: 'none' | 'cancel-entries' }>
  /** `isRepeat`: nothing has changed since the try before, which people know of. */
  | { readonly kind: 'canceled'; readonly result: CanceledEntries; readonly isRepeat: boolean }
  | { readonly kind: 'not-canceled'; readonly reason: string; readonly isLast: boolean }
  | { readonly kind: 'problem'; readonly message: string };

interface WatchdogParts {
  readonly rule: WatchRule;
  readonly readPulse: () => Pulse | null;
  /** Of a clock that nobody steps. */
  readonly steadyMs: () => number;
  /** Null where the bot has no orders at an exchange. Throws what keeps it from canceling. */
  readonly cancel: ((bot: SilentBot) => Promise<CanceledEntries>) | null;
  readonly onNews: (news: WatchdogNews) => void;
}

/**
 * Decides look by look what is to be said and done about a bot, and has it done. Time, heartbeat and the way
 * to the exchange are given to it.
 */
export class Watchdog {
  private readonly parts: WatchdogParts;
  private watch: PulseWatch;
  /** Of the last try in this silence. */
  private last: CanceledEntries | null = null;
  private canceling: Promise<void> | null = null;

  constructor(parts: WatchdogParts) {
    this.parts = parts;
    this.watch = beginWatch(this.lookNow());
  }

  /** To be called again and again, also while entries are being canceled: that may have to wait long. */
  look(): void {
    const before = this.watch;
    const [next, step] = afterLook(before, this.lookNow(), this.parts.rule);
    this.watch = next;
    if (step.kind === 'none') return;
    if (step.kind === 'cancel-entries') {
      // One that is still at work, maybe of an earlier silence, ends by itself, and the next begins then.
      // Only those that begin are counted, as there are few.
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

  /** Resolves once nothing is being canceled. */
  async rest(): Promise<void> {
    await this.canceling;
  }

  private lookNow(): { readonly steadyMs: number; readonly pulse: Pulse | null } {
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
