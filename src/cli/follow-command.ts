import type { ControlClient, PostedCommand } from '../daemon/control-client.ts';
import type { ControlProgress, ControlResult } from '../daemon/control-command.ts';
import { isDataFolderInUse } from '../daemon/process-locks.ts';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { SarrafError } from '../domain/errors.ts';
import { readMirror } from './read-mirror.ts';

/** Time without progress after which a command is no longer waited for, in ms: a lockout may last hours. */
const STILL_FOR_MS = 120_000;

/** Longest wait for the bot to accept a command, in ms: a healthy bot does so at once. */
const APPLIED_WITHIN_MS = 15_000;

interface FollowCommandOptions {
  readonly client: ControlClient;
  readonly id: number;
  readonly data: string;
  readonly onProgress?: (progress: ControlProgress) => void;
  /** Called once the bot has accepted the command. */
  readonly onApplied?: () => void;
  readonly stillForMs?: number;
}

/** `gone`: the bot ended, or never ran. `still`: no progress for some time, and the bot continues. */
export type Followed =
  | { readonly kind: 'done'; readonly result: ControlResult }
  | { readonly kind: 'gone' | 'still'; readonly last: PostedCommand };

/** Waits for a running bot to execute a command. */
export async function followCommand(options: FollowCommandOptions): Promise<Followed> {
  const { client, id, data, onProgress, onApplied, stillForMs = STILL_FOR_MS } = options;
  let isApplied = false;
  let movedMs = performance.now();
  let isGone = false;
  let lastText = '';
  let lastMove = '';
  const last = await client.follow({
    id,
    isOver: ({ takenAtMs }) => {
      isGone = !isDataFolderInUse(data);
      const longestMs = takenAtMs === null ? Math.min(stillForMs, APPLIED_WITHIN_MS) : stillForMs;
      return isGone || performance.now() - movedMs > longestMs;
    },
    onChange: ({ progress, takenAtMs }) => {
      // A change of the reason for the wait is no progress.
      const move = JSON.stringify([takenAtMs, progress?.left, progress?.closed]);
      if (move !== lastMove) movedMs = performance.now();
      lastMove = move;
      if (takenAtMs !== null && !isApplied) onApplied?.();
      isApplied ||= takenAtMs !== null;
      const text = JSON.stringify(progress);
      if (progress !== null && text !== lastText) onProgress?.(progress);
      lastText = text;
    },
  });
  // The command may have ended right after its last report.
  const result = last.result ?? client.read(id)?.result ?? null;
  return result === null ? { kind: isGone ? 'gone' : 'still', last } : { kind: 'done', result };
}

/** Maximum number of open orders that are counted; no account has as many. */
const MOST_COUNTED = 100_000;

const OF_ALL = { strategy: null, market: null };

/**
 * Returns the bot's orders that were open at the last write of a data folder's mirror, of a strategy and
 * market if these are not null; null if it cannot be read.
 */
export function ownOpenOrders(
  data: string,
  of: { readonly strategy: string | null; readonly market: string | null } = OF_ALL,
): number | null {
  try {
    return readMirror({ data }, (reader) => reader.orders({ state: 'open', ...of, last: MOST_COUNTED }))
      .length;
  } catch (error) {
    if (error instanceof SarrafError) return null;
    throw error;
  }
}

/** Returns why the mirror of a data folder cannot be read; null if it can. */
export function mirrorProblem(data: string): string | null {
  try {
    readMirror({ data }, () => null);
    return null;
  } catch (error) {
    if (error instanceof SarrafError) return error.message;
    throw error;
  }
}

/** True if a data folder has only ever belonged to a bot on the embedded exchange, which ends with it. */
export const isOfEmbeddedExchange = (data: string): boolean =>
  existsSync(join(data, 'embedded.sqlite')) && !existsSync(join(data, 'mirror.sqlite'));
