import { expect, test } from 'vitest';
import { sendCall } from '../../../support/send-call.ts';
import { RecordedCaller } from '../../../../src/venues/recorded-caller.ts';
import { FollowedExchange } from '../../../../src/venues/followed-exchange.ts';
import { createPollRules, type ReplayedLatency } from '../../../../src/venues/poll-rules.ts';
import type { VenueCall } from '../../../../src/venues/port.ts';
import { VirtualTime } from '../../../../src/virtual/virtual-time.ts';
import { FROM_MS, TETHER } from './recorded-run.ts';
import { orderIdOf } from '../../../../src/venues/read-records.ts';

/** When each of some calls, sent at once, was at the exchange and back, in ms from then. */
async function timesOf(latency: ReplayedLatency, calls: readonly VenueCall[]): Promise<readonly string[]> {
  const rules = createPollRules({ latency });
  const fees = { rls: { maker: 0, taker: 0 }, usdt: { maker: 0, taker: 0 } };
  const markets = [{ market: TETHER, hasTrades: false }];
  const exchange = new FollowedExchange({ markets, fees, balances: {}, limits: {}, startMs: FROM_MS, rules });
  const time = new VirtualTime(FROM_MS);
  const times: string[] = [];
  const budgets = new Map();
  const there: number[] = [];
  const caller = new RecordedCaller({
    exchange,
    time,
    latency,
    budgets,
    advance: (timeMs) => there.push(timeMs - FROM_MS),
  });
  for (const call of calls) {
    const begunMs = time.now();
    const send = async (): Promise<void> => {
      await sendCall(caller, call);
      times.push(`${call.kind} ${(there.at(-1) ?? 0) - (begunMs - FROM_MS)} ${time.now() - begunMs}`);
    };
    const back = send();
    await time.run(begunMs + 1_000);
    await back;
  }
  return times;
}

const BOOK: VenueCall = { kind: 'book', market: 'BTCUSDT' };
const CANCEL: VenueCall = { kind: 'cancel', venueId: orderIdOf(1), clientOrderId: null };
const LATENCY: ReplayedLatency = {
  kind: 'replayed',
  tripsMs: new Map([
    ['book BTCUSDT', [40, 10]],
    ['cancel', [20]],
  ]),
  further: { kind: 'drawn', roundTripsMs: [100], orderTripsMs: [60], seed: 1 },
  ways: 'half',
};

test('calls of a session take what they took there, one after the other, and further ones what is drawn', async () => {
  expect(await timesOf(LATENCY, [BOOK, CANCEL, BOOK, BOOK, CANCEL])).toEqual([
    'book 20 40',
    'cancel 10 20',
    'book 5 10',
    'book 50 100',
    'cancel 30 60',
  ]);
});

test('on paper what is asked of the real exchange is of the end of its way, and what is asked in the own process of the beginning', async () => {
  expect(await timesOf({ ...LATENCY, ways: 'apart' }, [BOOK, CANCEL, BOOK, BOOK])).toEqual([
    'book 40 40',
    'cancel 0 20',
    'book 10 10',
    'book 100 100',
  ]);
});
