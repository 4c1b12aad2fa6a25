import { HOUR_MS, weekdayOf } from '../../domain/time-text.ts';
import { calendarAt, type Session } from '../../engine/trading-calendar.ts';
import { isAtLeast, SEVERITIES, type Severity, type Alert, type NoteKind } from './alert-facts.ts';
import { tehranDay, tehranInstant } from '../../domain/zone-time.ts';

export interface SentMessage {
  readonly atMs: number;
  readonly severity: Severity;
}

/** A notification about an alert that a channel has yet to send. */
export interface Note {
  readonly id: number;
  readonly kind: NoteKind;
  readonly atMs: number;
  readonly alert: Alert;
}

/** One line of a message: all news about one alert. */
export interface MessageItem {
  readonly kind: NoteKind;
  readonly alert: Alert;
}

/** Content that is sent as one message. */
export interface MessagePlan {
  readonly severity: Severity;
  readonly items: readonly MessageItem[];
  /** Number of alerts that have no line, as there are too many. */
  readonly more: number;
  /** Ids of the notes that the message settles. */
  readonly noteIds: readonly number[];
}

type ChannelPlan =
  | { readonly kind: 'idle' }
  | { readonly kind: 'wait'; readonly untilMs: number }
  | { readonly kind: 'send'; readonly message: MessagePlan };

export interface PacingSettings {
  /** Time after a message in which notes are gathered for the next one, in ms. */
  readonly groupMs: number;
  readonly mostPerHour: number;
  /** Quiet hours by Tehran's clock; null: none. */
  readonly quietHours: Session | null;
}

/** Longest mute, in ms. */
export const MOST_MUTED_MS = 86_400_000;
/** Maximum number of alerts that one message names; the rest are counted. */
const MOST_ITEMS = 10;
/** Factor of the hourly limit for critical messages. */
const CRITICAL_TIMES = 2;

/**
 * Returns what a channel should send now. The first note leaves at once. Notes within `groupMs` of a message
 * that was as severe are gathered into the next one. At the hourly limit notes wait and are gathered too, so
 * nothing is lost: the message then names ten alerts and counts the others. Quiet hours and a mute hold back
 * everything except critical notes.
 */
export function planMessage(
  {
    notes,
    sent,
    mutedUntilMs,
  }: {
    /** Notes to send, the oldest first. */
    readonly notes: readonly Note[];
    /** Messages of the last hour, the oldest first. */
    readonly sent: readonly SentMessage[];
    readonly mutedUntilMs: number;
  },
  settings: PacingSettings,
  atMs: number,
): ChannelPlan {
  if (notes.length === 0) return { kind: 'idle' };
  const heldUntilMs = restUntilMs(settings, mutedUntilMs, atMs);
  const critical = notes.filter(({ alert }) => alert.severity === 'critical');
  const due = heldUntilMs > atMs ? critical : notes;
  if (due.length === 0) return { kind: 'wait', untilMs: heldUntilMs };
  const message = messageOf(due);
  const untilMs = pacedUntilMs(sent, settings, { severity: message.severity, atMs });
  return untilMs > atMs ? { kind: 'wait', untilMs } : { kind: 'send', message };
}

/** Returns the time until which only critical messages leave, in ms since 1970; a past time if all may. */
export function restUntilMs(
  { quietHours }: Pick<PacingSettings, 'quietHours'>,
  mutedUntilMs: number,
  atMs: number,
): number {
  return Math.max(quietUntilMs(quietHours, atMs), mutedUntilMs);
}

/** Returns true if a message contains anything critical, and so is not held back. */
export function isUrgent({ items }: MessagePlan): boolean {
  return items.some(({ alert }) => alert.severity === 'critical');
}

function quietUntilMs(quietHours: Session | null, atMs: number): number {
  if (quietHours === null) return 0;
  const everyDay = Array.from({ length: 7 }, () => true);
  const { isOpen, untilMs } = calendarAt({ sessions: [quietHours], weekdays: everyDay, closed: [] }, atMs);
  return isOpen ? untilMs : 0;
}

/** Returns the time at which grouping and the hourly limit allow the next message, in ms since 1970. */
function pacedUntilMs(
  sent: readonly SentMessage[],
  { groupMs, mostPerHour }: PacingSettings,
  { severity, atMs }: SentMessage,
): number {
  // A message dated in the future was sent before the clock was set back.
  const inHour = sent.filter((one) => one.atMs > atMs - HOUR_MS && one.atMs <= atMs);
  // A message more severe than all recent ones does not wait for them.
  const last = inHour.findLast((one) => isAtLeast(one.severity, severity));
  const groupedUntilMs = last === undefined ? 0 : last.atMs + groupMs;
  const most = mostPerHour * (severity === 'critical' ? CRITICAL_TIMES : 1);
  const oldestOfBound = inHour.length < most ? undefined : inHour[inHour.length - most];
  return Math.max(groupedUntilMs, oldestOfBound === undefined ? 0 : oldestOfBound.atMs + HOUR_MS);
}

function messageOf(due: readonly Note[]): MessagePlan {
  const [first] = due;
  const others = due.filter(({ alert }) => alert.facts.rule !== 'summary');
  // A summary has a picture, and is sent alone; more severe alerts do not wait for it.
  const isTurn = first?.alert.facts.rule === 'summary';
  if (!isTurn) return gathered(others);
  const behind = gathered(others);
  return behind.severity === 'info' ? gathered([first]) : behind;
}

function gathered(notes: readonly Note[]): MessagePlan {
  const items = new Map<number, MessageItem>();
  for (const { kind, alert } of notes) {
    const before = items.get(alert.id)?.kind;
    // An alert that was opened and has ended gets one line, which says both.
    items.set(alert.id, { kind: kind === 'reminder' && before === 'opened' ? before : kind, alert });
  }
  const bySeverity = [...items.values()].toSorted(
    (left, right) => rankOf(right.alert.severity) - rankOf(left.alert.severity),
  );
  return {
    severity: gravest(bySeverity),
    items: bySeverity.slice(0, MOST_ITEMS),
    more: Math.max(0, bySeverity.length - MOST_ITEMS),
    noteIds: notes.map(({ id }) => id),
  };
}

/** Returns the severity of a message. An alert's end counts as info: it wakes nobody, and delays nothing. */
function gravest(items: readonly MessageItem[]): Severity {
  return items.find(({ kind }) => kind !== 'ended')?.alert.severity ?? 'info';
}

const rankOf = (severity: Severity): number => SEVERITIES.indexOf(severity);

/** Times at which summaries are sent, in minutes of Tehran's clock; null: never. */
export interface SummarySettings {
  readonly dailyMinute: number | null;
  /** Time on Fridays of the summary of the seven days before, in minutes of the day; null: never. */
  readonly weeklyMinute: number | null;
}

interface DueSummary {
  readonly period: 'day' | 'week';
  readonly fromMs: number;
  readonly toMs: number;
  /** Tehran day on which it is due, in days since 1970: each summary is made once. */
  readonly day: number;
}

const WEEK_DAYS = 7;
/** Index in `WEEKDAYS` of Friday, the last day of Tehran's week. */
const FRIDAY = 6;

/**
 * Returns the summaries that are due and were not made: of the day that ends at the set time, and of the
 * week. A summary missed while no bot ran is made at the next start on the same day.
 */
export function dueSummaries(
  settings: SummarySettings,
  made: { readonly day: number | null; readonly week: number | null },
  atMs: number,
): readonly DueSummary[] {
  const today = tehranDay(atMs);
  const due: DueSummary[] = [];
  const { dailyMinute, weeklyMinute } = settings;
  if (dailyMinute !== null && made.day !== today && atMs >= tehranInstant(today, dailyMinute))
    due.push({
      period: 'day',
      fromMs: tehranInstant(today - 1, dailyMinute),
      toMs: tehranInstant(today, dailyMinute),
      day: today,
    });
  if (
    weeklyMinute !== null &&
    made.week !== today &&
    weekdayOf(today) === FRIDAY &&
    atMs >= tehranInstant(today, weeklyMinute)
  )
    due.push({
      period: 'week',
      fromMs: tehranInstant(today - WEEK_DAYS, weeklyMinute),
      toMs: tehranInstant(today, weeklyMinute),
      day: today,
    });
  return due;
}
