import { decimalText } from '../../../../src/domain/decimal-text.ts';
import { parseMarket } from '../../../../src/exchange/market-names.ts';
import type { MarketStats, OrderBook } from '../../../../src/domain/order-book.ts';
import type { PublicTrade } from '../../../../src/domain/trade.ts';
import type { VenueAnswer, VenueCall } from '../../../../src/venues/port.ts';
import { Recorder, type RecorderOptions } from '../../../../src/recording/recorder.ts';
import { BTCIRT, takeLock } from '../temporary-catalogue.ts';

export const NOON_MS = Date.UTC(2026, 0, 5, 12);

/** A call, and the answer to it. */
export type Answered = readonly [call: VenueCall, answer: VenueAnswer];

const value = (call: VenueCall, of: unknown): Answered => [
  call,
  { outcome: 'value', value: of } as VenueAnswer,
];

export function bookOf(price: number, change: Partial<OrderBook> = {}): OrderBook {
  return {
    bids: [[decimalText(price - 10), decimalText('0.5')]],
    asks: [[decimalText(price + 10), decimalText('0.25')]],
    updatedAtMs: null,
    ...change,
  };
}

export const bookAnswer = (book: OrderBook, market: string = BTCIRT): Answered =>
  value({ kind: 'book', market }, book);

export const booksAnswer = (books: Readonly<Record<string, OrderBook>>): Answered =>
  value({ kind: 'books' }, books);

/** Makes the trade with a number, on a tape with several trades, some of them equal, in an instant. */
export function numbered(number: number): PublicTrade {
  return {
    timeMs: NOON_MS + Math.floor(number / 3) * 7,
    price: decimalText(12_600_000_000 + Math.floor(number / 2) * 10),
    amount: decimalText('0.001'),
    side: number % 5 === 0 ? 'sell' : 'buy',
  };
}

/** Makes the page of trades from `first` to `last`, newest first as the exchange lists them. */
export function pageAnswer(first: number, last: number): Answered {
  const page = Array.from({ length: last - first + 1 }, (_, index) => numbered(last - index));
  return value({ kind: 'public-trades', market: BTCIRT }, page);
}

export function statsAnswer(latest: number): Answered {
  const name = parseMarket(BTCIRT);
  const stats: MarketStats = {
    market: name,
    isClosed: false,
    closedReason: null,
    bestSell: decimalText(latest + 10),
    bestBuy: decimalText(latest - 10),
    baseVolume: decimalText('12.5'),
    quoteVolume: null,
    latest: decimalText(latest),
    mark: null,
    dayLow: null,
    dayHigh: null,
    dayOpen: null,
    dayClose: null,
    dayChange: decimalText('-0.25'),
  };
  return value({ kind: 'stats', base: [name.base], quote: [name.quote] }, [stats]);
}

let lives = 0;

/** Opens a recorder of BTCIRT in a folder. */
export function openRecorder(root: string, change: Partial<RecorderOptions> = {}): Promise<Recorder> {
  lives += 1;
  return Recorder.open({
    root,
    lockFile: takeLock,
    source: 'test',
    markets: [BTCIRT],
    life: `${String(Date.now()).padStart(15, '0')}-${process.pid}-${String(lives).padStart(4, '0')}`,
    beganMs: null,
    onProblem(message) {
      throw new Error(message);
    },
    ...change,
  });
}
