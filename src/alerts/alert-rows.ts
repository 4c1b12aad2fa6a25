import type Database from 'better-sqlite3';
import type { AlertFacts, Severity, Alert } from './core/alert-facts.ts';

const COLUMNS = `alerts.id, alerts.key, alerts.severity, alerts.facts, alerts.opened_at_ms AS openedAtMs,
  alerts.ended_at_ms AS endedAtMs, alerts.acknowledged_at_ms AS acknowledgedAtMs,
  alerts.acknowledged_by AS acknowledgedBy, alerts.step, alerts.said_at_ms AS saidAtMs,
  alerts.absent_since_ms AS absentSinceMs`;

/** State of a message about an alert in a channel. */
interface Delivery {
  readonly channel: string;
  readonly state: 'waiting' | 'delivered' | 'failed';
  /** Time it was delivered or given up; null while it waits. */
  readonly atMs: number | null;
}

/** An alert with what became of its messages. */
export interface ListedAlert extends Alert {
  /** One for each channel: how the last message about the alert stands. */
  readonly deliveries: readonly Delivery[];
}

type AlertRow = Omit<Alert, 'facts' | 'severity'> & { readonly severity: Severity; readonly facts: string };

/** The outbox is written by this program alone, and its file is checked when it is opened. */
function alertOf({ facts, ...row }: AlertRow): Alert {
  return { ...row, facts: JSON.parse(facts) as AlertFacts };
}

/** Alerts by a condition, such as `WHERE ended_at_ms IS NULL`. */
export function selectAlerts(
  database: Database.Database,
  where: string,
): (...values: readonly (string | number)[]) => readonly Alert[] {
  const statement = database.prepare<(string | number)[], AlertRow>(`SELECT ${COLUMNS} FROM alerts ${where}`);
  return (...values) => statement.all(...values).map(alertOf);
}

export interface AlertFilter {
  readonly isOpenOnly: boolean;
  /** The newest so many. */
  readonly last: number;
  /** Only alerts before this one; null: from the newest on. */
  readonly beforeId: number | null;
}

/** Alerts, the newest first, each with how its messages stand. */
export function listAlerts(database: Database.Database, filter: AlertFilter): readonly ListedAlert[] {
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
