import { describe, expect, test } from 'vitest';
import { Decimal } from 'decimal.js';
import { createAlgorithm } from '../../../../src/engine/algorithms/algorithms.ts';
import {
  createQuotes,
  updateQuotes,
  type QuotesAlgorithm,
} from '../../../../src/engine/algorithms/quotes.ts';
import { CREATED, MARKET, quotesOf, scenariosOf } from './algorithm-table.ts';
import { english } from '../../../../src/language/sentence.ts';

const pair = quotesOf(['buy', '1@99', 'sell', '1@101']);
const bid = quotesOf(['buy', '1@99']);
const levels = quotesOf(['buy', '1@99', 'buy', '1@98']);

const created = (intent: ReturnType<typeof quotesOf>): QuotesAlgorithm => {
  const result = createQuotes(intent, { market: MARKET, nowMs: 0 });
  if (!result.ok) throw new Error(english(result.reason));
  return result.algorithm;
};

describe('desired quotes', () => {
  scenariosOf(bid)`
    are placed once, and stay whatever is left of them ${pair}
      start => place buy 1@99, place sell 1@101
      1 open => -
      2 unknown => -
      1 open 0.4 => -
      at 60000 => -
      quotes buy 1@99 sell 1@101 => -
      quotes buy 3@99 sell 0.5@101 => -

    wait on a side until what is to go has gone, and are placed then without another word ${pair}
      start => place buy 1@99, place sell 1@101
      1 open => -
      2 open => -
      at 1000 => -
      quotes buy 1@98 sell 1@101 => cancel 1
      1 cancelling => -
      1 open => cancel 1            # the cancel came to nothing
      1 cancelling => -
      1 settling 0.2/0.3 => -
      1 cancelled 0.3 => place buy 1@98
      3 open => -

    end what is not wanted in every state in which it may rest
      start => place buy 1@99
      quotes buy 1@98 => cancel 1
      1 planned => cancel 1
      1 unknown => cancel 1
      1 open => cancel 1
      1 rejected => place buy 1@98

    wait for the next word once they are old
      start => place buy 1@99
      1 open => -
      quotes buy 1@98 => cancel 1
      1 cancelling => -
      at 4999 => -
      at 5000 => -
      1 cancelled => -
      at 60000 => -
      quotes buy 1@98 => place buy 1@98

    are still canceled when they are old
      start => place buy 1@99
      quotes buy 1@98 => cancel 1
      at 9000 => cancel 1
      1 open => cancel 1

    do not come again after a fill until the strategy says so ${pair}
      start => place buy 1@99, place sell 1@101
      1 open => -
      2 open => -
      at 100 => -
      1 settling 0.5/1 => -
      1 filled => -
      at 200 => -
      forget 2 => place sell 1@101   # as if it was never there
      quotes buy 1@99 sell 1@101 => place buy 1@99

    come again after a fill that is older than the set
      start => place buy 1@99
      1 settling 0.5/1 => -
      at 100 => -
      quotes buy 1@99 => -
      1 filled => place buy 1@99

    are left alone after a refusal for as long as an identical order is held back ${pair}
      start => place buy 1@99, place sell 1@101
      refused sells more than there is => -
      1 open => -
      at 4000 => -
      quotes buy 1@98 sell 1@101 => cancel 1
      1 cancelled => place buy 1@98
      at 9000 => -
      quotes buy 1@98 sell 1@101 => wake 10500
      at 10499 => wake 10500
      at 10500 => place sell 1@101
      4 rejected NoFunds => -
      at 10600 => -
      quotes buy 1@98 sell 1.0@101.00 => -          # the same in other words
      quotes buy 1@98 sell 1@102 => place sell 1@102

    are left alone after a rejection that only the order itself shows, until their amount changes
      start => place buy 1@99
      at 100 => -
      1 lost => -
      at 6000 => -
      quotes buy 1@99 => wake 10600
      quotes buy 1.5@99 => place buy 1.5@99
      2 lost => -
      quotes buy 1@99 => wake 10600
      at 10600 => place buy 1@99

    wait for no refused quote of which the set will be too old by then
      start => place buy 1@99
      refused too large => -
      at 5499 => -
      quotes buy 1@99 => -
      at 5501 => -
      quotes buy 1@99 => wake 10500
      at 10500 => place buy 1@99

    of two levels on one side are two orders ${levels}
      start => place buy 1@99, place buy 1@98
      2 open => -
      1 unknown => -
      quotes buy 1@98 buy 1@97 => cancel 1
      1 cancelled => place buy 1@97

    of one price are as many orders as there are quotes ${quotesOf(['buy', '1@99', 'buy', '2@99'])}
      start => place buy 1@99, place buy 2@99
      1 open => -
      quotes buy 1@99 => cancel 2

    are fitted to the price step, and anew when it changes ${quotesOf(['buy', '1@99.126'])}
      start => place buy 1@99.13
      1 open => -
      price step 0.5 => cancel 1
      1 cancelled => place buy 1@99
      quotes buy 1@99.2 => -

    that are none end the algorithm once everything has ended
      start => place buy 1@99
      1 open => -
      quotes => cancel 1
      1 cancelling => -
      1 settling 0.5/0.6 => -
      1 cancelled 0.6 => done no quotes are wanted
  `;
});

describe('a new set', () => {
  test('keeps the list of quotes when it says the same', () => {
    const before = created(pair);
    const after = updateQuotes(before, quotesOf(['buy', '1@99', 'sell', '1@101']), 700);
    expect(after).toEqual({ ok: true, algorithm: { ...before, setAtMs: 700 } });
    expect(after.ok && after.algorithm.quotes).toBe(before.quotes);
  });

  test('may be of Decimals, and of more digits than the books keep', () => {
    const wished = {
      side: 'buy',
      price: new Decimal('99.1250000000009'),
      amount: new Decimal('1e-3'),
    } as const;
    const { quotes } = created({ kind: 'quotes', market: 'BTCUSDT', quotes: [wished] });
    expect(quotes).toMatchObject([{ price: 991_200_000_000n, amount: 10_000_000n }]);
  });

  test.each([
    ['price', ['buy', '1@0']],
    ['amount', ['buy', '-1@99']],
    ['price', ['buy', '1@NaN']],
    ['price', ['buy', '1@1e31']],
    ['amount', ['buy', '1e-11@99']],
  ])('is refused for a %s that is none in %s', (field, words) => {
    const reason = expect.stringContaining(
      `expected a positive decimal for quotes.0.${field}, was`,
    ) as string;
    expect(updateQuotes(created(pair), quotesOf(words), 1)).toEqual({ ok: false, reason });
    expect(createAlgorithm(quotesOf(words), CREATED)).toEqual({ ok: false, reason });
  });

  test('is refused beyond a hundred quotes', () => {
    const many = Array.from({ length: 101 }, (_, index) => ['buy', `1@${index + 1}`]).flat();
    expect(updateQuotes(created(pair), quotesOf(many), 1)).toMatchObject({ ok: false });
    expect(updateQuotes(created(pair), quotesOf(many.slice(2)), 1)).toMatchObject({ ok: true });
  });
});
