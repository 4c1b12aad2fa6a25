import { expect, test } from 'vitest';
import { requestFigures } from '../../../../src/backtest/finish-run.ts';
import { demoRun } from '../demo-run.ts';

const { fills } = demoRun({ bars: 300, tradeChance: 0.2 });

test('requests count for each fill', () => {
  const few = fills.slice(0, 4);
  expect(requestFigures({ requests: 10, fills: few })).toEqual({ requests: 10, requestsPerFill: 2.5 });
});

test('without a fill nothing has a cost for each, and on candles nothing is sent', () => {
  expect(requestFigures({ requests: 10, fills: [] })).toEqual({ requests: 10, requestsPerFill: null });
  expect(requestFigures({ requests: null, fills })).toEqual({ requests: null, requestsPerFill: null });
});
