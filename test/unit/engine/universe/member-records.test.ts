import { expect, test } from 'vitest';
import { MemberRecords } from '../../../../src/engine/universe-manager.ts';
import { memberRecord } from '../../backtest/run-records.ts';

test('changes of members are remembered up to a bound, and counted beyond it', () => {
  const records = new MemberRecords();
  const { atMs, strategy, universe, rankBy, ...change } = memberRecord({
    market: 'BTCIRT',
    kind: 'entered',
    atMs: 7,
  });
  records.note([change], { atMs, strategy, universe, rankBy });
  const many = Array.from({ length: 20_001 }, () => ({ ...change, market: 'ETHIRT' }));
  records.note(many, { atMs: 8, strategy, universe, rankBy });
  const { records: kept, more } = records.history();
  expect(kept).toHaveLength(20_000);
  expect(kept.slice(0, 2).map(({ market, atMs: toldMs }) => [market, toldMs])).toEqual([
    ['BTCIRT', 7],
    ['ETHIRT', 8],
  ]);
  expect(more).toBe(2);
});
