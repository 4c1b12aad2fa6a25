import { describe, expect, test } from 'vitest';
import { refusalOf, scenariosOf } from './algorithm-table.ts';

const berg = {
  kind: 'iceberg',
  market: 'BTCUSDT',
  side: 'sell',
  amount: '2.5',
  visible: '1',
  price: '100',
} as const;

describe('an iceberg', () => {
  scenariosOf(berg)`
    shows the next part once the last is filled and its fills are read
      position 5 => place sell 1@100
      1 open => -
      1 open 0.9 => -
      1 settling 0.9/1 => -
      1 filled => place sell 1@100
      2 unknown => -
      at 600000 => -
      2 filled => place sell 0.5@100
      3 filled => done filled

    ends when somebody cancels a part
      start => place sell 1@100
      1 open => -
      1 settling 0.1/0.4 => -
      1 cancelled 0.4 => done its order was canceled

    ends at a rest that can not be ordered ${{ ...berg, amount: '1.05' }}
      start => place sell 1@100
      1 filled => done filled but for a rest below the minimum

    pauses after a refusal and gives up after three in a row
      start => place sell 1@100
      refused halted => wake 10500
      at 10500 => place sell 1@100
      2 filled => place sell 1@100
      3 rejected DuplicateOrder => wake 21000
      at 21000 => place sell 1@100
      4 lost => wake 31500
      at 31500 => place sell 1@100
      refused halted => done refused 3 times in a row: halted

    knows what was filled though the parts are in no view any more
      start => place sell 1@100
      1 filled => place sell 1@100
      forget 1 => -
      2 filled => place sell 0.5@100
      forget 2 => -
      3 filled => done filled
  `;

  test.each([
    ['no amount', { amount: 'x' }],
    ['no visible part', { visible: '0' }],
    ['no price', { price: '0' }],
    ['more visible than there is', { visible: '2.6' }],
    ['parts without end', { amount: '1001' }],
    ['parts below the minimum', { visible: '0.05' }],
  ])('is refused with %s', (_, fields) => {
    expect(refusalOf({ ...berg, ...fields })).toMatch(/^expected /);
  });
});
