import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { readHaltWait, controlPath } from '../../../../src/daemon/control-file.ts';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ControlClient } from '../../../../src/daemon/control-client.ts';
import { ControlInbox } from '../../../../src/daemon/control/control-inbox.ts';
import type { ControlCommand, SignalCommand } from '../../../../src/engine/engine-event.ts';
import { startNode } from '../../../support/sarraf-process.ts';
import { english, inEnglish } from '../../../../src/language/sentence.ts';
import { folderOfEachTest } from '../../../support/temporary-folder.ts';

const INBOX_PROCESS = fileURLToPath(new URL('./inbox-process.ts', import.meta.url));

const folder = folderOfEachTest();
let nowMs = 1_000;
const opened: { close(): void }[] = [];
beforeEach(() => {
  nowMs = 1_000;
});
afterEach(() => {
  for (const one of opened.splice(0)) one.close();
});

function client(): ControlClient {
  const made = new ControlClient(folder, () => nowMs);
  opened.push(made);
  return made;
}
function inbox(): ControlInbox {
  const made = new ControlInbox(folder, () => nowMs);
  opened.push(made);
  return made;
}

test('a control database that can not be opened is not to be moved away', () => {
  const file = join(folder, 'file');
  writeFileSync(file, '');
  expect(() => new ControlClient(join(file, 'data'))).toThrow(/could not open it .*can write to it/);
  writeFileSync(controlPath(folder), 'my notes '.repeat(500));
  expect(() => new ControlClient(folder)).toThrow(/left as it is: move it away/);
});

const halt = (reason = 'lunch', wholeAccount = false): ControlCommand => ({
  kind: 'halt',
  reason,
  wholeAccount,
});
const resume: ControlCommand = { kind: 'resume' };
const drain: ControlCommand = { kind: 'drain', openOrders: 'cancel' };
const accept: ControlCommand = { kind: 'accept-balances' };
const place = (key: string, amount = '1'): ControlCommand => ({
  kind: 'place',
  key,
  strategy: 'grid',
  market: 'BTCIRT',
  side: 'buy',
  amount,
  price: '5',
  stopPrice: null,
});

const close = (key: string): ControlCommand => ({ kind: 'close', key, strategy: 'grid', market: null });
const cancel = (key: string): ControlCommand => ({
  kind: 'cancel',
  key,
  order: null,
  strategy: 'grid',
  market: null,
});

describe('a daemon that runs', () => {
  test('takes every halt of another process, and that one sees how it goes and ends', async () => {
    const daemon = startNode([INBOX_PROCESS, folder]);
    await daemon.line((line) => line === 'listens');
    const operator = new ControlClient(folder);
    opened.push(operator);
    for (let round = 0; round < 3; round += 1) {
      const id = operator.post(halt());
      const end = await operator.follow({ id, isOver: () => false });
      expect(end).toMatchObject({
        progress: { left: 1, closed: 2 },
        result: { ok: true, message: '3 orders closed', left: [] },
      });
      const line = await daemon.line((text) => text.startsWith(`{"id":${id},`));
      expect(JSON.parse(line)).toEqual({ id, kind: 'halt' });
    }
    daemon.child.kill('SIGKILL');
    await daemon.finished;
  });

  test('leaves what it did not end when it was killed to the next', async () => {
    const daemon = startNode([INBOX_PROCESS, folder]);
    await daemon.line((line) => line === 'listens');
    const operator = client();
    const id = operator.post(halt('all of it', true));
    await operator.follow({ id, isOver: (state) => state.progress !== null });
    daemon.child.kill('SIGKILL');
    await daemon.finished;
    const next = inbox();
    expect(next.isHalted()).toEqual({ sinceMs: 1_000, reason: 'all of it', wholeAccount: true });
    expect(next.poll()).toEqual([
      { id, postedAtMs: 1_000, command: halt('all of it', true), isRepeated: true },
    ]);
  });
});

const signal = (id: string, more: Partial<SignalCommand> = {}): SignalCommand => ({
  kind: 'signal',
  strategy: 'one',
  name: 'alert',
  id,
  payload: 1,
  sentAtMs: null,
  source: 'test',
  ...more,
});

let operator: ControlClient;
const refusal = (words: string) => ({ ok: false, message: expect.stringContaining(words) as unknown });

describe('the inbox', () => {
  beforeEach(() => {
    operator = client();
  });

  test('gives every command once, in the order of their posts', () => {
    const daemon = inbox();
    expect(daemon.poll()).toEqual([]);
    const ids = [operator.post(accept), operator.post(halt()), operator.post(drain)];
    expect(daemon.poll().map(({ id, command }) => [id, command.kind])).toEqual([
      [ids[0], 'accept-balances'],
      [ids[1], 'halt'],
      [ids[2], 'drain'],
    ]);
    expect(daemon.poll()).toEqual([]);
    const later = operator.post(accept);
    expect(daemon.poll().map(({ id }) => id)).toEqual([later]);
    expect(operator.read(later)).toMatchObject({ takenAtMs: 1_000, result: null });
  });

  test('has one command of a key, however often it is posted', () => {
    const id = operator.post(place('twice'));
    expect([operator.post(place('twice')), operator.find('twice')?.id]).toEqual([id, id]);
    expect(() => operator.post(place('twice', '2'))).toThrow('expected the key twice for one command alone');
    const daemon = inbox();
    expect(daemon.poll()).toHaveLength(1);
    daemon.done(id, { ok: true, message: 'placed', left: [], placed: ['bot-grid-1'] });
    expect(operator.post(place('twice'))).toBe(id);
    expect(operator.find('twice')?.result).toMatchObject({ placed: ['bot-grid-1'] });
    expect(daemon.poll()).toEqual([]);
  });

  test('has one command of the id of a signal, whoever sends it again', () => {
    const id = operator.post(signal('a'));
    expect(operator.post(signal('a', { source: 'other', sentAtMs: 5 }))).toBe(id);
    expect(operator.post(signal('a', { name: 'other' }))).not.toBe(id);
    expect(() => operator.post(signal('a', { payload: 2 }))).toThrow('for one command alone');
    expect(inbox().poll()).toMatchObject([{ id, command: signal('a') }, { command: { name: 'other' } }]);
  });

  test('has room for others when many signals wait, and takes none that is too large', () => {
    for (let sent = 0; sent < 50; sent += 1) operator.post(signal(`n${sent}`));
    expect(() => operator.post(signal('more'))).toThrow('expected at most 50 commands that wait');
    expect(operator.post(place('more'))).toBeGreaterThan(50);
    expect(() => operator.post(signal('long', { payload: 'x'.repeat(9_000) }))).toThrow(
      'payload: expected at most 8192 characters of JSON, were 9002',
    );
  });

  test('does not know a signal that says how old it is: the bot says that', () => {
    const id = operator.post(signal('a', { ageMs: -5 }));
    expect(inbox().poll()).toEqual([]);
    expect(english(operator.read(id)?.result?.message ?? null)).toContain('does not know the command');
  });

  test('does not give an order by hand that waited too long, and says so of one that an earlier run had', () => {
    const first = inbox();
    const had = operator.post(place('had'));
    expect(first.poll()).toMatchObject([{ id: had, isRepeated: false }]);
    first.close();
    const late = operator.post(place('late'));
    nowMs += 61_000;
    const soon = operator.post(place('soon'));
    expect(inbox().poll()).toMatchObject([
      { id: had, isRepeated: true },
      { id: soon, isRepeated: false },
    ]);
    expect(inEnglish(operator.read(late)?.result)).toMatchObject(
      refusal('it waited 61 s for the bot, and was not placed'),
    );
  });

  test('does not give a close or a cancel that waited for ten minutes; one that it had goes on', () => {
    const first = inbox();
    const had = operator.post(close('had'));
    expect(first.poll()).toMatchObject([{ id: had, isRepeated: false }]);
    first.close();
    const late = [operator.post(close('late')), operator.post(cancel('late too'))];
    nowMs += 600_001;
    const soon = operator.post(close('soon'));
    expect(inbox().poll()).toMatchObject([{ id: had, isRepeated: true }, { id: soon }]);
    for (const id of late) {
      expect(inEnglish(operator.read(id)?.result)).toMatchObject(
        refusal('was not done: the position may be another by now'),
      );
    }
  });

  test('takes over a database of before commands had keys', () => {
    const id = operator.post(accept);
    const old = new Database(controlPath(folder));
    old.exec('DROP INDEX commands_by_key; ALTER TABLE commands DROP COLUMN key; PRAGMA user_version = 1');
    old.close();
    const daemon = inbox();
    expect(daemon.poll().map((taken) => taken.id)).toEqual([id]);
    const later = client();
    expect(later.find('one')).toBe(null);
    expect(later.post(place('one'))).toBe(later.post(place('one')));
  });

  test('writes progress down only where it is news', () => {
    const daemon = inbox();
    const id = operator.post(halt());
    daemon.poll();
    daemon.progress(id, { left: 2, closed: 0 });
    const other = new Database(controlPath(folder), { readonly: true });
    const version = (): unknown => other.pragma('data_version', { simple: true });
    const before = version();
    daemon.progress(id, { left: 2, closed: 0 });
    expect(version()).toBe(before);
    daemon.progress(id, { left: 1, closed: 1 });
    expect(version()).not.toBe(before);
    other.close();
  });

  test('says what the cancels of a halt wait for, until it is done', () => {
    const daemon = inbox();
    expect(readHaltWait(folder)).toBe(null);
    const id = operator.post(halt());
    daemon.poll();
    daemon.progress(id, { left: 2, closed: 0 });
    expect(readHaltWait(folder)).toBe(null);
    daemon.progress(id, { left: 2, closed: 0, waitsFor: '2 cancels wait' });
    expect(readHaltWait(folder)).toBe('2 cancels wait');
    daemon.done(id, { ok: true, message: '2 orders are canceled', left: [] });
    expect(readHaltWait(folder)).toBe(null);
  });

  test('lets a command be taken back until it is taken', () => {
    const [one, two] = [operator.post(place('one')), operator.post(place('two', '2'))];
    const result = { ok: false, message: 'taken back', left: [] };
    expect(operator.withdraw(one, result)).toBe(true);
    const daemon = inbox();
    expect(daemon.poll().map(({ id }) => id)).toEqual([two]);
    expect(operator.withdraw(two, result)).toBe(false);
  });

  test('gives no order by hand while it can not write down that it was taken', () => {
    const daemon = inbox();
    const id = operator.post(place('one'));
    const other = new Database(controlPath(folder));
    other.exec('BEGIN IMMEDIATE');
    expect(daemon.poll()).toEqual([]);
    other.exec('COMMIT');
    other.close();
    expect(daemon.poll()).toMatchObject([{ id }]);
  });

  test('takes more commands than fit one look with the next ones', () => {
    const daemon = inbox();
    for (let count = 0; count < 45; count += 1) operator.post(accept);
    expect([daemon.poll().length, daemon.poll().length, daemon.poll().length, daemon.poll().length]).toEqual([
      20, 20, 5, 0,
    ]);
  });

  test('begins without what was meant for an earlier run alone, and with a resume', () => {
    const first = inbox();
    const accepted = operator.post(accept);
    expect(first.poll()).toHaveLength(1);
    first.close();
    const drained = operator.post(drain);
    const resumed = operator.post(resume);
    const next = inbox().poll();
    expect(next.map(({ id }) => id)).toEqual([resumed]);
    for (const id of [accepted, drained])
      expect(inEnglish(operator.read(id)?.result)).toMatchObject(refusal('ended before'));
  });

  test('carries a command out although nothing of it can be written, and writes it down later', () => {
    const daemon = inbox();
    const id = operator.post(halt());
    const writer = new Database(controlPath(folder));
    writer.exec('BEGIN IMMEDIATE');
    expect(daemon.poll()).toHaveLength(1);
    daemon.progress(id, { left: 4, closed: 0 });
    daemon.done(id, { ok: false, message: 'gave up', left: ['x'] });
    expect(daemon.isWritten).toBe(false);
    expect(operator.read(id)).toEqual({ id, takenAtMs: null, progress: null, result: null });
    writer.exec('COMMIT');
    writer.close();
    expect(daemon.poll()).toEqual([]);
    expect(daemon.isWritten).toBe(true);
    expect(operator.read(id)?.result).toEqual({ ok: false, message: 'gave up', left: ['x'] });
  });

  test('ends a command that it does not know with a word about it', () => {
    const daemon = inbox();
    const id = operator.post({ kind: 'dance' } as unknown as ControlCommand);
    expect(daemon.poll()).toEqual([]);
    expect(inEnglish(operator.read(id)?.result)).toMatchObject(refusal('does not know'));
  });

  test('names a bounded number of orders that are left', () => {
    const daemon = inbox();
    const id = operator.post(halt());
    daemon.poll();
    daemon.done(id, {
      ok: false,
      message: 'no',
      left: Array.from({ length: 5_000 }, (_, index) => `order-${index}`),
    });
    expect(operator.read(id)?.result?.left).toHaveLength(200);
  });
});

describe('a halt', () => {
  beforeEach(() => {
    operator = client();
  });

  test('holds from its post until a resume, whoever opens the database', () => {
    client().post(halt('flash crash'));
    expect(inbox().isHalted()).toEqual({ sinceMs: 1_000, reason: 'flash crash', wholeAccount: false });
    client().post(resume);
    expect(inbox().isHalted()).toBeNull();
  });

  test('keeps its first time and the whole account when another halt follows', () => {
    operator.post(halt('one', true));
    nowMs = 2_000;
    operator.post(halt('two', false));
    nowMs = 1_000;
    expect(operator.isHalted()).toEqual({ sinceMs: 1_000, reason: 'two', wholeAccount: true });
  });

  test('that is followed by a resume before it is done has ended, and only the resume is taken', () => {
    const daemon = inbox();
    const first = operator.post(halt());
    const second = operator.post(resume);
    expect(daemon.poll().map(({ id }) => id)).toEqual([second]);
    expect(inEnglish(operator.read(first)?.result)).toMatchObject({
      ok: false,
      message: 'a later command replaced it',
    });
    daemon.done(first, { ok: true, message: 'all closed', left: [] });
    expect(operator.read(first)?.result?.ok).toBe(false);
  });

  test('is taken although as many other commands wait as may', () => {
    for (let count = 0; count < 100; count += 1) operator.post(accept);
    expect(() => operator.post(accept)).toThrow('expected at most 100 commands that wait');
    operator.post(halt());
    expect(operator.isHalted()).not.toBeNull();
  });
});

describe('the control database', () => {
  test('keeps a bounded number of commands that are done', () => {
    const operator = client();
    const database = new Database(controlPath(folder));
    database.exec(
      `WITH RECURSIVE numbers (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM numbers WHERE n < 5000)
       INSERT INTO commands (posted_at_ms, kind, command, taken_at_ms, done_at_ms) SELECT n, 'resume', '{}', n, n FROM numbers`,
    );
    operator.post(accept);
    const { count, least } = database
      .prepare('SELECT count(*) AS count, min(id) AS least FROM commands')
      .get() as {
      count: number;
      least: number;
    };
    database.close();
    expect([count, least]).toEqual([501, 4_501]);
  });

  test.each(['another database', 'a newer version', 'a damaged file'])(
    'is left as it is when it is %s',
    (kind) => {
      const path = controlPath(folder);
      if (kind === 'a damaged file') writeFileSync(path, 'my notes '.repeat(1_000));
      if (kind === 'another database') new Database(path).exec('CREATE TABLE notes (id)').close();
      if (kind === 'a newer version') {
        new ControlClient(folder).close();
        const database = new Database(path);
        database.pragma('user_version = 99');
        database.close();
      }
      const before = readFileSync(path);
      expect(() => client()).toThrow(expect.objectContaining({ code: 'DATA_UNUSABLE' }));
      expect(() => inbox()).toThrow(/--data/);
      expect(readFileSync(path)).toEqual(before);
    },
  );
});

describe('a control database that is deleted while the bot runs', () => {
  test('is made anew by the bot with the halt that held, and the bot says so and takes what is posted then', () => {
    const daemon = inbox();
    client().post(halt('maintenance'));
    expect(daemon.poll()).toHaveLength(1);
    rmSync(controlPath(folder));
    expect(daemon.poll()).toEqual([]);
    expect(daemon.isHalted()).toMatchObject({ reason: 'maintenance' });
    expect(client().isHalted()).toMatchObject({ reason: 'maintenance' });
    client().post(resume);
    expect(daemon.poll().map(({ command }) => command.kind)).toEqual(['resume']);
  });

  test('is that of the next command, when that came first', () => {
    const daemon = inbox();
    daemon.poll();
    rmSync(controlPath(folder));
    client().post(halt('now'));
    expect(daemon.poll().map(({ command }) => command)).toMatchObject([{ kind: 'halt', reason: 'now' }]);
  });

  test('is reported as an error', async () => {
    const daemon = inbox();
    const failure = new Promise<unknown>((resolve) => {
      opened.push({ close: daemon.listen(() => {}, resolve) });
    });
    rmSync(controlPath(folder));
    await expect(failure).resolves.toMatchObject({ message: expect.stringContaining('deleted or replaced') });
  });

  test('fails the command that was given before', async () => {
    const operator = client();
    const id = operator.post(halt());
    rmSync(controlPath(folder));
    await expect(operator.follow({ id, isOver: () => false })).rejects.toThrow(
      /deleted or replaced.*not known/,
    );
  });
});
