import { describe, test } from 'vitest';
import { runCandleTable } from '../../../scenario/candle-fills-table.ts';

const COSTLY = { spreadBps: 20 } as const;

describe('what the volume leaves of a limit order that took', () => {
  test('goes on taking, and paying for it, while the opens that follow are beyond its price', () =>
    runCandleTable(
      `
      buy limit 5 @102 => Active
      bar 100 101 100 101 x20 => 1 2@100.1 taker open
      bar 101 101 101 101 x10 => 1 1@101.11 taker open   # half of 20 bps of 101 is 0.101
      bar 101 101 101 101 => 1 2@101.11 taker open
    `,
      COSTLY,
    ));

  test('does so where the first bars had no volume at all', () =>
    runCandleTable(
      `
      sell limit 1 @99 => Active
      bar 100 100 100 100 x0
      bar 100 100 100 100 => 1 1@99.9 taker open
    `,
      COSTLY,
    ));

  test('rests once an open is not beyond its price', () =>
    runCandleTable(
      `
      buy limit 5 @102 => Active
      bar 100 104 100 103 x20 => 1 2@100.1 taker open
      bar 103 104 103 103
      bar 100 100 100 100 => 1 3@100 maker open
    `,
      COSTLY,
    ));

  test('is the same for an order that took at the close', () =>
    runCandleTable(
      `
      bar 100 100 100 100 x20
      buy limit 5 @102 => Active then 1 2@100.1 taker
      bar 101 101 101 101 => 1 3@101.11 taker
    `,
      { ...COSTLY, arrival: 'this-close' },
    ));

  test('is the same for a stop-limit order that took as it woke', () =>
    runCandleTable(
      `
      sell stop_limit 3 @90 stop 95 => Inactive
      bar 100 101 94 96 x10 => 1 1@94.9 taker
      bar 94 94 94 94 => 1 2@93.9 taker open             # and not at 94 as maker
    `,
      COSTLY,
    ));
});

describe('what the volume leaves of a market buy', () => {
  test('holds nothing more once a part cost all that was set aside', () =>
    runCandleTable(`
      buy market 10 => Active
      wallet usdt 1000000 held 1010
      bar 300 300 300 300 x50 => 1 5@300 taker open
      wallet usdt 998500 held 0
      bar 300 300 300 300 => 1 5@300 taker open
    `));
});
