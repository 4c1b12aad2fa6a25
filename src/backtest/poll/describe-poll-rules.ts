import type { FidelityStatement } from '../backtest-run.ts';
import type { QueuePlace } from '../../venues/followed/liquidity-model.ts';
import type { Latency, PollRules } from '../../venues/recorded/poll-rules.ts';

function queueOf(queue: QueuePlace): string {
  if (queue.kind === 'front') return 'before all that the book shows at its price';
  if (queue.kind === 'back') return 'behind all that the book shows at its price';
  return `behind ${Number((queue.millionths / 10_000).toFixed(4))} % of what the book shows at its price`;
}

function latencyOf(latency: Latency): string {
  if (latency.kind === 'constant') return `${latency.outMs} ms to the exchange, ${latency.backMs} ms back`;
  if (latency.kind === 'replayed')
    return `what each call of the session took; further ones are ${latencyOf(latency.further)}`;
  const { roundTripsMs, orderTripsMs, seed } = latency;
  const ofOrders = orderTripsMs === undefined ? '' : `, for orders from ${tripsOf(orderTripsMs)}`;
  return `drawn for each request from ${tripsOf(roundTripsMs)}${ofOrders}; half of it each way, seed ${seed}`;
}

function tripsOf(tripsMs: readonly number[]): string {
  const sorted = tripsMs.toSorted((left, right) => left - right);
  const median = sorted[sorted.length >> 1];
  return `${sorted.length} recorded round trip${sorted.length === 1 ? '' : 's'} of ${sorted[0]} to ${sorted.at(-1)} ms (median ${median} ms)`;
}

/** The rules by name and setting, and what they can not know, for the result of a backtest. */
export function describePollRules(rules: PollRules): FidelityStatement {
  const { queue, through, liquidity, latency, own, tradesLagMs } = rules;
  const isWhole = through === 'whole';
  return {
    kind: 'poll',
    rules: [
      {
        rule: 'the bot',
        setting: 'the live one: poll plan, budgets, risk checks and orders, in virtual time',
      },
      {
        rule: 'the market changes',
        setting:
          'at the time that the exchange gave, else when it was seen; at the same time trades before books',
      },
      {
        rule: 'bars',
        setting:
          'the recorded ones, from their close on; where none was recorded, made of trades, else of the middles of books',
      },
      {
        rule: 'statistics',
        setting: 'what was recorded last, from when it was seen; before the first, made of what went by',
      },
      { rule: 'latency', setting: latencyOf(latency) },
      { rule: 'own trades are listed', setting: tradesLagMs === 0 ? 'at once' : `${tradesLagMs} ms late` },
      {
        rule: 'orders that take',
        setting: 'what the last recorded book offers, level by level, less what was traded there since',
      },
      {
        rule: 'what was taken',
        setting:
          liquidity === 'until-change'
            ? 'is missing until a recorded book shows another amount at that price'
            : 'is missing until the next recorded book',
      },
      {
        rule: 'orders that rest',
        setting: `${queueOf(queue)}; forward only by recorded trades at that price, and never behind more than the book still shows there`,
      },
      {
        rule: 'orders that rest at a price the book did not reach',
        setting:
          'behind what it shows there once it does; until then only a trade beyond their price fills them',
      },
      {
        rule: 'the market goes through a resting order',
        setting: isWhole
          ? 'a recorded trade beyond its price, or a book whose other side reaches it, fills all of it at its own price'
          : 'a recorded trade beyond its price, or a book whose other side reaches it, fills as much as was traded or offered, at its own price',
      },
      { rule: 'stop orders', setting: 'trigger by the last recorded trade, then take as others do' },
      {
        rule: 'the book that is polled',
        setting:
          own === 'shown'
            ? 'the recorded one, less what we took, with our own orders in it'
            : 'the recorded one: others do not see our orders',
      },
      { rule: 'fees', setting: 'half-even, in the currency received, by the fill being maker or taker' },
      {
        rule: 'value of the account',
        setting: 'the last price at the exchange, whether the bot had seen it or not',
      },
    ],
    caveats: [
      'The recorded market does not react: no quote moves because of our orders.',
      'Between two recorded books the book stands still; what came and went between them is not known.',
      'What stood before us and was canceled counts as still there, as long as the book shows as much.',
      'The recording was itself made by asking: a change counts from when it was recorded to have been, which is late by up to one of its polls where the exchange gave no time.',
      'Replies are never lost, and the exchange refuses nothing but by its rules; a run of the fuzzer does both.',
      ...(isWhole
        ? ['An order that the market goes through fills whole, however little was traded beyond it.']
        : []),
    ],
  };
}
