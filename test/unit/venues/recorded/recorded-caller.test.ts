import { expect, test, describe, it } from 'vitest';
import { sendCall } from '../../../support/send-call.ts';
import { RecordedCaller } from '../../../../src/venues/recorded-caller.ts';
import { FollowedExchange } from '../../../../src/venues/followed-exchange.ts';
import {
  createPollRules,
  type ReplayedLatency,
  DEFAULT_POLL_RULES,
  type PollRules,
} from '../../../../src/venues/fill-rules.ts';
import type { VenueCall } from '../../../../src/venues/port.ts';
import { VirtualTime } from '../../../../src/virtual/virtual-time.ts';
import { FROM_MS, TETHER } from './recorded-run.ts';
import { orderIdOf } from '../../../../src/venues/read-records.ts';
import { reportVoice } from '../../../../src/backtest/report-voice.ts';
import { describePollRules } from '../../../../src/backtest/describe-rules.ts';

/** Returns for each call when it reached the exchange and when its reply came, in ms after it was sent. */
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
const CANCEL: VenueCall = { kind: 'cancel', market: 'BTCUSDT', venueId: orderIdOf(1), clientOrderId: null };
const LATENCY: ReplayedLatency = {
  kind: 'replayed',
  tripsMs: new Map([
    ['book BTCUSDT', [40, 10]],
    ['cancel', [20]],
  ]),
  further: { kind: 'drawn', roundTripsMs: [100], orderTripsMs: [60], seed: 1 },
  split: 'half',
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
  expect(await timesOf({ ...LATENCY, split: 'apart' }, [BOOK, CANCEL, BOOK, BOOK])).toEqual([
    'book 40 40',
    'cancel 0 20',
    'book 10 10',
    'book 100 100',
  ]);
});

describe('the rules of a recorded market', () => {
  it('are the worst for us where nothing is said', () => {
    expect(createPollRules()).toEqual(DEFAULT_POLL_RULES);
    expect(DEFAULT_POLL_RULES.queue).toEqual({ kind: 'back' });
    expect(DEFAULT_POLL_RULES.liquidity).toBe('until-change');
  });

  it.each([
    [{ queue: { kind: 'share', millionths: 1_000_001 } }, 'queue.millionths'],
    [{ queue: { kind: 'share', millionths: 0.5 } }, 'queue.millionths'],
    [{ latency: { kind: 'constant', outMs: -1, backMs: 0 } }, 'latency.outMs'],
    [{ latency: { kind: 'constant', outMs: 0, backMs: 1.5 } }, 'latency.backMs'],
    [{ latency: { kind: 'drawn', roundTripsMs: [], seed: 1 } }, 'at least one round trip'],
    [{ latency: { kind: 'drawn', roundTripsMs: [Number.NaN], seed: 1 } }, 'latency.roundTripsMs'],
    [{ tradesLagMs: -5 }, 'tradesLagMs'],
  ] as const satisfies readonly (readonly [Partial<PollRules>, string])[])('refuse %j', (given, named) => {
    expect(() => createPollRules(given)).toThrow(named);
  });

  it('are each said in the statement of a run, so that another setting reads otherwise', () => {
    const { format: tell } = reportVoice('en');
    const textOf = (rules: PollRules): string =>
      describePollRules(rules)
        .rules.map(({ rule, setting }) => `${tell(rule)}: ${tell(setting)}`)
        .join('\n');
    const plain = textOf(DEFAULT_POLL_RULES);
    const others: readonly Partial<PollRules>[] = [
      { queue: { kind: 'front' } },
      { queue: { kind: 'share', millionths: 250_000 } },
      { through: 'volume' },
      { liquidity: 'next-book' },
      { latency: { kind: 'constant', outMs: 1, backMs: 2 } },
      { latency: { kind: 'drawn', roundTripsMs: [10], seed: 9 } },
      { tradesLagMs: 500 },
    ];
    const said = others.map((given) => textOf(createPollRules(given)));
    expect(new Set([plain, ...said]).size).toBe(others.length + 1);
    expect(plain).not.toMatch(/undefined|NaN|\[object/);
  });
});
