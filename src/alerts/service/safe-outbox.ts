import { statSync } from 'node:fs';
import type Database from 'better-sqlite3';
import { isBusy } from '../../budget/ledger-file.ts';
import { english, sentence } from '../../language/sentence.ts';
import { problemOf } from '../channels/channel.ts';
import { AlertOutbox } from '../alert-outbox.ts';
import { openOutboxFile, openOutboxInMemory, type OutboxOwner } from '../outbox-file.ts';
import { MOST_MUTED_MS } from '../core/plan-message.ts';

/**
 * The outbox of a data folder, and one in memory from the moment on at which the file can not be used: what
 * is open or on its way goes on from there. It stays in memory until the next start.
 */
export class SafeOutbox {
  private outbox: AlertOutbox;
  private fault: string | null = null;
  /** The file as it was opened; null in memory. */
  private file: { readonly path: string; readonly inode: number } | null = null;

  /** `open`: opens the file; the data folder's by default. */
  constructor(dataFolder: string, open: () => Database.Database = () => openOutboxFile(dataFolder)) {
    this.outbox = new AlertOutbox(openOutboxInMemory());
    try {
      const database = open();
      const file = new AlertOutbox(database);
      this.outbox.close();
      this.outbox = file;
      const { name: path, memory } = database;
      if (!memory) this.file = { path, inode: statSync(path).ino };
    } catch (error) {
      this.fault = problemOf(error);
    }
  }

  /** Reason nothing is stored on disk; null while it is. */
  get problem(): string | null {
    return this.fault;
  }

  /**
   * Does something with the outbox; where the file refuses or is gone, in memory. Null while another process
   * writes to it: it is done with the next look.
   */
  use<Result>(work: (outbox: AlertOutbox) => Result): Result | null {
    if (this.isGone()) this.goOnInMemory(new Error(english(sentence('outbox-gone'))));
    try {
      return work(this.outbox);
    } catch (error) {
      if (isBusy(error)) return null;
      if (this.fault !== null) throw error;
      this.goOnInMemory(error);
      return work(this.outbox);
    }
  }

  close(): void {
    this.outbox.close();
  }

  /** SQLite would write on into a file that nobody finds any more, and a list of alerts would be empty. */
  private isGone(): boolean {
    const { file } = this;
    return file !== null && statSync(file.path, { throwIfNoEntry: false })?.ino !== file.inode;
  }

  private goOnInMemory(error: unknown): void {
    this.fault = problemOf(error);
    this.file = null;
    const memory = new AlertOutbox(openOutboxInMemory());
    try {
      memory.mergeFrom(this.outbox);
    } catch {
      // What can not be read is lost until the next start; what still holds is found again.
    }
    try {
      this.outbox.close();
    } catch {
      // It is not used any more.
    }
    this.outbox = memory;
  }
}

/** Opens the outbox of a run or of its watchdog, and says what is not as it was left. */
export function openOutbox(
  dataFolder: string,
  {
    owner,
    log,
  }: { readonly owner: OutboxOwner; readonly log: (level: 'info' | 'warning', text: string) => void },
): SafeOutbox {
  const outbox = new SafeOutbox(dataFolder, () => openOutboxFile(dataFolder, owner));
  if (outbox.problem !== null)
    log('warning', `alerts are kept in memory only, and lost with this ${owner}: ${outbox.problem}`);
  const unsaid = outbox.use((each) => each.settlePutBack(Date.now()));
  if (unsaid !== null)
    log(
      'info',
      `alerts go on from a backup: ${unsaid} messages of more than a day ago are not sent any more`,
    );
  return outbox;
}

const NAME = 'muted until';

/**
 * Until when only what is critical is said; 0 where nothing is held back. A time further away than anybody
 * can mute is of a clock that was set back since, and holds back nothing.
 */
export function mutedUntilMs(outbox: SafeOutbox, nowMs: number): number {
  const untilMs = Number(outbox.use((each) => each.meta(NAME)) ?? 0);
  return untilMs > nowMs && untilMs - nowMs <= MOST_MUTED_MS ? untilMs : 0;
}

export function persistMuted(outbox: SafeOutbox, untilMs: number): void {
  outbox.use((each) => each.setMeta(NAME, String(untilMs)));
}
