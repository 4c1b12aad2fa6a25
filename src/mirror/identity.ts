import { statSync } from 'node:fs';
import type Database from 'better-sqlite3';
import { invariant } from '../domain/errors.ts';
import { checkVenue } from './unusable.ts';

/** Maximum number of draws of an epoch that differs from the old one. */
const TRIES = 16;

/**
 * Identity of this mirror's file, and its epoch: the mark in our order ids. A mirror restored from a copy
 * knows less than the exchange does, so it must not issue ids that were issued before: it gets another epoch.
 * A restored file is recognised by its place on the disk, which no other file has, and by a journal that is
 * behind its progress mark. A folder that is copied over itself, mark included, is not noticed.
 */
export class Identity {
  private readonly database: Database.Database;
  private readonly createEpoch: () => string;

  constructor(database: Database.Database, createEpoch: () => string) {
    this.database = database;
    this.createEpoch = createEpoch;
  }

  get epoch(): string {
    return this.read('epoch') ?? '';
  }

  /** Stored data of the account, as its owner writes it; null before any. */
  get account(): string | null {
    return this.read('account') ?? null;
  }

  /** Stores the venue of a new mirror. Throws `DATA_UNUSABLE` if it is that of another one. */
  claimVenue(venue: string): void {
    const stored = this.read('venue') ?? null;
    checkVenue(this.database.name, { venue: stored, epoch: this.epoch }, venue);
    if (stored === null) this.write('venue', venue);
  }

  persistAccount(text: string): void {
    if (text !== this.account) this.write('account', text);
  }

  /** Draws the epoch of a new or restored mirror; any other mirror keeps its epoch. */
  settle(markedSeq: number): void {
    const place = this.place();
    const lastSeq = this.database.prepare('SELECT ifnull(max(seq), 0) FROM journal').pluck().get() as number;
    if (this.epoch !== '' && this.read('place') === place && markedSeq <= lastSeq) {
      // Writes nothing new, but fails where the file can not be written.
      this.write('place', place);
      return;
    }
    this.renew();
    this.write('place', place);
  }

  private renew(): void {
    const old = this.epoch;
    for (let tries = 0; tries < TRIES; tries += 1) {
      const epoch = this.createEpoch();
      invariant(
        /^[a-z0-9]{4}$/.test(epoch),
        `expected an epoch of four of [a-z0-9], was ${JSON.stringify(epoch)}`,
      );
      if (epoch === old) continue;
      this.write('epoch', epoch);
      return;
    }
    invariant(false, `expected a new epoch within ${TRIES} tries, was always ${old}`);
  }

  private place(): string {
    const { dev, ino } = statSync(this.database.name, { bigint: true });
    return `${dev}:${ino}`;
  }

  private read(name: string): string | undefined {
    return this.database.prepare('SELECT value FROM meta WHERE name = ?').pluck().get(name) as
      | string
      | undefined;
  }

  private write(name: string, value: string): void {
    this.database.prepare('INSERT OR REPLACE INTO meta VALUES (?, ?)').run(name, value);
  }
}

/**
 * Marks a file as restored from a copy, whatever place on the disk it gets: the next start draws a new epoch.
 */
export function forgetPlace(database: Database.Database): void {
  database.prepare("DELETE FROM meta WHERE name = 'place'").run();
}
