import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  EMPTY_MIRROR_STATE,
  type MirrorChange,
  type MirrorState,
} from '../../../src/engine/mirror-change.ts';
import type { FillRecord } from '../../../src/records/fill.ts';
import { isFinal, type OrderRecord } from '../../../src/records/order.ts';
import { deepRuns } from '../../support/deep-runs.ts';
import { MirrorFolder, NOW_MS } from './mirror-fixture.ts';
import { storedChange } from './mirror-arbitraries.ts';

const RECENT_MS = 15 * 60_000;

interface Step {
  readonly changes: readonly MirrorChange[];
  readonly isDurable: boolean;
}

const steps = fc.array(
  fc.record({ changes: fc.array(storedChange, { maxLength: 6 }), isDurable: fc.boolean() }),
  {
    maxLength: 12,
  },
);

const fillName = ({ tradeId, venueOrderId, side }: FillRecord): string =>
  `${tradeId} ${venueOrderId} ${side}`;
const byText = (left: string, right: string): number => (left < right ? -1 : 1);
const byKey = (left: OrderRecord, right: OrderRecord): number => (left.key < right.key ? -1 : 1);
const byFillName = (left: FillRecord, right: FillRecord): number =>
  fillName(left) < fillName(right) ? -1 : 1;

/** Computes the state that a restart must load, by plain maps. */
function expectedState(changes: readonly MirrorChange[]): Omit<MirrorState, 'epoch'> {
  const orders = new Map<string, OrderRecord>();
  const fills = new Map<string, FillRecord>();
  const algorithms = new Map<string, MirrorState['algorithms'][number]>();
  const strategies = new Map<string, MirrorState['strategies'][number]>();
  const intents = new Map<string, MirrorState['intents'][number]>();
  const kept: Record<string, string> = {};
  for (const change of changes) {
    if (change.kind === 'order') orders.set(change.order.key, change.order);
    if (change.kind === 'fill') fills.set(fillName(change.fill), change.fill);
    if (change.kind === 'algorithm') algorithms.set(change.algorithm.intentId, change.algorithm);
    if (change.kind === 'algorithm-end') algorithms.delete(change.intentId);
    if (change.kind === 'intent') intents.set(change.intent.id, change.intent);
    if (change.kind === 'strategy') strategies.set(change.strategy.name, change.strategy);
    if (change.kind === 'kept') kept[change.name] = change.json;
  }
  const isTold = (order: OrderRecord): boolean =>
    !isFinal(order) ||
    (order.closedAtMs ?? NOW_MS) >= NOW_MS - RECENT_MS ||
    (order.state === 'rejected' && order.attempts > 0) ||
    algorithms.has(order.intentId);
  return {
    ...EMPTY_MIRROR_STATE,
    orders: [...orders.values()].filter(isTold).sort(byKey),
    fills: [...fills.values()].sort(byFillName),
    algorithms: [...algorithms.values()].sort((left, right) => byText(left.intentId, right.intentId)),
    strategies: [...strategies.values()].sort((left, right) => byText(left.name, right.name)),
    intents: [...intents.values()]
      .filter(({ status }) => status === 'working')
      .sort((left, right) => byText(left.id, right.id)),
    stored: kept,
  };
}

function stateOf(state: MirrorState): Omit<MirrorState, 'epoch'> {
  const { epoch: _, orders, fills, intents, ...rest } = state;
  return {
    ...rest,
    intents: intents.toSorted((left, right) => byText(left.id, right.id)),
    orders: orders.toSorted(byKey),
    fills: fills.toSorted(byFillName),
  };
}

function reloaded(folder: MirrorFolder, run: readonly Step[], end: 'close' | 'abandon'): MirrorState {
  const store = folder.open();
  for (const { changes, isDurable } of run) store.apply(changes, { atMs: NOW_MS, isDurable });
  store[end]();
  const again = folder.open();
  const state = again.load();
  again.close();
  return state;
}

test('a restart is given back exactly what was written', () => {
  fc.assert(
    fc.property(steps, (run) => {
      using folder = new MirrorFolder();
      const state = reloaded(folder, run, 'close');
      expect(stateOf(state)).toEqual(expectedState(run.flatMap(({ changes }) => changes)));
    }),
    { numRuns: deepRuns(12, 3) },
  );
});

test('a crash loses what came after the last durable change, and nothing before it', () => {
  fc.assert(
    fc.property(steps, (run) => {
      using folder = new MirrorFolder();
      const state = reloaded(folder, run, 'abandon');
      const written = run.slice(0, run.findLastIndex(({ isDurable }) => isDurable) + 1);
      expect(stateOf(state)).toEqual(expectedState(written.flatMap(({ changes }) => changes)));
    }),
    { numRuns: deepRuns(12, 3) },
  );
});

test('the same changes make the same journal hash, and one other line another', () => {
  fc.assert(
    fc.property(steps, fc.nat(), (run, seed) => {
      using one = new MirrorFolder();
      using other = new MirrorFolder();
      const [left, right] = [one.open(), other.open()];
      for (const { changes, isDurable } of run) left.apply(changes, { atMs: NOW_MS, isDurable });
      for (const { changes } of run) right.apply(changes, { atMs: NOW_MS, isDurable: seed % 2 === 0 });
      expect(left.journalHash()).toBe(right.journalHash());
      const entry = { kind: 'notice' as const, subject: 'a', json: '{}' };
      right.apply([{ kind: 'journal', entry }], { atMs: NOW_MS, isDurable: true });
      expect(left.journalHash()).not.toBe(right.journalHash());
    }),
    { numRuns: deepRuns(6, 2) },
  );
});
