import type Database from 'better-sqlite3';
import { present } from '../domain/errors.ts';
import {
  type Severity,
  type Alert,
  type NoteKind,
  channelsFor,
  type ChannelRoute,
  type AlertFacts,
  type AlertChange,
} from './core/alert-facts.ts';
import type { MessagePlan, Note, SentMessage } from './core/plan-message.ts';

/**
 * Maximum number of notes that wait for one channel; beyond it the least severe and oldest are deleted and
 * counted.
 */
const MOST_WAITING = 300;

/** Name of the entry in `meta` that marks an outbox restored from a backup. */
export const PUT_BACK = 'put back';

/** Age in ms beyond which unsent items are given up when a copy of the outbox has been restored. */
const OLD_MS = 86_400_000;

/** Maximum number of alerts and messages that are stored, and the longest time. */
const MOST_RETAINED = 5_000;
const RETAINED_MS = 90 * 86_400_000;

/** Position up to which the journal was read, in the mirror of an epoch. */
export interface JournalCursor {
  readonly epoch: string;
  readonly seq: number;
}

/** A message to be sent, as it was composed: each attempt sends the same. */
export interface StoredMessage {
  readonly id: number;
  readonly channel: string;
  readonly plan: MessagePlan;
  readonly madeAtMs: number;
  readonly tries: number;
  readonly nextAtMs: number;
}

/** Result of one poll, as it is stored. */
interface OutboxSnapshot {
  readonly changes: readonly AlertChange[];
  readonly atMs: number;
  /** Journal position after the poll; null if the mirror was not read. */
  readonly cursor: JournalCursor | null;
  readonly channels: readonly ChannelRoute[];
  /** Small texts to be stored with it, by name. */
  readonly meta?: Readonly<Record<string, string>>;
}

/**
 * Stored alerts, the notes that channels have yet to send about them, and unsent messages. The result of a
 * poll is written together with the journal position: after a crash nothing is missed or found twice. A
 * message is written before it is sent and marked after the reply, so that it is sent at least once, under
 * one id.
 */
export class AlertOutbox {
  private readonly database: Database.Database;

  constructor(database: Database.Database) {
    this.database = database;
  }

  /** Returns the stored journal position; null before the first poll. */
  cursor(): JournalCursor | null {
    const text = this.meta('cursor');
    return text === null ? null : (JSON.parse(text) as JournalCursor);
  }

  meta(name: string): string | null {
    return (
      this.database.prepare<[string], string>('SELECT value FROM meta WHERE name = ?').pluck().get(name) ??
      null
    );
  }

  /** Returns the number of chat messages from strangers, which were not answered. */
  strangers(): number {
    return Number(
      this.database
        .prepare<[], number>("SELECT ifnull(sum(value), 0) FROM meta WHERE name GLOB 'strangers *'")
        .pluck()
        .get(),
    );
  }

  setMeta(name: string, value: string): void {
    this.database.prepare('INSERT OR REPLACE INTO meta VALUES (?, ?)').run(name, value);
  }

  /** Deletes questions by chat that were answered, or asked before a time. */
  forgetAsked(beforeMs: number): void {
    this.database
      .prepare(
        `DELETE FROM meta WHERE name GLOB 'asked *'
         AND (value = '' OR ifnull(json_extract(value, '$.atMs'), 0) < ?)`,
      )
      .run(beforeMs);
  }

  openAlerts(): readonly Alert[] {
    return selectAlerts(this.database, 'WHERE ended_at_ms IS NULL ORDER BY id')();
  }

  list(filter: AlertFilter): readonly ListedAlert[] {
    return listAlerts(this.database, filter);
  }

  /** Writes the result of a poll, all of it or nothing. */
  apply({ changes, atMs, cursor, channels, meta = {} }: OutboxSnapshot): void {
    const work = (): void => {
      for (const change of changes) this.applyOne(change, { atMs, channels });
      if (cursor !== null) this.setMeta('cursor', JSON.stringify(cursor));
      for (const [name, value] of Object.entries(meta)) this.setMeta(name, value);
    };
    this.database.transaction(work).immediate();
  }

  /** Returns the notes that a channel has yet to send, the oldest first. */
  notes(channel: string): readonly Note[] {
    const rows = this.database
      .prepare<
        [string, number],
        { readonly id: number; readonly kind: NoteKind; readonly atMs: number; readonly alertId: number }
      >(
        `SELECT id, kind, at_ms AS atMs, alert_id AS alertId FROM notes
         WHERE channel = ? AND message_id IS NULL ORDER BY id LIMIT ?`,
      )
      .all(channel, MOST_WAITING);
    const alertOf = selectAlerts(this.database, 'WHERE id = ?');
    return rows.map(({ alertId, ...note }) => ({
      ...note,
      alert: present(alertOf(alertId)[0], `the alert ${alertId}`),
    }));
  }

  /** Returns how many notes of a channel were dropped since the last call because too many waited. */
  drainDropped(channel: string): number {
    const count = Number(this.meta(`dropped ${channel}`) ?? 0);
    if (count > 0) this.setMeta(`dropped ${channel}`, '0');
    return count;
  }

  /** Stores a message, which settles its notes, and returns it as it is to be sent. */
  compose(channel: string, plan: MessagePlan, atMs: number): StoredMessage {
    const work = (): StoredMessage => {
      const whole = { ...plan, more: plan.more + this.drainDropped(channel) };
      const { lastInsertRowid } = this.database
        .prepare('INSERT INTO messages (channel, plan, made_at_ms, tries, next_at_ms) VALUES (?, ?, ?, 0, ?)')
        .run(channel, JSON.stringify(whole), atMs, atMs);
      const id = Number(lastInsertRowid);
      const settle = this.database.prepare('UPDATE notes SET message_id = ? WHERE id = ?');
      for (const noteId of plan.noteIds) settle.run(id, noteId);
      return { id, channel, plan: whole, madeAtMs: atMs, tries: 0, nextAtMs: atMs };
    };
    return this.database.transaction(work).immediate();
  }

  /**
   * Returns the unsent messages of a channel, the oldest first: one, and in quiet hours a second one that
   * does not wait for their end.
   */
  unsent(channel: string): readonly StoredMessage[] {
    return this.database
      .prepare<[string], Omit<StoredMessage, 'plan'> & { readonly plan: string }>(
        `SELECT id, channel, plan, made_at_ms AS madeAtMs, tries, next_at_ms AS nextAtMs FROM messages
         WHERE channel = ? AND sent_at_ms IS NULL AND given_up_at_ms IS NULL ORDER BY id`,
      )
      .all(channel)
      .map((row) => ({ ...row, plan: JSON.parse(row.plan) as MessagePlan }));
  }

  /** Marks a message as accepted by the service. */
  sent(id: number, atMs: number): void {
    this.database.prepare('UPDATE messages SET sent_at_ms = ?, problem = NULL WHERE id = ?').run(atMs, id);
  }

  /** Notes that the service did not accept a message, which is tried again at `nextAtMs`. */
  failed(id: number, of: { readonly nextAtMs: number; readonly problem: string }): void {
    this.database
      .prepare('UPDATE messages SET tries = tries + 1, next_at_ms = ?, problem = ? WHERE id = ?')
      .run(of.nextAtMs, of.problem, id);
  }

  /** Marks a message as given up: it is not tried again. */
  gaveUp(id: number, of: { readonly atMs: number; readonly problem: string }): void {
    this.database
      .prepare('UPDATE messages SET given_up_at_ms = ?, problem = ? WHERE id = ?')
      .run(of.atMs, of.problem, id);
  }

  /** Returns the messages of a channel that were sent since a time, the oldest first. */
  sentSince(channel: string, sinceMs: number): readonly SentMessage[] {
    return this.database
      .prepare<[string, number], SentMessage>(
        `SELECT sent_at_ms AS atMs, json_extract(plan, '$.severity') AS severity FROM messages
         WHERE channel = ? AND sent_at_ms > ? ORDER BY sent_at_ms`,
      )
      .all(channel, sinceMs);
  }

  /**
   * Cleans up an outbox that was restored from a backup; called at the start. Its unsent items are most
   * likely sent by now, or over: those older than a day are given up, and younger ones are sent again under
   * their id. Returns how many messages and notes were given up; null if the outbox was not restored.
   */
  settlePutBack(atMs: number): number | null {
    if (this.meta(PUT_BACK) === null) return null;
    const work = (): number => {
      const messages = this.database
        .prepare(
          `UPDATE messages SET given_up_at_ms = ?, problem = 'put back from a backup'
           WHERE sent_at_ms IS NULL AND given_up_at_ms IS NULL AND made_at_ms < ?`,
        )
        .run(atMs, atMs - OLD_MS);
      const notes = this.database
        .prepare('DELETE FROM notes WHERE message_id IS NULL AND at_ms < ?')
        .run(atMs - OLD_MS);
      this.database.prepare('DELETE FROM meta WHERE name = ?').run(PUT_BACK);
      return messages.changes + notes.changes;
    };
    return this.database.transaction(work).immediate();
  }

  /**
   * Marks an alert as acknowledged, with all older ones if wanted. False if there is none to mark: no such
   * alert, or it was acknowledged before.
   */
  acknowledge(
    id: number,
    of: { readonly by: string; readonly atMs: number; readonly andOlder?: boolean },
  ): boolean {
    const { changes } = this.database
      .prepare(
        `UPDATE alerts SET acknowledged_at_ms = ?, acknowledged_by = ?
         WHERE ${of.andOlder === true ? 'id <= ?' : 'id = ?'} AND acknowledged_at_ms IS NULL`,
      )
      .run(of.atMs, of.by, id);
    return changes > 0;
  }

  /** Deletes alerts and messages that are old or too many, and what waits for channels that are gone. */
  prune(atMs: number, channels: readonly ChannelRoute[]): void {
    const work = (): void => {
      const over = 'ended_at_ms IS NOT NULL';
      this.database.prepare(`DELETE FROM alerts WHERE ${over} AND ended_at_ms < ?`).run(atMs - RETAINED_MS);
      this.database
        .prepare(
          `DELETE FROM alerts WHERE ${over} AND id <= (SELECT id FROM alerts ORDER BY id DESC LIMIT 1 OFFSET ?)`,
        )
        .run(MOST_RETAINED);
      const names = JSON.stringify(channels.map(({ name }) => name));
      this.database
        .prepare(
          'DELETE FROM notes WHERE message_id IS NULL AND channel NOT IN (SELECT value FROM json_each(?))',
        )
        .run(names);
      const gone = `made_at_ms < ? OR (sent_at_ms IS NULL AND channel NOT IN (SELECT value FROM json_each(?)))
        OR id <= (SELECT id FROM messages ORDER BY id DESC LIMIT 1 OFFSET ?)`;
      const bounds = [atMs - RETAINED_MS, names, MOST_RETAINED] as const;
      // A note whose message is gone would count as unsent again.
      this.database
        .prepare(`DELETE FROM notes WHERE message_id IN (SELECT id FROM messages WHERE ${gone})`)
        .run(...bounds);
      this.database.prepare(`DELETE FROM messages WHERE ${gone}`).run(...bounds);
    };
    this.database.transaction(work).immediate();
  }

  /** Copies all open alerts and unsent messages from another outbox, as far as it can be read. */
  mergeFrom(other: AlertOutbox): void {
    const work = (): void => {
      for (const table of ['meta', 'alerts', 'messages', 'notes']) {
        const rows = other.database
          .prepare<[], Record<string, string | number | null>>(OPEN_ROWS[table] ?? '')
          .all();
        for (const row of rows) {
          const names = Object.keys(row);
          this.database
            .prepare(
              `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map((name) => `@${name}`).join(', ')})`,
            )
            .run(row);
        }
      }
    };
    this.database.transaction(work)();
  }

  close(): void {
    this.database.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  private applyOne(
    change: AlertChange,
    of: { readonly atMs: number; readonly channels: readonly ChannelRoute[] },
  ): void {
    const { atMs } = of;
    switch (change.kind) {
      case 'open':
        this.open(change, of);
        return;
      case 'end':
        this.update(change.id, 'ended_at_ms = @value, absent_since_ms = NULL', change.atMs);
        if (change.facts !== undefined)
          this.update(change.id, 'facts = @value', JSON.stringify(change.facts));
        this.note(change.id, 'ended', of);
        return;
      case 'escalate':
        this.update(change.id, 'step = @value', change.step);
        this.update(change.id, 'said_at_ms = @value', atMs);
        this.note(change.id, 'escalated', of);
        return;
      case 'remind':
        this.update(change.id, 'said_at_ms = @value', atMs);
        this.note(change.id, 'reminder', of);
        return;
      case 'absent':
        this.update(change.id, 'absent_since_ms = @value', change.sinceMs);
    }
  }

  private open(
    { condition }: Extract<AlertChange, { kind: 'open' }>,
    of: { readonly atMs: number; readonly channels: readonly ChannelRoute[] },
  ): void {
    const { key, severity, facts, sinceMs, isMoment } = condition;
    const { lastInsertRowid } = this.database
      .prepare(
        `INSERT INTO alerts (key, severity, facts, opened_at_ms, ended_at_ms, step, said_at_ms)
         VALUES (?, ?, ?, ?, ?, 1, ?)`,
      )
      .run(key, severity, JSON.stringify(facts), sinceMs, isMoment === true ? sinceMs : null, of.atMs);
    this.note(Number(lastInsertRowid), 'opened', of);
  }

  private update(id: number, what: string, value: number | string | null): void {
    this.database.prepare(`UPDATE alerts SET ${what} WHERE id = @id`).run({ id, value });
  }

  /** Adds a note about an alert to each channel that accepts it, within the channel's bound. */
  private note(
    alertId: number,
    kind: NoteKind,
    { atMs, channels }: { readonly atMs: number; readonly channels: readonly ChannelRoute[] },
  ): void {
    const alert = this.database
      .prepare<[number], { readonly severity: Severity; readonly step: number }>(
        'SELECT severity, step FROM alerts WHERE id = ?',
      )
      .get(alertId);
    if (alert === undefined) return;
    const add = this.database.prepare(
      'INSERT INTO notes (channel, alert_id, kind, at_ms) VALUES (?, ?, ?, ?)',
    );
    const bound = this.database.prepare(
      `DELETE FROM notes WHERE id IN (SELECT waiting.id FROM notes AS waiting
         JOIN alerts ON alerts.id = waiting.alert_id
         WHERE waiting.channel = ? AND waiting.message_id IS NULL
         ORDER BY CASE alerts.severity WHEN 'critical' THEN 0 WHEN 'warning' THEN 1 ELSE 2 END, waiting.id DESC
         LIMIT -1 OFFSET ?)`,
    );
    for (const channel of channelsFor({ kind, ...alert }, channels)) {
      add.run(channel, alertId, kind, atMs);
      const { changes } = bound.run(channel, MOST_WAITING);
      if (changes > 0)
        this.setMeta(`dropped ${channel}`, String(Number(this.meta(`dropped ${channel}`) ?? 0) + changes));
    }
  }
}

/** Queries for the rows that an outbox in memory continues with. */
const OPEN_ROWS: Readonly<Record<string, string>> = {
  meta: 'SELECT * FROM meta',
  alerts: `SELECT * FROM alerts WHERE ended_at_ms IS NULL OR id IN (SELECT alert_id FROM notes
    LEFT JOIN messages ON messages.id = message_id WHERE sent_at_ms IS NULL AND given_up_at_ms IS NULL)`,
  messages: `SELECT * FROM messages WHERE given_up_at_ms IS NULL AND
    (sent_at_ms IS NULL OR id IN (SELECT id FROM messages ORDER BY id DESC LIMIT 100))`,
  notes: `SELECT notes.* FROM notes LEFT JOIN messages ON messages.id = message_id
    WHERE sent_at_ms IS NULL AND given_up_at_ms IS NULL`,
};

const COLUMNS = `alerts.id, alerts.key, alerts.severity, alerts.facts, alerts.opened_at_ms AS openedAtMs,
  alerts.ended_at_ms AS endedAtMs, alerts.acknowledged_at_ms AS acknowledgedAtMs,
  alerts.acknowledged_by AS acknowledgedBy, alerts.step, alerts.said_at_ms AS saidAtMs,
  alerts.absent_since_ms AS absentSinceMs`;

/** State of a message about an alert in a channel. */
interface Delivery {
  readonly channel: string;
  readonly state: 'waiting' | 'delivered' | 'failed';
  /** Time it was delivered or given up, in ms since 1970; null while it waits. */
  readonly atMs: number | null;
}

/** An alert with the state of its messages. */
export interface ListedAlert extends Alert {
  /** State of the last message about the alert, for each channel. */
  readonly deliveries: readonly Delivery[];
}

type AlertRow = Omit<Alert, 'facts' | 'severity'> & { readonly severity: Severity; readonly facts: string };

/** Reads an alert from its row without checks: the file was checked when it was opened. */
function alertOf({ facts, ...row }: AlertRow): Alert {
  return { ...row, facts: JSON.parse(facts) as AlertFacts };
}

/** Returns the alerts that match a condition, such as `WHERE ended_at_ms IS NULL`. */
function selectAlerts(
  database: Database.Database,
  where: string,
): (...values: readonly (string | number)[]) => readonly Alert[] {
  const statement = database.prepare<(string | number)[], AlertRow>(`SELECT ${COLUMNS} FROM alerts ${where}`);
  return (...values) => statement.all(...values).map(alertOf);
}

export interface AlertFilter {
  readonly isOpenOnly: boolean;
  /** Maximum number of alerts to return, the newest. */
  readonly last: number;
  /** Id of the alert before which the list begins; null: from the newest on. */
  readonly beforeId: number | null;
}

/** Returns alerts, the newest first, each with the state of its messages. */
function listAlerts(database: Database.Database, filter: AlertFilter): readonly ListedAlert[] {
  const { isOpenOnly, last, beforeId } = filter;
  const alerts = selectAlerts(
    database,
    `WHERE id < ? ${isOpenOnly ? 'AND ended_at_ms IS NULL' : ''} ORDER BY id DESC LIMIT ?`,
  )(beforeId ?? Number.MAX_SAFE_INTEGER, last);
  const deliveries = database.prepare<
    [number],
    {
      readonly channel: string;
      readonly sentAtMs: number | null;
      readonly givenUpAtMs: number | null;
    }
  >(
    `SELECT notes.channel, messages.sent_at_ms AS sentAtMs, messages.given_up_at_ms AS givenUpAtMs
     FROM notes LEFT JOIN messages ON messages.id = notes.message_id
     WHERE notes.id IN (SELECT max(id) FROM notes WHERE alert_id = ? GROUP BY channel) ORDER BY notes.channel`,
  );
  return alerts.map((alert) => ({
    ...alert,
    deliveries: deliveries.all(alert.id).map(({ channel, sentAtMs, givenUpAtMs }): Delivery => ({
      channel,
      state: sentAtMs !== null ? 'delivered' : givenUpAtMs === null ? 'waiting' : 'failed',
      atMs: sentAtMs ?? givenUpAtMs,
    })),
  }));
}
