import { expect, test } from 'vitest';
import { requestFigures } from '../../../../src/backtest/metrics/request-figures.ts';
import { present } from '../../../../src/domain/invariant.ts';
import { demoRun } from '../demo-run.ts';

const run = demoRun({ bars: 300, tradeChance: 0.2 });
const [order] = run.orders;
const planned = present(order, 'an order');
const waited = (ms: number | null) => ({
  ...planned,
  plannedAtMs: 1_000,
  sentAtMs: ms === null ? null : 1_000 + ms,
});

test('requests count for each fill, and orders wait from their plan until they are sent', () => {
  const fills = run.fills.slice(0, 4);
  const orders = [waited(0), waited(300), waited(null)];
  expect(requestFigures({ requests: 10, orders, fills })).toEqual({
    requests: 10,
    requestsPerFill: 2.5,
    averageOrderWaitMs: 150,
  });
});

test('without a fill nothing has a cost for each, and on candles nothing is sent', () => {
  expect(requestFigures({ requests: 10, orders: [], fills: [] })).toEqual({
    requests: 10,
    requestsPerFill: null,
    averageOrderWaitMs: null,
  });
  expect(requestFigures({ ...run, requests: null })).toEqual({
    requests: null,
    requestsPerFill: null,
    averageOrderWaitMs: null,
  });
});
