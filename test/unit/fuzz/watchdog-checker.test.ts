import { describe, expect, test } from 'vitest';
import type { CanceledEntries } from '../../../src/daemon/cancel-entries.ts';
import { ENDPOINTS } from '../../../src/exchange/endpoints.ts';
import {
  Presence,
  WatchdogChecker,
  type WatchdogOrders,
} from '../../../src/fuzz/checkers/watchdog-checker.ts';

const RULE = { silentAfterMs: 10_000, cancelEntriesAfterMs: 20_000 };
const PULSE = { pid: 1, sinceMs: 0, beatMs: 0, endedAtMs: null, failure: null };
const SILENT = { kind: 'silent', pulse: PULSE, forMs: 10_000 } as const;

/** A checker of a watchdog and its bot, where both of them run from the start. */
class Scene {
  nowMs = 0;
  entries: readonly string[] = [];
  readonly checker: WatchdogChecker;

  constructor(isSlow = false) {
    const orders = {
      wrongCancel: (id: number) => (id === 7 ? 'expected the exit 7 to stay' : null),
      openEntries: () => this.entries,
      isOpen: (name: string) => name === 'stubborn',
    };
    this.checker = new WatchdogChecker({
      rule: RULE,
      nowMs: () => this.nowMs,
      clockSkewMs: 0,
      isSlow,
      orders: () => orders as unknown as WatchdogOrders,
      count: () => undefined,
    });
    this.checker.begins();
    this.checker.bot.begins(0);
  }

  /** The bot stands still from 60 s to 100 s, right after a heartbeat. */
  stands(): void {
    this.at(60_000).bot.turns(60_000);
    this.checker.bot.stands(60_000, 100_000);
  }

  at(nowMs: number): WatchdogChecker {
    this.nowMs = nowMs;
    return this.checker;
  }

  sends(name: 'ordersList' | 'updateOrderStatus', order = 1): void {
    this.checker.leaves({ endpoint: ENDPOINTS[name], path: '', fields: { order }, atMs: this.nowMs });
  }

  cancels(changed: Partial<CanceledEntries> = {}): void {
    const result = { canceled: [], kept: [], left: [], unseen: [], isBack: false, ...changed };
    this.checker.news({ kind: 'canceled', result, isRepeat: false });
  }

  faults(): readonly string[] {
    return this.checker.violations().map(({ message }) => message);
  }
}

/** Makes a scene where the bot stands still, and the watchdog does what it should. */
function silence(): Scene {
  const scene = new Scene();
  scene.stands();
  scene.at(70_500).news(SILENT);
  scene.at(80_500).triesBegin();
  scene.sends('ordersList');
  return scene;
}

describe('a watchdog', () => {
  test('is held to nothing more than one message and a try', () => {
    const scene = silence();
    scene.sends('updateOrderStatus');
    scene.cancels({ canceled: ['a'] });
    scene.checker.bot.turns(160_000);
    scene.at(300_000).news({ kind: 'back', pulse: PULSE });
    expect(scene.faults()).toEqual([]);
  });

  test.each([
    ['a request beside a bot that lives', 200_000, 'which is alive'],
    ['a request before its time', 78_000, 'which showed itself at 60000'],
  ])('%s is one too many', (_, atMs, message) => {
    const scene = new Scene();
    scene.stands();
    scene.at(atMs);
    scene.sends('ordersList');
    expect(scene.faults()[0]).toContain(message);
  });

  test('leaves a bot alone that ended in order', () => {
    const scene = new Scene();
    scene.at(60_000).bot.ends(60_000, true);
    scene.at(90_000).news(SILENT);
    scene.sends('ordersList');
    expect(scene.faults().join(';')).toMatch(/^expected a silence of[^;]+;[^;]+ ended in order: [^;]+$/);
  });

  test('may not cancel an exit, nor say what is not so', () => {
    const scene = silence();
    scene.sends('updateOrderStatus', 7);
    scene.entries = ['an entry'];
    scene.cancels({ canceled: ['stubborn'] });
    scene.cancels({ left: [{ order: 'a', reason: 'lost' }] });
    expect(scene.faults()).toEqual([
      'expected the exit 7 to stay, a cancel left at 80500',
      'expected stubborn to be canceled, it is open at 80500',
      'expected no entry to be left at 80500, there is an entry',
    ]);
  });

  test('speaks once of a silence, and again after a restart of its own', () => {
    const scene = silence();
    scene.checker.begins();
    scene.checker.news(SILENT);
    expect(scene.faults()).toEqual([]);
    scene.checker.news(SILENT);
    expect(scene.faults()).toEqual(['expected the silence since 60000 once, told again at 80500']);
  });

  test('that was there all the time has to speak and to try', () => {
    const scene = new Scene();
    scene.stands();
    scene.at(300_000);
    expect(scene.faults().join(';')).toMatch(/^[^;]+to be told, it was not;[^;]+it was not tried$/);
    scene.checker.watchdog.stands(100_000, 10_000);
    expect(scene.faults()).toEqual([]);
  });

  test('may only say that a bot is back that was, if only for one turn of its loop', () => {
    const scene = silence();
    scene.checker.news({ kind: 'back', pulse: PULSE });
    scene.checker.bot.turns(160_000);
    scene.checker.bot.ends(160_001);
    scene.at(161_000).news({ kind: 'back', pulse: PULSE });
    scene.at(171_000).news(SILENT);
    expect(scene.faults()).toEqual(['expected "back" of a bot that is, it was said at 80500']);
  });
});

/** Makes a scene where the bot works, but after 60 s its own commits keep its loop from turning. */
function busy(isSlow: boolean): Scene {
  const scene = new Scene(isSlow);
  scene.checker.bot.turns(60_000);
  return scene;
}

describe('a bot that works with no turn of its loop, and then dies', () => {
  test('is silent since its last beat, and not before its time', () => {
    const scene = busy(true);
    scene.checker.bot.ends(63_000);
    scene.at(69_999).news(SILENT);
    expect(scene.faults()).toEqual([expect.stringContaining('of a bot that showed itself at 60000')]);
    scene.at(70_000).news(SILENT);
    scene.at(80_000).triesBegin();
    scene.sends('ordersList');
    scene.at(300_000);
    expect(scene.faults()).toHaveLength(1);
  });

  test('may be told to be silent, once, while it still works on a slow machine', () => {
    const scene = busy(true);
    scene.at(70_000).news(SILENT);
    scene.at(80_000).triesBegin();
    scene.at(81_000).triesEnd();
    scene.checker.bot.ends(82_000);
    scene.at(120_000);
    expect(scene.faults()).toEqual([]);
    scene.checker.news(SILENT);
    expect(scene.faults()).toEqual(['expected the silence since 60000 once, told again at 120000']);
  });

  test('is expected to beat on any other machine', () => {
    const scene = busy(false);
    scene.at(70_000).news(SILENT);
    expect(scene.faults()).toEqual([expect.stringContaining('of a bot that is alive')]);
  });
});

test('a process that dies while it stands still is gone since it stood still, and a new life ends that', () => {
  const presence = new Presence(0);
  presence.begins(0);
  presence.stands(100, 50);
  presence.ends(150);
  expect(presence.at(500)).toMatchObject({ fromMs: 100, toMs: Number.POSITIVE_INFINITY });
  presence.begins(600);
  presence.ends(600);
  expect(presence.at(700)).toMatchObject({ fromMs: 600 });
  expect(presence.isThere(50, 700)).toBe(false);
});
