import { writeFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { answerChat } from '../../../../src/alerts/chat/answer-chat.ts';
import { readView } from '../../../../src/alerts/open-alerts.ts';
import { BotFiles } from '../../../../src/alerts/reading/bot-files.ts';
import { SafeOutbox } from '../../../../src/alerts/outbox-file.ts';
import { leaveRecord } from '../../daemon/left-record.ts';
import { parseUnits } from '../../../../src/domain/money.ts';
import { localeOf } from '../../../../src/language/locale.ts';
import type { MirrorChange } from '../../../../src/engine/mirror-change.ts';
import { algorithmToJson } from '../../../../src/engine/algorithm-json.ts';
import type { BracketAlgorithm } from '../../../../src/engine/bracket.ts';
import { NO_SETBACKS } from '../../../../src/engine/algorithms/setbacks.ts';
import type { MirrorStore } from '../../../../src/mirror/mirror-store.ts';
import { tradeIdOf } from '../../../../src/venues/read-records.ts';
import {
  DURABLE,
  journalLine,
  NOW_MS,
  orderRecord,
  fillChange,
  orderChange,
  figure,
  intentRecord,
  kept,
  mirrorOfEachTest,
} from '../../mirror/mirror-fixture.ts';
import { english } from '../../../../src/language/sentence.ts';
import { newLedger, instanceJson } from '../../../support/new-ledger.ts';

const mirror = mirrorOfEachTest();
let store: MirrorStore;
let files: BotFiles;
beforeEach(() => {
  store = mirror.open();
  files = filesOf({ deviceFile: join(mirror.folder, 'device') });
});
afterEach(() => files.close());

const filesOf = (of: Partial<ConstructorParameters<typeof BotFiles>[0]> = {}): BotFiles =>
  new BotFiles({
    dataFolder: mirror.folder,
    mirrorPath: mirror.path,
    madeSinceMs: null,
    deviceFile: null,
    nowMs: () => NOW_MS,
    ...of,
  });

const write = (...changes: readonly MirrorChange[]): void => store.apply(changes, DURABLE);
const keep = (name: string, value: unknown): MirrorChange => kept(name, JSON.stringify(value));
const journal = (subject: string, facts: object): MirrorChange =>
  journalLine(subject, JSON.stringify(facts), subject === 'halt' ? 'control' : 'fill');

const openOrder = (key: string): MirrorChange => orderChange({ key, clientOrderId: key, state: 'open' });

const STRATEGY = instanceJson(newLedger('rls'));

const BRACKET: BracketAlgorithm = {
  kind: 'bracket',
  terms: {
    entry: null,
    takeProfit: null,
    laterTargets: [],
    stopLoss: null,
    trail: null,
    breakEvenAt: null,
    timeStopMs: null,
    stopSlip: parseUnits('0'),
    whenCanceled: 'replace',
    tag: null,
  },
  entry: 'ended',
  bought: parseUnits('0.5'),
  gross: parseUnits('0.5'),
  spent: parseUnits('100'),
  exits: { filled: parseUnits('0.1'), countedKey: null },
  heldSinceMs: NOW_MS,
  highest: null,
  closeAtMs: NOW_MS,
  raisedStop: null,
  raisedBy: null,
  trailedAtMs: null,
  isMoving: false,
  isStopAlone: false,
  leaving: null,
  awaited: [],
  trailsFrom: null,
  unclear: null,
  setbacks: { ...NO_SETBACKS, reason: 'SmallOrder' },
};

const look = (
  cursor: Parameters<BotFiles['snapshot']>[0]['cursor'] = null,
): ReturnType<BotFiles['snapshot']> => files.snapshot({ cursor, deviceBefore: null });

describe('the files of a bot', () => {
  test('begin with the end of the journal: the past is no news', () => {
    write(journal('halt', { reason: 'old' }));
    const { cursor, snapshot } = look();
    expect(snapshot.rows).toEqual([]);
    expect(files.hasNews(cursor)).toBe(false);
    write(journal('halt', { reason: 'new' }));
    expect(files.hasNews(cursor)).toBe(true);
    const next = look(cursor);
    expect(next.snapshot.rows.map(({ json }) => json)).toEqual(['{"reason":"new"}']);
    expect(files.hasNews(next.cursor)).toBe(false);
  });

  test('say what is halted, refused, broken, unknown and failed', () => {
    const strategies = [{ name: 'grid', plugin: 'grid', market: 'BTCIRT' }];
    writeFileSync(
      join(mirror.folder, 'run.json'),
      JSON.stringify({ mode: 'live', instance: 'bot', strategies }),
    );
    write(
      keep('control', { halted: { reason: 'news', sinceMs: 5, wholeAccount: false } }),
      keep('credential', { refused: { name: 'the token', advice: 'a new one', sinceMs: 6 } }),
      keep('read-times', {
        'book BTCIRT': NOW_MS - 60_000,
        'book ETHIRT': NOW_MS - 65_000,
        'book LEFTIRT': NOW_MS - 90_000,
        orders: NOW_MS - 70_000,
      }),
      keep('universes', {
        firstSeen: {},
        universes: { 'a/members': { members: [{ market: 'ETHIRT', rank: 1, sinceMs: 1 }], kept: [] } },
      }),
      orderChange({ state: 'unknown', sentAtMs: 7 }),
      {
        kind: 'strategy',
        strategy: { name: 'grid', status: 'stopped', reason: 'threw', json: STRATEGY, atMs: NOW_MS },
      },
    );
    expect(look().snapshot).toMatchObject({
      halt: { reason: 'news', sinceMs: 5 },
      credential: { advice: 'a new one' },
      unknownOrders: [{ strategy: 'ma-cross', market: 'BTCIRT', sinceMs: 7 }],
      strategies: [{ name: 'grid', status: 'stopped', reason: 'threw' }],
      staleFeeds: [
        { feed: 'book BTCIRT', readAtMs: NOW_MS - 60_000 },
        { feed: 'book ETHIRT', readAtMs: NOW_MS - 65_000 },
      ],
      lastReadMs: NOW_MS - 60_000,
    });
  });

  test('say why the bot keeps new orders back: a contradiction, or books that can not be compared', () => {
    const finding = { subject: 'bot-1', sinceMs: 5, field: 'side', expected: 'buy', found: 'sell' };
    write(keep('findings', [{ ...finding, isGrave: false }]));
    expect(look().snapshot.noOrders).toBeNull();
    write(keep('findings', [{ ...finding, isGrave: true }]));
    expect(english(look().snapshot.noOrders)).toContain('bot-1: side: expected buy, the exchange said sell');
    const books = { expected: null, unmatched: [], outside: [], agreedAtMs: {} };
    const stored = { books, lastLines: {}, concludedAtMs: 5, conclusions: 1, followed: [], begunAtMs: null };
    const blockedBy = 'an order is unknown';
    write(keep('findings', []));
    write(keep('reconciliation', { ...stored, suspicion: null, break: null, blockedBy }));
    expect(english(look().snapshot.noOrders)).toContain(
      'can not be compared with the exchange: an order is unknown',
    );
  });

  test('count every open order for whoever asks by chat', () => {
    write(...Array.from({ length: 101 }, (_, index) => openOrder(`many-${index}`)));
    const outbox = new SafeOutbox(mirror.folder);
    const view = readView({ files, outbox, dataFolder: mirror.folder, nowMs: NOW_MS });
    outbox.close();
    expect(view.bot?.openOrders).toBe(101);
  });

  test('are watched anew from the moment at which the clock was set back', () => {
    let nowMs = NOW_MS;
    const watched = filesOf({ nowMs: () => nowMs });
    const sinceMs = (): number =>
      watched.snapshot({ cursor: null, deviceBefore: null }).snapshot.watchedSinceMs;
    nowMs += 5_000;
    expect(sinceMs()).toBe(NOW_MS);
    nowMs -= 3_600_000;
    expect(sinceMs()).toBe(nowMs);
    watched.close();
  });

  test('that can not be read leave a person a bot that can be halted', () => {
    const unreadable = join(mirror.folder, 'spoiled.sqlite');
    writeFileSync(unreadable, 'no mirror at all');
    const spoiled = filesOf({ mirrorPath: unreadable });
    const outbox = new SafeOutbox(mirror.folder);
    const view = readView({ files: spoiled, outbox, dataFolder: mirror.folder, nowMs: NOW_MS });
    const ask = (name: string): ReturnType<typeof answerChat> =>
      answerChat(
        {
          kind: 'command',
          updateId: 1,
          userId: 1,
          userName: 'ali',
          chatId: 1,
          name,
          argument: '',
          atMs: NOW_MS,
        },
        { view, locale: localeOf('en'), nowMs: NOW_MS, drawMark: () => 'm' },
      );
    expect(ask('status').lines.join('\n')).toMatch(/What this bot has stored can not be read now: expected/);
    expect(ask('halt').asks).toEqual([{ mark: 'm', action: { kind: 'halt' } }]);
    spoiled.close();
    outbox.close();
  });

  test('say which position of a bracket has no exit at the exchange', () => {
    const exit = orderRecord({
      key: 'exit',
      intentId: 'b1',
      side: 'sell',
      state: 'open',
      strategy: 'dip',
      amount: parseUnits('0.4'),
    });
    const algorithm = {
      intentId: 'b1',
      strategy: 'dip',
      market: 'BTCIRT',
      json: algorithmToJson(BRACKET),
    };
    write({ kind: 'algorithm', algorithm }, { kind: 'order', order: exit });
    expect(look().snapshot.unprotected).toEqual([]);
    write({ kind: 'order', order: { ...exit, state: 'rejected' } });
    expect(look().snapshot.unprotected).toEqual([
      { strategy: 'dip', market: 'BTCIRT', asset: 'btc', amount: '0.4', reason: 'SmallOrder' },
    ]);
  });

  test('say what has become of entries that waited', () => {
    const id = 'i7';
    const entry = intentRecord({ id, strategy: 'grid', approval: 'waiting', value: parseUnits('600') });
    const { cursor } = look();
    write({ kind: 'intent', intent: { ...entry, best: parseUnits('7') } });
    expect(look(cursor).snapshot.approvals).toMatchObject([{ id, amount: '85.71', outcome: null }]);
    write(
      {
        kind: 'intent',
        intent: { ...entry, approval: 'approved', decidedBy: 'ali', status: 'refused', reason: 'why' },
      },
      journalLine(id, '{"approval":"approved","by":"ali"}', 'intent'),
    );
    const outcome = { kind: 'refused', by: 'ali', reason: 'why' };
    const next = look(cursor);
    expect(next.snapshot.approvals).toMatchObject([{ id, outcome }]);
    expect(look(next.cursor).snapshot.approvals).toEqual([]);
  });

  test('give the trades that the new lines are about', () => {
    const { cursor } = look();
    write(
      fillChange(),
      fillChange({ tradeId: tradeIdOf(71), cursor: 71, orderKey: null }),
      journal('bot-ma-cross-e001-1', { tradeId: tradeIdOf(70) }),
      journal('foreign', { tradeId: tradeIdOf(71) }),
    );
    expect(look(cursor).snapshot.fills).toMatchObject([{ tradeId: tradeIdOf(70), currency: 'rls' }]);
  });

  test('give equity without deposits, and sum a time up', () => {
    write(
      figure('equity/rls', NOW_MS - 2_000, '100'),
      figure('equity/rls', NOW_MS - 1_000, '1090'),
      figure('profit/rls', NOW_MS - 2_000, '0'),
      figure('profit/rls', NOW_MS - 1_000, '-10'),
      fillChange({ atMs: NOW_MS - 1_500 }),
    );
    const [equity] = look().snapshot.equity;
    expect(equity?.values.map(({ value }) => value)).toEqual([parseUnits('1100'), parseUnits('1090')]);
    expect(files.period({ fromMs: NOW_MS - 5_000, toMs: NOW_MS })).toMatchObject({
      trades: 1,
      equity: [{ currency: 'rls', now: '1090', change: '-10', points: [1_100, 1_090] }],
    });
  });

  test('count every trade of a time, however many, and find a new one behind many others', () => {
    const fills = Array.from({ length: 20_500 }, (_, index): MirrorChange => {
      const cursor = 100 + index;
      const atMs = NOW_MS - 20_500 + index;
      return fillChange({ tradeId: tradeIdOf(cursor), cursor, atMs, fee: parseUnits('2') });
    });
    const { cursor } = look();
    write(...fills, journal('bot-ma-cross-e001-1', { tradeId: tradeIdOf(100) }));
    expect(look(cursor).snapshot.fills).toMatchObject([{ tradeId: tradeIdOf(100) }]);
    expect(files.period({ fromMs: NOW_MS - 20_400, toMs: NOW_MS })).toMatchObject({
      trades: 20_400,
      fees: [{ currency: 'btc', amount: '40800' }],
    });
    expect(files.period({ fromMs: NOW_MS - 86_400_000, toMs: NOW_MS - 20_400 })).toMatchObject({
      trades: 100,
    });
  });

  test('say what the notes beside the mirror say', () => {
    leaveRecord(mirror.folder, { aheadMs: -20_000 });
    writeFileSync(join(mirror.folder, 'device'), 'abc');
    const { clockAheadMs, device, freeBytes, diskFault } = look().snapshot;
    expect({ clockAheadMs, diskFault }).toEqual({ clockAheadMs: -20_000, diskFault: null });
    expect(device).toMatch(/^[0-9a-f]{16}$/);
    expect(freeBytes).toBeGreaterThan(0);
    leaveRecord(mirror.folder);
    rmSync(`${mirror.path}.ballast`);
    expect(look().snapshot).toMatchObject({ clockAheadMs: null, diskFault: expect.any(String) as string });
  });

  test('are read anew where the mirror was replaced, and its past is no news', () => {
    write(journal('halt', {}), journal('halt', {}));
    const before = look().cursor;
    store.abandon();
    for (const end of ['', '-wal', '-shm', '.mark']) rmSync(mirror.path + end, { force: true });
    store = mirror.open();
    write(journal('halt', { reason: 'x' }));
    const { cursor, snapshot } = look(before);
    expect(snapshot.rows).toEqual([]);
    expect(cursor?.epoch).not.toBe(before?.epoch);
  });

  test('are nothing before there is a mirror, and while it is that of an earlier run', () => {
    const early = filesOf({ mirrorPath: join(mirror.folder, 'none.sqlite') });
    expect(early.snapshot({ cursor: null, deviceBefore: null })).toMatchObject({ cursor: null });
    expect(early.hasNews(null)).toBe(false);
    const later = filesOf({ madeSinceMs: Date.now() + 60_000 });
    expect(later.snapshot({ cursor: null, deviceBefore: null })).toMatchObject({ cursor: null });
    early.close();
    later.close();
  });
});
