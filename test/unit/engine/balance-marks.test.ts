import { describe, expect, it } from 'vitest';
import { BalanceMarks } from '../../../src/engine/comparisons.ts';
import { formatUnits, parseUnits } from '../../../src/domain/money.ts';
import { Outbox } from '../../../src/engine/outbox.ts';
import { EngineWorld, FAST } from './engine-world.ts';

const begun = (): EngineWorld => EngineWorld.answering({ settings: { reconciliation: FAST } }, 90_000);

/** Returns the stored marks: the time of the last movement in each, and its tether. */
function marksOf(world: EngineWorld): readonly (readonly [throughMs: number, usdt: string])[] {
  const marks = world.record('balance-marks')?.marks ?? [];
  return marks.map(({ throughMs, totals }) => [throughMs, formatUnits(totals['usdt'] ?? 0n)]);
}

const DAY_MS = 86_400_000;

describe('balances that are kept for years', () => {
  it('are kept once as the books have begun, and then once a month', () => {
    const world = begun();
    expect(marksOf(world)).toHaveLength(1);
    world.advance(60_000);
    expect(marksOf(world)).toHaveLength(1);
    world.nowMs += 31 * DAY_MS;
    world.venue.nowMs = world.nowMs;
    world.advance(60_000);
    expect(marksOf(world)).toHaveLength(2);
  });

  it('have the movements that were read, by the clock of the exchange, also over a restart', () => {
    const world = begun();
    world.venue.deposit('usdt', '1000');
    const paidAtMs = world.venue.nowMs;
    world.advance(60_000);
    world.mirror.flush();
    world.nowMs += 31 * DAY_MS;
    world.venue.nowMs = world.nowMs;
    world.restart().advance(60_000);
    expect(marksOf(world).map(([, usdt]) => usdt)).toEqual(['100000', '101000']);
    expect(marksOf(world)[1]?.[0]).toBe(paidAtMs);
  });

  it('are not kept while they do not agree, and are kept anew once a person has accepted them', () => {
    const world = begun();
    world.venue.steal('usdt', '1');
    world.nowMs += 31 * DAY_MS;
    world.venue.nowMs = world.nowMs;
    world.advance(120_000);
    expect(marksOf(world)).toHaveLength(1);
    world.engine.reconciler.accept();
    world.advance(120_000);
    expect(marksOf(world).map(([, usdt]) => usdt)).toEqual(['100000', '99999']);
  });

  it('have the lines that came while the books begin anew', () => {
    const world = begun();
    world.failing = { kind: 'wallets', code: 'SERVER_ERROR' };
    world.engine.reconciler.accept();
    world.venue.deposit('usdt', '1000');
    const paidAtMs = world.venue.nowMs;
    world.advance(90_000);
    world.failing = null;
    world.advance(90_000);
    expect(marksOf(world)[1]).toEqual([paidAtMs, '101000']);
    expect(world.mirror.lines.map(({ amount }) => formatUnits(amount))).toEqual(['1000']);
  });

  it('wait for the line of what was in the first reading of the books, and have its time', () => {
    const world = begun();
    world.failing = { kind: 'transactions', code: 'SERVER_ERROR' };
    world.venue.deposit('usdt', '1000');
    const paidAtMs = world.venue.nowMs;
    world.engine.reconciler.accept();
    world.advance(60_000);
    expect(world.engine.reconciler.books.expectedOf('usdt')).toBe(parseUnits('101000'));
    expect(marksOf(world)).toHaveLength(1);
    world.failing = null;
    // The books can not know that they began with the line's money, so they drop the line after a while.
    world.advance(700_000);
    expect(marksOf(world).slice(1)).toEqual([[paidAtMs, '101000']]);
  });

  it('wait for the line of a transfer, whose time is not known before', () => {
    const outbox = new Outbox();
    const marks = new BalanceMarks(outbox);
    const totals = new Map([['usdt', 5n]]);
    marks.transferred('usdt', -2n);
    marks.agreed(totals, 1_000);
    expect(outbox.emit(0).changes).toEqual([]);
    marks.lineRead('usdt', -2n, 900);
    marks.agreed(totals, 2_000);
    const [change] = outbox.emit(0).changes;
    expect(change).toMatchObject({ kind: 'kept', json: expect.stringContaining('"throughMs":900') });
  });
});
