import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Channel, OutgoingMessage, SendResult } from '../../../../src/alerts/channels/channel.ts';
import type { AlertSnapshot } from '../../../../src/alerts/core/alert-snapshot.ts';
import type { Severity } from '../../../../src/alerts/core/alert-facts.ts';
import { AlertService, type BotReading } from '../../../../src/alerts/service/alert-service.ts';
import { ChannelSender } from '../../../../src/alerts/service/channel-sender.ts';
import { SafeOutbox } from '../../../../src/alerts/service/safe-outbox.ts';
import { localeOf } from '../../../../src/language/locale.ts';
import { NOON_MS, RULES, wellSnapshot } from '../core/snapshot-fixture.ts';

/** A channel that keeps what it takes, and answers what it is told to. */
export class KeptChannel implements Channel {
  readonly name: string;
  readonly least: Severity;
  readonly step: number;
  readonly taken: OutgoingMessage[] = [];
  /** What it answers to the next messages; then it takes them. */
  readonly answers: SendResult[] = [];
  tried = 0;

  constructor(name: string, { least = 'info', step = 1 }: { least?: Severity; step?: number } = {}) {
    this.name = name;
    this.least = least;
    this.step = step;
  }

  get titles(): readonly string[] {
    return this.taken.map(({ title }) => title);
  }

  async send(message: OutgoingMessage): Promise<SendResult> {
    this.tried += 1;
    const answer = this.answers.shift() ?? { kind: 'delivered' };
    if (answer.kind === 'delivered') this.taken.push(message);
    return answer;
  }

  async close(): Promise<void> {
    return undefined;
  }
}

/** A bot of which a test says how it stands, watched in a time of its own, with an outbox on the disk. */
export class WatchedBot implements Disposable {
  readonly folder = mkdtempSync(join(tmpdir(), 'sarraf-alerts-'));
  readonly channels: readonly KeptChannel[];
  readonly log: string[] = [];
  nowMs = NOON_MS;
  /** What is not as in a bot that is well. */
  over: Partial<AlertSnapshot> = {};
  fault: Error | null = null;
  seq = 1;
  outbox: SafeOutbox;
  service: AlertService;
  private senders: readonly ChannelSender[] = [];

  constructor(channels: readonly KeptChannel[] = [new KeptChannel('all')]) {
    this.channels = channels;
    this.outbox = new SafeOutbox(this.folder);
    this.service = this.begin();
  }

  /** As after a crash: only what is on the disk is known. */
  restart(): void {
    this.outbox.close();
    this.outbox = new SafeOutbox(this.folder);
    this.service = this.begin();
  }

  /** Lets time pass, in turns of a second, and everything that was sent meanwhile be answered. */
  async run(seconds: number): Promise<void> {
    for (let second = 0; second < seconds; second += 1) {
      this.nowMs += 1_000;
      this.service.turn();
      await Promise.all(this.senders.map(async (sender) => sender.settled()));
    }
  }

  [Symbol.dispose](): void {
    this.outbox.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private begin(): AlertService {
    const shared = {
      outbox: this.outbox,
      nowMs: () => this.nowMs,
      log: (level: string, text: string) => void this.log.push(`${level}: ${text}`),
    };
    this.senders = this.channels.map(
      (channel) =>
        new ChannelSender({
          ...shared,
          channel,
          pacing: { groupMs: 10_000, mostPerHour: 30, quietHours: null },
          voice: { bot: 'bot', locale: localeOf('en'), isWatchdog: false },
          mutedUntilMs: () => 0,
        }),
    );
    return new AlertService({
      ...shared,
      reading: this.reading(),
      rules: RULES,
      track: { escalateAfterMs: 600_000, remindEveryMs: null, lastStep: 2 },
      summary: { dailyMinute: 12 * 60 + 30, weeklyMinute: null },
      routes: this.channels,
      senders: this.senders,
    });
  }

  private reading(): BotReading {
    return {
      hasNews: (cursor) => cursor?.seq !== this.seq,
      look: () => {
        if (this.fault !== null) throw this.fault;
        const snapshot = wellSnapshot({ atMs: this.nowMs, ...this.over });
        return { snapshot, cursor: { epoch: 'e', seq: this.seq } };
      },
      period: (range) => ({ ...range, equity: [], trades: 3, fees: [] }),
    };
  }
}
