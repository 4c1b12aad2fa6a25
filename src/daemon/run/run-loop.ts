import { setTimeout as pause } from 'node:timers/promises';
import { VirtualTime } from '../../virtual/virtual-time.ts';
import type { BotShell } from '../bot-shell.ts';
import type { Venue } from '../../venues/venue.ts';
import type { CreatedBot } from './create-bot.ts';
import type { BotConfig } from '../create-bot-config.ts';
import { randomInt } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { mirrorName } from '../../mirror/mirror-path.ts';
import { MirrorStore, type MirrorStoreOptions } from '../../mirror/mirror-store.ts';

/** Virtual time that runs before the system clock is read again, in ms. */
const VIRTUAL_SLICE_MS = 1_000;

/** Interval for checking the end of a wait, in ms of the system clock. */
const POLL_INTERVAL_MS = 20;

/** Interval between status reports, in ms of the system clock. */
const STATUS_EVERY_MS = 5_000;

/** Longest wait at the end for the last comparison of the books, in ms. */
const LAST_COMPARISON_MS = 5_000;

/** Longest wait for balances read after the last order ended, in ms, from an exchange that answers slowly. */
const LAST_BALANCES_MS = 20_000;

/**
 * Longest end of a run in virtual time, in ms: the time to know that an order whose reply is missing never
 * arrived.
 */
const VIRTUAL_DRAIN_MS = 600_000;

interface RunUntil {
  readonly venue: Pick<Venue, 'time'>;
  readonly signal?: AbortSignal;
  /** Duration of the run by the system clock, in ms; null: no limit. */
  readonly forMs?: number | null;
  /** End of the run by the venue's time, in ms. */
  readonly deadlineMs?: number;
  readonly isOver: () => boolean;
  readonly onStatus?: () => void;
}

/** Runs the bot until something ends the wait. Throws the error that stops the bot from continuing. */
export async function runUntil(
  bot: { readonly shell: Pick<BotShell, 'throwIfFailed'> },
  until: RunUntil,
): Promise<void> {
  const { venue, signal, forMs = null, deadlineMs = Number.POSITIVE_INFINITY, isOver, onStatus } = until;
  const { time } = venue;
  const begunMs = performance.now();
  let statusMs = begunMs;
  const isEnded = (): boolean => signal?.aborted === true || isOver() || time.now() >= deadlineMs;
  while (!isEnded()) {
    const nowMs = performance.now();
    if (forMs !== null && nowMs - begunMs >= forMs) return;
    if (nowMs - statusMs >= STATUS_EVERY_MS) {
      statusMs = nowMs;
      onStatus?.();
    }
    if (time instanceof VirtualTime) await time.run(time.now() + VIRTUAL_SLICE_MS);
    else await pause(POLL_INTERVAL_MS);
    bot.shell.throwIfFailed();
  }
}

/**
 * Ends the bot in order: no new orders, own orders canceled or kept, every fill read, and the books compared
 * once more. What is not done in time is done at the next start. `areBalancesOld`: all orders ended, but the
 * exchange did not send new balances in time.
 */
export async function drain(
  bot: CreatedBot,
  of: {
    readonly config: BotConfig;
    readonly venue: Venue;
    readonly onStatus?: () => void;
    /** Called repeatedly while orders are canceled. */
    readonly onCancels?: () => void;
  },
): Promise<{ readonly areBalancesOld: boolean }> {
  const { config, venue } = of;
  const { openOrders, withinMs } = config.drain;
  const isVirtual = venue.time instanceof VirtualTime;
  bot.shell.control({ kind: 'drain', openOrders });
  await runUntil(bot, {
    ...of,
    deadlineMs: venue.time.now() + (isVirtual ? VIRTUAL_DRAIN_MS : withinMs),
    isOver() {
      if (bot.engine.isDrained()) return true;
      of.onCancels?.();
      return false;
    },
  });
  if (!bot.engine.isDrained()) return { areBalancesOld: false };
  const drainedAtMs = venue.time.now();
  const areBalancesOld = (): boolean => (bot.engine.balancesAsOfMs() ?? drainedAtMs) < drainedAtMs;
  const before = bot.engine.status().conclusions;
  bot.shell.control({ kind: 'compare-balances' });
  await runUntil(bot, {
    venue,
    deadlineMs: venue.time.now() + LAST_COMPARISON_MS,
    isOver: () => bot.engine.status().conclusions > before,
  });
  await runUntil(bot, {
    venue,
    deadlineMs: drainedAtMs + LAST_BALANCES_MS,
    isOver: () => !areBalancesOld(),
  });
  return { areBalancesOld: areBalancesOld() };
}

/** Opens the mirror of a run on a venue. Throws `DATA_UNUSABLE` as `MirrorStore.open` does. */
export function openMirror(
  config: BotConfig,
  venue: Venue,
  onRelief: (message: string) => void,
): MirrorStore {
  const { folder, retention } = config.data;
  const options = {
    path: join(folder, mirrorName(config.mode)),
    venue: venue.profile.name,
    retention,
    nowMs: venue.time.now(),
    epoch: drawEpoch,
    // At another speed than real time, nothing is lost by a crash of the machine.
    durability: venue.time instanceof VirtualTime ? 'off' : 'full',
    onRelief,
  } as const;
  return venue.isNew ? openFreshMirror(options) : MirrorStore.open(options);
}

/**
 * Opens the mirror of an exchange that begins anew with every run, and deletes that of the last such run.
 * Other files of that name are left alone.
 */
function openFreshMirror(options: MirrorStoreOptions): MirrorStore {
  if (existsSync(options.path)) {
    // Opening it shows that it is a mirror, and that no other process has it open.
    MirrorStore.open(options).close();
    for (const suffix of ['', '-wal', '-shm', '.ballast', '.mark'])
      rmSync(options.path + suffix, { force: true });
  }
  return MirrorStore.open(options);
}

/** Returns a random mark of four letters and digits that distinguishes the order ids of one mirror. */
function drawEpoch(): string {
  return Array.from({ length: 4 }, () => randomInt(36).toString(36)).join('');
}
