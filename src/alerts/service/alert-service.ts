import { messageOf } from '../../domain/errors.ts';
import {
  type Alert,
  type AlertCondition,
  type PeriodFigures,
  type ChannelRoute,
  type RuleSettings,
  type AlertSnapshot,
  trackAlerts,
  type TrackSettings,
} from '../core/alert-facts.ts';
import { judgeSnapshot } from '../core/judge-snapshot.ts';
import { dueSummaries, type SummarySettings } from '../core/plan-message.ts';
import { tehranDay } from '../../domain/zone-time.ts';
import type { AlertOutbox, JournalCursor } from '../alert-outbox.ts';
import type { ChannelSender } from './channel-sender.ts';
import type { SafeOutbox } from '../outbox-file.ts';

/** Result of polling the bot, and the journal position where it ended. */
export interface BotSnapshot {
  readonly snapshot: AlertSnapshot;
  readonly cursor: JournalCursor | null;
}

/** Reads a bot from its files. */
export interface BotReading {
  /** Returns true if the journal has grown since the position. Cheap. */
  hasNews(cursor: JournalCursor | null): boolean;
  /** Reads the whole state now, with the journal lines since the position; without one, no older lines. */
  snapshot(of: { readonly cursor: JournalCursor | null; readonly deviceBefore: string | null }): BotSnapshot;
  period(of: { readonly fromMs: number; readonly toMs: number }): Omit<PeriodFigures, 'lockouts'>;
}

interface AlertServiceOptions {
  readonly reading: BotReading;
  readonly outbox: SafeOutbox;
  readonly rules: RuleSettings;
  readonly track: TrackSettings;
  readonly summary: SummarySettings;
  readonly routes: readonly ChannelRoute[];
  readonly senders: readonly ChannelSender[];
  readonly nowMs: () => number;
  readonly log: (level: 'info' | 'warning', text: string) => void;
}

/** Interval of polls if the journal has no new line, in ms: silence and time write no line. */
const POLL_INTERVAL_MS = 2_000;
/** Interval at which the journal position is stored while nothing is found, in ms. */
const PERSIST_EVERY_MS = 60_000;
const PRUNE_EVERY_MS = 3_600_000;
/** Maximum number of alerts that a summary searches for lockouts. */
const MOST_LISTED = 5_000;

/**
 * Polls the bot when its journal has grown, finds conditions, stores alerts, and has them sent. It reads the
 * bot's files and writes its own outbox; the bot does not know of it.
 */
export class AlertService {
  private readonly options: AlertServiceOptions;
  private readonly waiting = new Map<string, number>();
  private checkedAtMs = Number.NEGATIVE_INFINITY;
  private prunedAtMs = Number.NEGATIVE_INFINITY;
  /** Position up to which the journal was read. It is stored with each finding, and at an interval. */
  private cursor: JournalCursor | null = null;
  private persistedAtMs = Number.NEGATIVE_INFINITY;
  private isLogged = false;

  constructor(options: AlertServiceOptions) {
    this.options = options;
  }

  /** Runs one turn: a poll if something may have changed, and sending by every channel. Never throws. */
  turn(): void {
    const { senders, log } = this.options;
    try {
      this.pollIfDue();
      for (const sender of senders) sender.pump();
      this.isLogged = false;
    } catch (error) {
      const reason = messageOf(error);
      if (!this.isLogged) log('warning', `alerts can not look at the bot just now: ${reason}`);
      this.isLogged = true;
    }
  }

  /** Polls the bot if it is due. Waits for the next turn while another process writes to the outbox. */
  private pollIfDue(): void {
    const { reading, outbox, routes } = this.options;
    const nowMs = this.options.nowMs();
    this.cursor ??= outbox.use((each) => each.cursor());
    const isDue = Math.abs(nowMs - this.checkedAtMs) >= POLL_INTERVAL_MS;
    if (!isDue && !reading.hasNews(this.cursor)) return;
    const known = outbox.use(knownOf);
    if (known === null) return;
    this.checkedAtMs = nowMs;
    this.snapshot(known, nowMs);
    if (Math.abs(nowMs - this.prunedAtMs) < PRUNE_EVERY_MS) return;
    this.prunedAtMs = nowMs;
    outbox.use((each) => each.prune(nowMs, routes));
  }

  /** Polls the bot outside of work on the outbox, so that errors of its files are not the outbox's. */
  private snapshot(known: Known, nowMs: number): void {
    const { reading, outbox, rules, track, routes } = this.options;
    const { open, deviceBefore } = known;
    const found = reading.snapshot({ cursor: this.cursor, deviceBefore });
    const { device } = found.snapshot;
    const conditions = [...this.own(nowMs), ...judgeSnapshot(found.snapshot, rules)];
    const changes = trackAlerts({ open, conditions, waiting: this.waiting }, track, nowMs);
    const summaries = this.summaries(known, nowMs);
    const meta = { ...(device === null || device === deviceBefore ? {} : { device }), ...summaries.meta };
    const isNothing = changes.length === 0 && summaries.made.length === 0 && Object.keys(meta).length === 0;
    // Lines without a finding are not worth a write each: after a crash they are read again.
    if (!isNothing || Math.abs(nowMs - this.persistedAtMs) >= PERSIST_EVERY_MS) {
      const isStored = outbox.use((each) => {
        each.apply({
          changes: [...changes, ...summaries.made.map((condition) => ({ kind: 'open', condition }) as const)],
          atMs: nowMs,
          cursor: found.cursor,
          channels: routes,
          meta,
        });
        return true;
      });
      if (isStored === null) return;
      this.persistedAtMs = nowMs;
    }
    this.cursor = found.cursor ?? this.cursor;
  }

  /** Returns the condition for a fault of the outbox; none if it works. */
  private own(nowMs: number): readonly AlertCondition[] {
    const reason = this.options.outbox.problem;
    if (reason === null) return [];
    return [{ key: 'outbox', severity: 'warning', facts: { rule: 'outbox', reason }, sinceMs: nowMs }];
  }

  private summaries(
    { made }: Known,
    nowMs: number,
  ): { readonly made: readonly AlertCondition[]; readonly meta: Readonly<Record<string, string>> } {
    const { outbox, reading } = this.options;
    const due = dueSummaries(this.options.summary, made, nowMs);
    const today = tehranDay(nowMs);
    // A new outbox makes no summary of the time before it: one that is due already counts as made.
    if (made.day === null || made.week === null) {
      const isDue = (period: 'day' | 'week'): boolean => due.some((one) => one.period === period);
      const dayOf = (period: 'day' | 'week'): string => String(isDue(period) ? today : today - 1);
      return { made: [], meta: { 'summary day': dayOf('day'), 'summary week': dayOf('week') } };
    }
    return {
      made: due.map(({ period, fromMs, toMs }) => ({
        key: `summary ${period} ${toMs}`,
        severity: 'info',
        facts: {
          rule: 'summary',
          period,
          figures: {
            ...reading.period({ fromMs, toMs }),
            lockouts: outbox.use((each) => lockoutsIn(each, { fromMs, toMs })) ?? 0,
          },
        },
        sinceMs: nowMs,
        isMoment: true,
      })),
      meta: Object.fromEntries(due.map(({ period, day }) => [`summary ${period}`, String(day)])),
    };
  }
}

/** State of the outbox before a poll. */
interface Known {
  readonly open: readonly Alert[];
  readonly deviceBefore: string | null;
  /** Days of the last summaries, in days since 1970; null in a new outbox. */
  readonly made: { readonly day: number | null; readonly week: number | null };
}

function knownOf(outbox: AlertOutbox): Known {
  return {
    open: outbox.openAlerts(),
    deviceBefore: outbox.meta('device'),
    made: { day: madeOn(outbox, 'day'), week: madeOn(outbox, 'week') },
  };
}

function madeOn(outbox: AlertOutbox, period: 'day' | 'week'): number | null {
  const text = outbox.meta(`summary ${period}`);
  return text === null ? null : Number(text);
}

function lockoutsIn(outbox: AlertOutbox, of: { readonly fromMs: number; readonly toMs: number }): number {
  return outbox
    .list({ isOpenOnly: false, last: MOST_LISTED, beforeId: null })
    .filter(
      ({ facts, openedAtMs }) => facts.rule === 'lockout' && openedAtMs >= of.fromMs && openedAtMs < of.toMs,
    ).length;
}
