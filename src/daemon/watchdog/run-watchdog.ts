import { setTimeout as pause } from 'node:timers/promises';
import { monotonicMs } from '../../budget/process-owner.ts';
import { readPulse, type Pulse } from '../heartbeat.ts';
import { acquireLock } from '../process-locks/process-lock.ts';
import type { BotConfig } from '../settings/create-bot-config.ts';
import { join } from 'node:path';
import { cancelEntries, type CanceledEntries } from './cancel-entries.ts';
import {
  afterCancel,
  afterLook,
  beginWatch,
  isOtherPulse,
  MOST_ATTEMPTS,
  type WatchStep,
} from './pulse-watch.ts';

/** What a watchdog has to say; each is one line for people, and an alert where it is trouble. */
export type WatchdogNews =
  | Exclude<WatchStep, { readonly kind: 'none' | 'cancel-entries' }>
  | { readonly kind: 'canceled'; readonly result: CanceledEntries }
  | { readonly kind: 'not-canceled'; readonly reason: string; readonly isLast: boolean }
  | { readonly kind: 'problem'; readonly message: string };

export interface WatchdogOptions {
  readonly config: BotConfig;
  readonly onNews: (news: WatchdogNews) => void;
  /** Ends it. */
  readonly signal: AbortSignal;
  /** Between two looks, in ms. */
  readonly everyMs?: number;
}

/** Several looks within the shortest silence that can be configured. */
const LOOK_EVERY_MS = 1_000;

/**
 * Looks at the heartbeat of a bot from a process of its own, reports when it is silent, and cancels its
 * entries where the configuration wants that. It takes nothing that a bot needs: not the lock of its data
 * folder, and of the ledger only slots for cancels. Throws `DATA_UNUSABLE` when another watchdog has the
 * folder.
 */
export async function runWatchdog(options: WatchdogOptions): Promise<void> {
  const { config, onNews, signal, everyMs = LOOK_EVERY_MS } = options;
  const folder = config.data.folder;
  const lock = acquireLock({
    path: join(folder, 'watchdog.lock'),
    what: `the watchdog of ${folder}`,
    otherwise: 'name another folder with --data',
  });
  try {
    let watch = beginWatch({ steadyMs: monotonicMs(), pulse: readPulse(folder) });
    while (!signal.aborted) {
      await pause(everyMs, undefined, { signal }).catch(() => undefined);
      const [next, step] = afterLook(
        watch,
        { steadyMs: monotonicMs(), pulse: readPulse(folder) },
        config.watchdog,
      );
      watch = next;
      if (step.kind === 'none') continue;
      if (step.kind !== 'cancel-entries') onNews(step);
      else if (await isDone(options, { pulse: next.pulse, attempt: step.attempt }))
        watch = afterCancel(watch);
    }
  } finally {
    lock.release();
  }
}

/** Tries to cancel the entries; answers whether nothing more is to be tried in this silence. */
async function isDone(
  { config, onNews, signal }: WatchdogOptions,
  { pulse, attempt }: { readonly pulse: Pulse | null; readonly attempt: number },
): Promise<boolean> {
  if (config.mode !== 'live') return true;
  const isBack = (): boolean => signal.aborted || isOtherPulse(pulse, readPulse(config.data.folder));
  try {
    const onProblem = (message: string): void => onNews({ kind: 'problem', message });
    const result = await cancelEntries({ config, isBack, onProblem });
    onNews({ kind: 'canceled', result });
    return result.left.length === 0;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    onNews({ kind: 'not-canceled', reason, isLast: attempt >= MOST_ATTEMPTS });
    return false;
  }
}
