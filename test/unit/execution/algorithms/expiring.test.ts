import { describe } from 'vitest';
import { parseUnits } from '../../../../src/domain/money.ts';
import type { ExpiringAlgorithm } from '../../../../src/engine/algorithms/algorithms.ts';
import { runBegun } from './algorithm-table.ts';
import { scenarios } from '../../../support/scenarios.ts';

const order: ExpiringAlgorithm = {
  kind: 'expiring',
  side: 'buy',
  amount: parseUnits('1'),
  price: parseUnits('99'),
  stopPrice: null,
  tag: 'dip',
  expiresAtMs: 60_000,
  isPlaced: false,
};

describe('an order with an end', () => {
  scenarios<ExpiringAlgorithm | undefined>((table, begun = order) => runBegun(begun)(table))`
    is canceled when its time is over, and keeps what it has filled
      start => place buy 1@99, wake 60000
      1 open => wake 60000
      at 30000 => wake 60000
      1 open 0.4 => wake 60000
      at 60000 => cancel 1
      1 cancelling => -
      1 settling 0.4/0.5 => -
      1 cancelled 0.5 => done cancelled

    is over when it fills before
      start => place buy 1@99, wake 60000
      1 open => wake 60000
      1 filled => done filled

    may wait for a stop price ${{ ...order, side: 'sell', price: null, stopPrice: parseUnits('90') }}
      start => place sell 1 stop 90, wake 60000

    is over when it is refused
      start => place buy 1@99, wake 60000
      refused too large => done refused: too large

    is canceled too while nobody knows whether it arrived
      start => place buy 1@99, wake 60000
      1 unknown => wake 60000
      at 61000 => cancel 1
      1 rejected NeverArrived => done NeverArrived
  `;
});
