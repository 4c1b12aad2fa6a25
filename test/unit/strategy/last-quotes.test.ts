import { describe, expect, it } from 'vitest';
import { frozenIntent } from '../../../src/strategy/check-intents.ts';
import { LastQuotes } from '../../../src/strategy/handlers/handler-call.ts';

const QUOTES = [
  { side: 'buy', price: 100, amount: 0.5 },
  { side: 'sell', price: 101, amount: 0.5 },
];

const intentOf = (quotes: unknown) => frozenIntent({ kind: 'quotes', market: 'BTCUSDT', quotes }, 'ctx');

function lastOf(quotes: unknown): LastQuotes {
  const last = new LastQuotes();
  last.remember(quotes, intentOf(quotes));
  return last;
}

describe('quotes that are said again', () => {
  it('are the intent that was checked before', () => {
    const last = new LastQuotes();
    const intent = intentOf(QUOTES);
    expect(last.again(QUOTES)).toBeNull();
    last.remember(QUOTES, intent);
    expect(last.again(QUOTES.map((quote) => ({ ...quote })))).toBe(intent);
  });

  it.each([
    ['another price', [QUOTES[0], { ...QUOTES[1], price: 102 }]],
    ['another side', [QUOTES[0], { ...QUOTES[1], side: 'buy' }]],
    ['one quote less', [QUOTES[0]]],
    ['one field more', [QUOTES[0], { ...QUOTES[1], value: 5 }]],
    [
      'a field of another name',
      [QUOTES[0], Object.assign(Object.create(QUOTES[1] ?? null), { a: 1, b: 2, c: 3 })],
    ],
    ['no list', { length: 2, 0: QUOTES[0], 1: QUOTES[1] }],
    ['nothing', undefined],
  ])('are others with %s', (_, quotes: unknown) => {
    expect(lastOf(QUOTES).again(quotes)).toBeNull();
  });

  it('are checked anew where their prices are no numbers, which could change', () => {
    const texts = [{ side: 'buy', price: '100', amount: 0.5 }];
    expect(lastOf(texts).again(texts)).toBeNull();
  });

  it('are checked anew where a quote answers otherwise each time', () => {
    let price = 100;
    const moving = [
      {
        side: 'buy',
        amount: 0.5,
        get price() {
          return (price += 1);
        },
      },
    ];
    expect(lastOf(moving).again(moving)).toBeNull();
  });
});
