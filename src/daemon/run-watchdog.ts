import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { monotonicMs } from '../budget/process-owner.ts';
import { SarrafError } from '../domain/errors.ts';
import { MARKET_NAMES } from '../exchange/market-names.ts';
import { mirrorPathOf } from '../mirror/mirror-path.ts';
import { openRemoteExchange } from '../venues/live-venue.ts';
import { readRun } from './run-record.ts';
import { acquireProcessLock } from './process-lock.ts';
import type { BotConfig } from './create-bot-config.ts';
import {
  cancelEntries,
  type CanceledEntries,
  type SilentBot,
  readOwnOrders,
  WhileSilent,
} from './cancel-entries.ts';
import { Watchdog, type WatchdogNews } from './watchdog.ts';

interface WatchdogOptions {
  readonly config: BotConfig;
  readonly onNews: (news: WatchdogNews) => void;
  /** Ends it. */
  readonly signal: AbortSignal;
  /** Between two looks, in ms. */
  readonly everyMs?: number;
}

/** The lock that the watchdog of a data folder has while it runs. */
export function watchdogProcessLockPath(dataFolder: string): string {
  return join(dataFolder, 'watchdog.lock');
}

/** Several looks within the shortest silence that can be configured. */
const POLL_INTERVAL_MS = 1_000;

/**
 * Looks at the heartbeat of a bot from a process of its own, reports when it is silent, and cancels its
 * entries where the configuration wants that. It takes nothing that a bot needs: not the lock of its data
 * folder, and of the ledger only slots for cancels. Throws `DATA_UNUSABLE` when another watchdog has the
 * folder.
 */
export async function runWatchdog(options: WatchdogOptions): Promise<void> {
  const { config, onNews, signal, everyMs = POLL_INTERVAL_MS } = options;
  const { folder } = config.data;
  const lock = acquireProcessLock({
    path: watchdogProcessLockPath(folder),
    what: `the watchdog of ${folder}`,
    otherwise: 'name another folder with --data',
  });
  try {
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
  } finally {
    lock.release();
  }
}

async function cancelAt(
  { config, onNews, signal }: WatchdogOptions,
  bot: SilentBot,
): Promise<CanceledEntries> {
  const { baseUrl, credentials } = config.exchange;
  if (baseUrl === null || credentials === null) {
    throw new SarrafError(
      'INVALID_OPTIONS',
      'expected exchange.baseUrl and exchange.credentials to cancel entries with',
    );
  }
  const isBack = (): boolean => signal.aborted || bot.isBack();
  const remote = await openRemoteExchange({
    config,
    baseUrl,
    credentials,
    wrap: (inner) => new WhileSilent(inner, isBack),
    onProblem: (message) => onNews({ kind: 'problem', message }),
    isGuest: true,
  });
  // What waits for its slot would be waited for otherwise.
  const stop = (): void => void remote.limiter.close();
  signal.addEventListener('abort', stop, { once: true });
  try {
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
  } finally {
    signal.removeEventListener('abort', stop);
    await remote.close();
  }
}
