import { describe, expect, test } from 'vitest';
import type { EngineEvent } from '../../../src/engine/engine-event.ts';
import type { MirrorChange } from '../../../src/engine/mirror-change.ts';
import { ByHandChecker, NoteChecker, SignalChecker } from '../../../src/fuzz/checkers/by-hand-checker.ts';
import type { TrueOrder } from '../../../src/fuzz/checkers/exchange-truth.ts';
import { PositionChecker } from '../../../src/fuzz/checkers/position-checker.ts';
import type { OrderRecord } from '../../../src/records/order.ts';
import { endedOrder as order, orderIn, trueFill } from '../../support/order-value.ts';
import { intentRecord, journalLine } from '../mirror/mirror-fixture.ts';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { SignalReply } from '../../../src/engine/signal-intake.ts';
import { SignalDesk } from '../../../src/fuzz/people.ts';
import { folderOfAllTests } from '../../support/temporary-folder.ts';

const folder = folderOfAllTests();
const nameOf = (id: number): string => `bot-one-mark-${id}`;
const bought = trueFill(1, { market: 'USDTIRT', amount: 10n, total: 10n, fee: 1n });
const sent = (id: number, intentId: string): MirrorChange => ({
  kind: 'order',
  order: orderIn('sending', { key: nameOf(id), clientOrderId: nameOf(id), intentId, plannedAtMs: 0 }),
});

function faultsOf(
  changes: readonly MirrorChange[],
  orders: readonly TrueOrder[],
  unfinished: readonly OrderRecord[] = [],
  lost: readonly MirrorChange[] = [],
): number {
  const checker = new ByHandChecker({ instance: 'bot', count: () => {} });
  const engine = { unfinishedOrders: () => unfinished };
  for (const step of [lost, [], changes]) checker.watch(engine, { changes: step }, 0);
  const truth = { orders: [order(1), ...orders], fills: [bought], balances: new Map() };
  return checker.violations(truth, new Set()).length;
}

const begins = (id: string, json: string): MirrorChange => ({
  kind: 'intent',
  intent: intentRecord({ id, json }),
});
const wish = (id: string): MirrorChange => begins(id, '{"kind":"place","amount":"25.01","tag":"by-hand"}');
const closing = { intentId: 'i1', strategy: 'one', market: 'USDTIRT' };
const closes = journalLine('close sells', JSON.stringify(closing), 'control');
const sale = (amount: bigint): readonly TrueOrder[] => [order(9, { side: 'sell', amount })];
const open = (intentId: string, market = 'USDTIRT'): readonly OrderRecord[] => [
  orderIn('open', { strategy: 'one', intentId, market }),
];

describe('what is done by hand', () => {
  test('sells no more in a close than the exchange has brought', () => {
    expect(faultsOf([closes, sent(9, 'i1')], sale(9n))).toBe(0);
    expect(faultsOf([closes, sent(9, 'i1')], sale(10n))).toBe(1);
    expect(faultsOf([sent(9, 'i1')], sale(10n))).toBe(0);
  });

  test('waits in a close for the ends of the other orders in the coin', () => {
    expect(faultsOf([closes], [], open('i1'))).toBe(0);
    expect(faultsOf([closes], [], open('i2', 'BTCUSDT'))).toBe(0);
    expect(faultsOf([closes], [], open('i2'))).toBe(1);
  });

  test('places one order for each command', () => {
    const orders = [order(9), order(10)];
    expect(faultsOf([wish('i1'), sent(9, 'i1')], orders)).toBe(0);
    expect(faultsOf([wish('i1'), sent(9, 'i1'), wish('i2'), sent(10, 'i2')], orders)).toBe(1);
  });
});

test('the checker of dry runs finds an order of one, and not a strategy that draws its amount', () => {
  const order = { strategy: 'one', market: 'USDTIRT', side: 'buy', amount: '25.01' } as const;
  const terms = { ...order, price: null, stopPrice: null, isDryRun: true };
  const dryRun: EngineEvent = { kind: 'control', atMs: 0, command: { kind: 'place', key: 'k', ...terms } };
  const own = begins('i1', '{"kind":"place","amount":"25.01"}');
  const faultsOfSteps = (...steps: readonly (readonly MirrorChange[])[]): number => {
    const checker = new NoteChecker(join(folder, 'none.sqlite'), () => {});
    for (const [step, changes] of steps.entries())
      checker.watch(step === 0 ? dryRun : { kind: 'tick', atMs: step }, { changes });
    return checker.violations().length;
  };
  expect(faultsOfSteps([], [own])).toBe(0);
  expect(faultsOfSteps([own])).toBe(1);
  expect(faultsOfSteps([], [wish('i1')])).toBe(1);
});

/** Counts faults over two runs, where the second uses ids and names of steps lost by the first again. */
const faultsOfLives = (lost: readonly MirrorChange[], kept: readonly MirrorChange[]): number =>
  faultsOf(kept, [...sale(20n), order(10)], [], lost);

describe('of steps that a life lost, not only the last one, the ids and names are taken again', () => {
  test('by an order of its own after a close', () => {
    const own = begins('i1', '{}');
    expect(faultsOfLives([begins('i1', '{}'), closes], [sent(9, 'i1')])).toBe(1);
    expect(faultsOfLives([begins('i1', '{}'), closes], [own, sent(9, 'i1')])).toBe(0);
    expect(faultsOfLives([closes, sent(9, 'i1')], [own, sent(9, 'i1')])).toBe(0);
    expect(faultsOfLives([closes, sent(9, 'i1')], [begins('i2', '{}'), sent(9, 'i2')])).toBe(0);
  });

  test('by an order of its own after one by hand, which is placed anew', () => {
    const anew = [wish('i3'), sent(10, 'i3')];
    expect(faultsOfLives([wish('i1'), sent(9, 'i1')], anew)).toBe(1);
    expect(faultsOfLives([wish('i1'), sent(8, 'i1')], anew)).toBe(0);
    expect(faultsOfLives([wish('i1'), sent(9, 'i1')], [begins('i1', '{}'), sent(9, 'i1'), ...anew])).toBe(0);
  });

  test('by a bracket, after one whose exit somebody canceled', () => {
    const exit = { key: 'exit', side: 'sell', exit: 'stop-loss' } as const;
    const lost: MirrorChange = { kind: 'order', order: orderIn('cancelled', exit) };
    const next: MirrorChange = { kind: 'order', order: orderIn('sending', { ...exit, key: 'next' }) };
    const faults = [[next], [begins('i1', '{}'), next]].map((changes) => {
      const checker = new PositionChecker(() => {});
      checker.applied(7);
      for (const step of [[lost], changes]) checker.watch({ changes: step, requests: [] });
      return checker.violations().length;
    });
    expect(faults).toEqual([1, 0]);
  });
});

/** Makes a mirror whose strategy has received these signals. */
function mirrorOf(told: readonly string[]): string {
  const path = join(folder, `${told.join('-')}.sqlite`);
  const database = new Database(path);
  database.exec('CREATE TABLE strategies (name TEXT, json TEXT)');
  const json = JSON.stringify({ state: { told } });
  database.prepare('INSERT INTO strategies VALUES (?, ?)').run('listener', json);
  database.close();
  return path;
}

const reply = (outcome: SignalReply['outcome']): SignalReply => ({ outcome, code: 'told', message: '' });

test.each<readonly [string, string[], (checker: SignalChecker) => void, string[], string | null]>([
  ['nothing of signals told once', ['a', 'b'], (of) => of.replied('a', reply('told')), [], null],
  ['one told twice', ['a', 'c', 'a'], () => undefined, [], 'a to be told once, was told 2 times'],
  ['one lost', ['d'], (of) => of.replied('e', reply('told')), [], 'e, which was answered as told'],
  ['one told that was refused', ['f'], (of) => of.replied('f', reply('refused')), [], 'f not to be told'],
  ['one without an answer', ['g'], () => undefined, ['h'], 'an answer to the signal h, was none'],
])('the checker of signals finds %s', (_, told, act, unanswered, part) => {
  const checker = new SignalChecker();
  act(checker);
  const found = checker.violations(mirrorOf(told), unanswered, new Set()).map(({ message }) => message);
  expect(found).toEqual(part === null ? [] : [expect.stringContaining(part)]);
});

test('the checker of signals finds an answer that changes, but for one that was one too many', () => {
  const checker = new SignalChecker();
  checker.replied('x', reply('dropped'));
  checker.replied('x', reply('told'));
  checker.replied('y', reply('refused'));
  checker.replied('y', reply('told'));
  const [first, ...others] = checker.violations(mirrorOf(['y']), [], new Set());
  expect(first?.message).toBe('expected the signal x to stay dropped, was told');
  expect(others).toEqual([]);
});

test('the desk tells which ids were posted again, be it before their answer or after', () => {
  const desk = new SignalDesk(() => undefined);
  const signal = { kind: 'signal', strategy: '', name: '', payload: 0, sentAtMs: 0, source: '' } as const;
  for (const id of ['once', 'late', 'early', 'early']) desk.post({ ...signal, id }, 0);
  desk.settle(() => reply('refused'));
  desk.post({ ...signal, id: 'late' }, 1);
  expect([...desk.repeated]).toEqual(['early', 'late']);
});
