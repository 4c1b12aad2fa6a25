import type Database from 'better-sqlite3';
import { isBusy } from '../../budget/ledger-file.ts';
import { problemOf } from '../channels/channel.ts';
import { AlertOutbox } from '../outbox/alert-outbox.ts';
import { openOutboxFile, openOutboxInMemory } from '../outbox/outbox-file.ts';

/**
 * The outbox of a data folder, and one in memory from the moment on at which the file can not be used: what
 * is open or on its way goes on from there. It stays in memory until the next start.
 */
export class SafeOutbox {
  private outbox: AlertOutbox;
  private fault: string | null = null;

  /** `open`: opens the file; the data folder's by default. */
  constructor(dataFolder: string, open: () => Database.Database = () => openOutboxFile(dataFolder)) {
    this.outbox = new AlertOutbox(openOutboxInMemory());
    try {
      const file = new AlertOutbox(open());
      this.outbox.close();
      this.outbox = file;
    } catch (error) {
      this.fault = problemOf(error);
    }
  }

  /** Why nothing is kept on the disk; null while it is. */
  get problem(): string | null {
    return this.fault;
  }

  /**
   * Does something with the outbox; where the file refuses, again in memory. Null while another process
   * writes to it: it is done with the next look.
   */
  use<Result>(work: (outbox: AlertOutbox) => Result): Result | null {
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

  private goOnInMemory(error: unknown): void {
    this.fault = problemOf(error);
    const memory = new AlertOutbox(openOutboxInMemory());
    try {
      memory.takeOver(this.outbox);
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
