import type { Command } from 'commander';
import { waitingLocks } from '../../daemon/waiting-commands.ts';
import { bothTimesText } from '../../domain/zone-time.ts';
import type { LockCommand } from '../../engine/engine-event.ts';
import { scopeText, untilText } from '../../engine/lock.ts';
import { lockLines } from '../lock-lines.ts';
import { locksNow } from '../../mirror/strategy-status.ts';
import { hasMirror, mirrorCommand, print, readMirror, type MirrorOptions } from '../read-mirror.ts';

const EXAMPLES = `  sarraf locks
  sarraf locks --data /data --json

Locks of hours and dates are known as far as the bot had worked them out when it ran last.`;

function waitingText(command: LockCommand): string {
  if (command.kind === 'lock')
    return `lock ${command.name} of ${scopeText(command)} ${untilText(command.untilMs)}`;
  const name = command.name === null ? '' : `${command.name} of `;
  return `unlock ${name}${command.isAll ? 'everything' : scopeText(command)}`;
}

function showLocks(options: MirrorOptions): void {
  const nowMs = Date.now();
  const waiting = waitingLocks(options.data);
  // A lock may have been set before the bot ran for the first time.
  const isNew = !hasMirror(options) && waiting.length > 0;
  const rows = isNew ? [] : readMirror(options, (reader) => reader.summary().stored);
  const { locks, nextChangeAtMs } = locksNow(rows, nowMs);
  print(options, {
    json: { atMs: nowMs, locks, nextChangeAtMs, waiting },
    lines: () => [
      ...(locks.length === 0 ? ['No lock holds.'] : lockLines(locks, nowMs)),
      ...(nextChangeAtMs === null ? [] : [`Next change: ${bothTimesText(nextChangeAtMs)}.`]),
      ...waiting.map((command) => `Waits for the bot: ${waitingText(command)}.`),
    ],
  });
}

export function locksCommand(): Command {
  return mirrorCommand('locks', {
    description: 'Shows the locks that hold, why and until when.',
    examples: EXAMPLES,
  }).action(showLocks);
}
