import { rmSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { openOutboxFile, SafeOutbox } from '../../../../src/alerts/outbox-file.ts';
import { alertText } from '../../../../src/alerts/alert-text.ts';
import { localeOf } from '../../../../src/language/locale.ts';
import { NOON_MS, RULES, wellSnapshot } from '../core/snapshot-fixture.ts';
import type { Channel, OutgoingMessage, SendResult } from '../../../../src/alerts/channels/channel.ts';
import type { AlertSnapshot, Severity } from '../../../../src/alerts/core/alert-facts.ts';
import { AlertService, type BotReading } from '../../../../src/alerts/service/alert-service.ts';
import { ChannelSender } from '../../../../src/alerts/service/channel-sender.ts';
import { folderOfThisTest } from '../../../support/temporary-folder.ts';

const HALT = { halt: { reason: 'news', sinceMs: NOON_MS } };
const times = (count: number, one: SendResult): SendResult[] => Array.from({ length: count }, () => one);
const BROKEN = { break: { sinceMs: NOON_MS, rows: [] } };

describe('a bot that is watched', () => {
  test('is said to be halted at the first look, and that it goes on', async () => {
    using bot = new WatchedBot();
    await bot.run(2);
    expect(bot.all.taken).toEqual([]);
    bot.over = HALT;
    bot.seq += 1;
    await bot.run(1);
    expect(bot.all.titles).toEqual(['bot: 🟠 #1 Trading is halted: news']);
    bot.over = {};
    await bot.run(30);
    expect(bot.all.titles[1]).toMatch(/^bot: ✅ #1 Over after \d+s: Trading is halted: news$/);
    expect(bot.outbox.use((outbox) => outbox.openAlerts())).toEqual([]);
  });

  test('is not said to be halted again after a restart, nor twice', async () => {
    using bot = new WatchedBot();
    bot.over = HALT;
    await bot.run(3);
    bot.restart();
    await bot.run(20);
    expect(bot.all.taken).toHaveLength(1);
  });

  test('has what nobody acknowledged told to the next step', async () => {
    const [first, second] = [new KeptChannel('first'), new KeptChannel('second', { step: 2 })];
    using bot = new WatchedBot([first, second]);
    bot.over = BROKEN;
    await bot.run(590);
    expect([first.tried, second.tried]).toEqual([1, 0]);
    await bot.run(20);
    expect(second.titles[0]).toContain('Nobody has acknowledged for 10m');
    expect(first.tried).toBe(1);
  });

  test('is left alone about what somebody has acknowledged', async () => {
    const second = new KeptChannel('second', { step: 2 });
    using bot = new WatchedBot([new KeptChannel('first'), second]);
    bot.over = BROKEN;
    await bot.run(5);
    expect(bot.outbox.use((outbox) => outbox.acknowledge(1, { by: 'ali', atMs: bot.nowMs }))).toBe(true);
    await bot.run(700);
    expect(second.tried).toBe(0);
  });

  test('is summed up once a day, at the time that is set', async () => {
    using bot = new WatchedBot();
    await bot.run(29 * 60);
    expect(bot.all.tried).toBe(0);
    await bot.run(120);
    bot.restart();
    await bot.run(120);
    expect(bot.all.taken).toMatchObject([{ lines: expect.arrayContaining(['3 trades']) as unknown }]);
  });

  test('is watched on after a look that failed, which is said once', async () => {
    using bot = new WatchedBot();
    bot.fault = new Error('the mirror can not be read');
    await bot.run(10);
    // That the mirror can not be read is no fault of the outbox, so its file stays in use.
    expect(bot.outbox.problem).toBeNull();
    bot.fault = null;
    bot.over = HALT;
    await bot.run(5);
    expect(bot.log).toEqual(['warning: alerts can not look at the bot just now: the mirror can not be read']);
    expect(bot.all.tried).toBe(1);
  });
});

describe('a message', () => {
  test('is tried again under its id, ever more rarely, until it is taken', async () => {
    using bot = new WatchedBot();
    bot.all.answers.push(...times(3, { kind: 'retry', afterMs: null, problem: 'down' }));
    bot.over = HALT;
    await bot.run(5);
    expect(bot.all.tried).toBe(2);
    await bot.run(20);
    expect([bot.all.tried, bot.all.taken.length]).toEqual([4, 1]);
    expect(bot.log).toEqual([
      'warning: the channel all did not take a message, which is tried again: down',
      'info: the channel all takes messages again',
    ]);
  });

  test('waits as long as the service says, and minutes where it was refused', async () => {
    using bot = new WatchedBot();
    bot.all.answers.push(
      { kind: 'retry', afterMs: 60_000, problem: '429' },
      { kind: 'refused', problem: '403' },
    );
    bot.over = HALT;
    await bot.run(59);
    expect(bot.all.tried).toBe(1);
    await bot.run(500);
    expect(bot.all.tried).toBe(2);
    await bot.run(200);
    expect(bot.all.taken).toHaveLength(1);
  });

  test('that is refused as it is holds up no other one', async () => {
    using bot = new WatchedBot();
    const refused = { kind: 'refused', problem: '400: no pictures here' } as const;
    bot.all.answers.push(refused);
    bot.over = HALT;
    await bot.run(20);
    bot.over = { ...HALT, ...BROKEN };
    await bot.run(5);
    expect([bot.all.tried, bot.all.titles.join()]).toEqual([
      2,
      expect.stringContaining('The books do not agree'),
    ]);
    await bot.run(600);
    expect(bot.all.titles.join()).toContain('Trading is halted');
  });

  test('that a newer sarraf wrote is said to be unreadable, and holds up no other one', async () => {
    using bot = new WatchedBot();
    bot.over = HALT;
    bot.nowMs += 1_000;
    bot.service.turn();
    const newer = new Database(`${bot.folder}/alerts.sqlite`);
    newer.exec(`UPDATE messages SET plan = replace(plan, '"rule":"halted"', '"rule":"of-tomorrow"')`);
    newer.close();
    bot.restart();
    bot.over = { ...HALT, ...BROKEN };
    await bot.run(5);
    expect(bot.log.join()).toContain('it can not be put into words');
    expect(bot.all.titles.at(-1)).toContain('The books do not agree');
  });

  test('waits where the service refuses one after the other', async () => {
    using bot = new WatchedBot();
    bot.all.answers.push(...times(99, { kind: 'refused', problem: '401' }));
    bot.over = HALT;
    await bot.run(2);
    bot.over = { ...HALT, ...BROKEN };
    await bot.run(5);
    bot.over = { ...HALT, ...BROKEN, noOrders: 'doubt' };
    await bot.run(500);
    expect(bot.all.tried).toBe(2);
    await bot.run(120);
    expect(bot.all.tried).toBe(4);
  });

  test('is tried again at once after the clock was set back by a day', async () => {
    using bot = new WatchedBot();
    bot.all.answers.push({ kind: 'refused', problem: '403' });
    bot.over = HALT;
    await bot.run(2);
    bot.nowMs -= 86_400_000;
    await bot.run(2);
    expect([bot.all.tried, bot.all.taken.length]).toEqual([2, 1]);
  });

  test('waits a quarter of an hour at most, whatever the service says', async () => {
    using bot = new WatchedBot();
    bot.all.answers.push({ kind: 'retry', afterMs: 86_400_000, problem: '429' });
    bot.over = HALT;
    await bot.run(890);
    expect(bot.all.tried).toBe(1);
    await bot.run(20);
    expect(bot.all.taken).toHaveLength(1);
  });

  test('is held up in one channel by nothing that happens in another', async () => {
    const [dead, alive] = [new KeptChannel('dead'), new KeptChannel('alive')];
    using bot = new WatchedBot([dead, alive]);
    dead.answers.push(...times(99, { kind: 'refused', problem: '401' }));
    bot.over = HALT;
    await bot.run(2);
    expect([alive.taken.length, dead.taken.length]).toEqual([1, 0]);
    const [alert] = bot.outbox.use((outbox) => outbox.list({ isOpenOnly: false, last: 1, beforeId: null }))!;
    expect(alert?.deliveries).toMatchObject([{ state: 'delivered' }, { state: 'waiting' }]);
  });

  test('is sent after a crash that came between the sending and the mark', async () => {
    using bot = new WatchedBot();
    bot.over = HALT;
    bot.nowMs += 1_000;
    // The process ends before the service has handled the answer.
    bot.service.turn();
    bot.restart();
    await bot.run(3);
    expect(bot.all.taken.map(({ id }) => id)).toEqual(['bot-1', 'bot-1']);
  });

  test('is given up after a day, and what is newer goes on', async () => {
    using bot = new WatchedBot();
    bot.all.answers.push({ kind: 'refused', problem: '403' }, { kind: 'refused', problem: '403' });
    bot.over = HALT;
    await bot.run(2);
    bot.nowMs += 86_400_000;
    bot.over = { ...HALT, ...BROKEN };
    await bot.run(3);
    expect(bot.log.join('\n')).toContain('was given up in the channel all after a day: 403');
    expect(bot.all.titles.join()).toContain('The books do not agree');
  });
});

describe('an outbox that can not be used', () => {
  test('is replaced by one in memory, which sends all the same and says so', async () => {
    using bot = new WatchedBot();
    bot.over = HALT;
    await bot.run(1);
    const broken = new Database(`${bot.folder}/alerts.sqlite`);
    broken.exec('DROP TABLE notes');
    broken.close();
    bot.over = { ...HALT, ...BROKEN };
    await bot.run(30);
    const said = bot.all.taken.flatMap(({ title, lines }) => [title, ...lines]).join('\n');
    expect(said).toContain('The books do not agree');
    expect(said).toContain('Alerts are kept in memory only');
  });

  test.each([
    ['en', 'Alerts are kept in memory only', 'it was deleted, moved or replaced'],
    ['fa', 'هشدارها فقط در حافظه می‌مانند', 'پاک، جابه‌جا یا جایگزین شده است'],
  ] as const)(
    'is replaced so too where its file is deleted, and keeps what is open: %s',
    (language, ...words) => {
      const dataFolder = folderOfThisTest();
      const outbox = new SafeOutbox(dataFolder);
      outbox.use((each) => each.setMeta('a', 'b'));
      rmSync(join(dataFolder, 'alerts.sqlite'));
      expect(outbox.use((each) => each.meta('a'))).toBe('b');
      const facts = { rule: 'outbox', reason: outbox.problem ?? '' } as const;
      for (const word of words) expect(alertText(facts, localeOf(language))).toContain(word);
      outbox.close();
    },
  );

  test('is in memory from the beginning where the file is of another program', () => {
    const outbox = new SafeOutbox('/nowhere', () => {
      throw new Error('the disk is full');
    });
    expect(outbox.problem).toBe('the disk is full');
    expect(outbox.use((each) => each.openAlerts())).toEqual([]);
    outbox.close();
  });

  test('waits for a process that writes to the file', () => {
    using bot = new WatchedBot();
    const file = openOutboxFile(bot.folder);
    file.pragma('busy_timeout = 1');
    const outbox = new SafeOutbox(bot.folder, () => file);
    const other = openOutboxFile(bot.folder);
    other.exec('BEGIN IMMEDIATE');
    const keep = (): true | null =>
      outbox.use((each) => {
        each.setMeta('a', 'b');
        return true;
      });
    expect(keep()).toBeNull();
    other.exec('COMMIT');
    expect(keep()).toBe(true);
    expect(outbox.problem).toBeNull();
    other.close();
    outbox.close();
  });
});

/** A channel that keeps the messages it delivers, and fails as a test tells it to. */
class KeptChannel implements Channel {
  readonly name: string;
  readonly least: Severity;
  readonly step: number;
  readonly taken: OutgoingMessage[] = [];
  /** Results of the next sends; every send after them is delivered. */
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

/** A bot whose state a test sets, watched in virtual time, with an outbox on the disk. */
class WatchedBot implements Disposable {
  readonly folder = folderOfThisTest();
  readonly channels: readonly KeptChannel[];
  readonly all = new KeptChannel('all');
  readonly log: string[] = [];
  nowMs = NOON_MS;
  /** Fields of the snapshot that differ from those of a bot without problems. */
  over: Partial<AlertSnapshot> = {};
  fault: Error | null = null;
  seq = 1;
  outbox: SafeOutbox;
  service: AlertService;
  private senders: readonly ChannelSender[] = [];

  /** Without `channels` it has one, {@link all}. */
  constructor(channels?: readonly KeptChannel[]) {
    this.channels = channels ?? [this.all];
    this.outbox = new SafeOutbox(this.folder);
    this.service = this.begin();
  }

  /** Begins anew as after a crash: only what is on the disk is known. */
  restart(): void {
    this.outbox.close();
    this.outbox = new SafeOutbox(this.folder);
    this.service = this.begin();
  }

  /** Lets time pass, one turn each second, and waits until the sends of each turn are answered. */
  async run(seconds: number): Promise<void> {
    for (let second = 0; second < seconds; second += 1) {
      this.nowMs += 1_000;
      this.service.turn();
      await Promise.all(this.senders.map(async (sender) => sender.settled()));
    }
  }

  [Symbol.dispose](): void {
    this.outbox.close();
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
      snapshot: () => {
        if (this.fault !== null) throw this.fault;
        const snapshot = wellSnapshot({ atMs: this.nowMs, ...this.over });
        return { snapshot, cursor: { epoch: 'e', seq: this.seq } };
      },
      period: (range) => ({ ...range, equity: [], trades: 3, fees: [] }),
    };
  }
}
