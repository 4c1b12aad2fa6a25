import { mkdtempSync, rmSync } from 'node:fs';
import { closing } from '../../src/domain/closing.ts';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { Channel, OutgoingMessage, SendResult } from '../../src/alerts/channels/channel.ts';
import type { Severity, AlertSnapshot, JournalRow } from '../../src/alerts/core/alert-facts.ts';
import type { PacingSettings } from '../../src/alerts/core/plan-message.ts';
import type { JournalCursor } from '../../src/alerts/alert-outbox.ts';
import { outboxPath, SafeOutbox } from '../../src/alerts/outbox-file.ts';
import { AlertService, type BotSnapshot } from '../../src/alerts/service/alert-service.ts';
import { ChannelSender } from '../../src/alerts/service/channel-sender.ts';
import { parseUnits } from '../../src/domain/money.ts';
import { localeOf } from '../../src/language/locale.ts';
import { NOON_MS, RULES, wellSnapshot } from '../unit/alerts/core/snapshot-fixture.ts';

/** Maximum number of journal lines in a snapshot: so few that some snapshots do not take all. */
const LINES = 3;

const HOUR_MS = 3_600_000;

/** Answer of a service to a message, as drawn. */
export type ServiceAnswer = 'takes' | 'is down' | 'refuses' | 'takes, and the reply is lost';

/** A message that was delivered. */
interface Arrival {
  readonly id: string;
  readonly atMs: number;
}

/** A service whose answers are drawn. A message that it takes is delivered, whatever the reply. */
class DrawnChannel implements Channel {
  readonly name: string;
  readonly least: Severity;
  readonly step: number;
  readonly arrivals: Arrival[] = [];
  readonly answers: ServiceAnswer[] = [];
  private readonly nowMs: () => number;

  constructor(
    of: { readonly name: string; readonly least: Severity; readonly step: number },
    nowMs: () => number,
  ) {
    this.name = of.name;
    this.least = of.least;
    this.step = of.step;
    this.nowMs = nowMs;
  }

  async send({ id }: OutgoingMessage): Promise<SendResult> {
    const answer = this.answers.shift() ?? 'takes';
    if (answer.startsWith('takes')) this.arrivals.push({ id, atMs: this.nowMs() });
    if (answer === 'takes') return { kind: 'delivered' };
    return answer === 'refuses'
      ? { kind: 'refused', problem: 'no such chat' }
      : { kind: 'retry', afterMs: null, problem: 'no answer' };
  }

  async close(): Promise<void> {
    return undefined;
  }
}

/** A note as it is stored in the outbox. */
interface WrittenNote {
  readonly key: string;
  readonly severity: Severity;
  readonly channel: string;
  readonly kind: string;
  readonly atMs: number;
  /** Null until the note is part of a message. */
  readonly messageId: number | null;
  readonly acknowledgedAtMs: number | null;
}

interface WrittenAlert {
  readonly key: string;
  readonly openedAtMs: number;
  readonly endedAtMs: number | null;
}

interface WrittenMessage {
  readonly id: number;
  readonly channel: string;
  readonly severity: Severity;
  readonly madeAtMs: number;
  readonly sentAtMs: number | null;
  readonly givenUpAtMs: number | null;
  readonly problem: string | null;
}

/** A bot reduced to its journal, whose alerts are sent in virtual time, with an outbox on the disk. */
export class AlertWorld implements Disposable {
  nowMs: number;
  readonly channels: readonly DrawnChannel[];
  readonly journal: JournalRow[] = [];
  private readonly folder = mkdtempSync(join(tmpdir(), 'sarraf-alerts-'));
  private readonly pacing: PacingSettings;
  private over: Partial<AlertSnapshot> = {};
  private outbox = new SafeOutbox(this.folder);
  private senders: readonly ChannelSender[] = [];
  private service: AlertService;

  /** `hour` counts from noon. */
  constructor(pacing: PacingSettings, hour: number) {
    this.pacing = pacing;
    this.nowMs = NOON_MS + hour * HOUR_MS;
    const all = [
      { name: 'all', least: 'info', step: 1 },
      { name: 'grave', least: 'critical', step: 1 },
      { name: 'second', least: 'warning', step: 2 },
    ] as const;
    this.channels = all.map((of) => new DrawnChannel(of, () => this.nowMs));
    this.service = this.begin();
  }

  /** The bot writes a journal line; `over` changes what the next snapshots contain. */
  write(kind: string, subject: string, facts: unknown, over: Partial<AlertSnapshot> = {}): void {
    this.over = { ...this.over, ...over };
    const json = JSON.stringify(facts);
    this.journal.push({ seq: this.journal.length + 1, atMs: this.nowMs, kind, subject, json });
  }

  /** Lets time pass: `turns` steps of `stepMs`, with a turn of the service after each. */
  async pass(turns: number, stepMs: number): Promise<void> {
    for (let turn = 0; turn < turns; turn += 1) {
      this.nowMs += stepMs;
      this.service.turn();
      await Promise.all(this.senders.map(async (sender) => sender.settled()));
    }
  }

  /** The process dies between two turns, or while messages are being sent: those are not marked as sent. */
  crash(isAmidSending: boolean): void {
    if (isAmidSending) this.service.turn();
    this.outbox.close();
    this.outbox = new SafeOutbox(this.folder);
    this.service = this.begin();
  }

  acknowledgeOldest(): void {
    const [first] =
      this.outbox.use((outbox) => outbox.openAlerts().filter((one) => one.acknowledgedAtMs === null)) ?? [];
    if (first === undefined) return;
    this.outbox.use((outbox) => outbox.acknowledge(first.id, { by: 'ali', atMs: this.nowMs }));
  }

  /** Reads every note, with a statement of its own. */
  notes(): readonly WrittenNote[] {
    return this.rows(
      `SELECT key, severity, channel, kind, at_ms AS atMs, message_id AS messageId,
         acknowledged_at_ms AS acknowledgedAtMs FROM notes JOIN alerts ON alerts.id = alert_id`,
    ) as readonly WrittenNote[];
  }

  messages(): readonly WrittenMessage[] {
    return this.rows(
      `SELECT id, channel, json_extract(plan, '$.severity') AS severity, made_at_ms AS madeAtMs,
         sent_at_ms AS sentAtMs, given_up_at_ms AS givenUpAtMs, problem FROM messages ORDER BY id`,
    ) as readonly WrittenMessage[];
  }

  alerts(): readonly WrittenAlert[] {
    return this.rows(
      'SELECT key, opened_at_ms AS openedAtMs, ended_at_ms AS endedAtMs FROM alerts',
    ) as readonly WrittenAlert[];
  }

  [Symbol.dispose](): void {
    this.outbox.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private rows(sql: string): readonly unknown[] {
    using database = closing(new Database(outboxPath(this.folder), { readonly: true }));
    return database.prepare(sql).all();
  }

  private begin(): AlertService {
    const shared = { outbox: this.outbox, nowMs: () => this.nowMs, log: () => undefined };
    this.senders = this.channels.map(
      (channel) =>
        new ChannelSender({
          ...shared,
          channel,
          pacing: this.pacing,
          voice: { bot: 'bot', locale: localeOf('en'), isWatchdog: false },
          mutedUntilMs: () => 0,
        }),
    );
    return new AlertService({
      ...shared,
      reading: {
        hasNews: (cursor) => cursor?.seq !== this.journal.length,
        snapshot: ({ cursor }) => this.look(cursor),
        period: (range) => ({ ...range, equity: [], trades: 0, fees: [] }),
      },
      rules: RULES,
      track: { escalateAfterMs: 600_000, remindEveryMs: 3_600_000, lastStep: 2 },
      summary: { dailyMinute: null, weeklyMinute: null },
      routes: this.channels,
      senders: this.senders,
    });
  }

  /** Reads the journal as the bot's files are read: without a cursor it starts at the end. */
  private look(cursor: JournalCursor | null): BotSnapshot {
    const { nowMs, journal } = this;
    const rows = cursor === null ? [] : journal.slice(cursor.seq, cursor.seq + LINES);
    const seq = rows.at(-1)?.seq ?? cursor?.seq ?? journal.length;
    const fills = rows.filter(({ kind }) => kind === 'fill').map(fillOf);
    return {
      snapshot: wellSnapshot({ ...this.over, atMs: nowMs, rows, fills }),
      cursor: { epoch: 'e', seq },
    };
  }
}

function fillOf({ seq, atMs }: JournalRow): AlertSnapshot['fills'][number] {
  return {
    tradeId: String(seq),
    strategy: 'grid',
    market: 'BTCUSDT',
    side: 'buy',
    atMs,
    price: parseUnits('50000'),
    amount: parseUnits('1'),
    total: parseUnits('50000'),
    currency: 'usdt',
  };
}
