import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { z } from 'zod';
import { lifeSignOf, ownerText, thisOwner } from '../budget/process-owner.ts';

/** Owner of a lock, as reported to others. It is a message, never a proof: the lock itself is SQLite's. */
export interface LockOwner {
  readonly pid: number;
  /** The machine or container, since process ids mean something within one only. */
  readonly host: string;
  /** Time the lock was acquired, in ms since 1970. */
  readonly sinceMs: number;
  /** Address of its health report, such as `http://127.0.0.1:9464`; null if it has none. */
  readonly health: string | null;
}

const stored = z.object({
  pid: z.int().positive(),
  host: z.string().max(255),
  sinceMs: z.int().nonnegative(),
  health: z
    .url({ protocol: /^http$/ })
    .max(100)
    .nullable(),
  owner: z.string().max(200),
});

const ownerPath = (lockPath: string): string => `${lockPath}.owner.json`;

/** Returns this process's note for a lock that it acquires. */
export function ownNote(nowMs: number): LockOwner {
  return { pid: process.pid, host: hostname(), sinceMs: nowMs, health: null };
}

/**
 * Writes down who has a lock, beside it. Called by the one that has it; a reader sees a whole file or none.
 */
export function writeLockOwner(lockPath: string, note: LockOwner): void {
  const draft = `${ownerPath(lockPath)}.draft`;
  writeFileSync(draft, JSON.stringify({ ...note, owner: ownerText(thisOwner()) }));
  renameSync(draft, ownerPath(lockPath));
}

/** Takes the note away, by the one that has the lock. */
export function removeLockOwner(lockPath: string): void {
  rmSync(ownerPath(lockPath), { force: true });
}

/**
 * Returns the owner of a held lock; null if no note can be read, or the note is that of a process proven
 * dead: a lock just acquired has its predecessor's note for a moment.
 */
export function readLockOwner(lockPath: string): LockOwner | null {
  try {
    const parsed = stored.safeParse(JSON.parse(readFileSync(ownerPath(lockPath), 'utf8')));
    if (!parsed.success) return null;
    const { owner, ...details } = parsed.data;
    return lifeSignOf(owner, thisOwner()) === 'dead' ? null : details;
  } catch {
    return null;
  }
}
