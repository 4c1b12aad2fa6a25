import type { BookReply } from '../../schema/market.ts';
import { Panel, WithReply } from '../parts/panel.tsx';
import { Age, NameLink } from '../parts/words.tsx';
import { say } from '../say.ts';
import { capitalised, showNumber, NONE } from '../shown.ts';
import { useReply } from '../use-reply.ts';
import { unitNow } from '../unit-now.ts';
import { formatUnit } from '../../../language/format-money.ts';
import { locale } from '../preferences.ts';

/** A price or an amount in full without its unit, where a heading has that. */
const showPrice = (price: string | null, currency: string): string =>
  price === null ? NONE : formatUnit(price, currency, locale.value);

interface OrderBookProps {
  readonly market: string;
  readonly base: string;
  readonly quote: string;
}

/** Levels of each side that are shown. */
const LEVELS = 10;

/** The order book as the bot read it last, with the place of our orders in it. */
export function OrderBookPanel({ market, base, quote }: OrderBookProps) {
  const reply = useReply<BookReply>(`/markets/${encodeURIComponent(market)}/book`);
  const seenAtMs = reply.value.data?.seenAtMs ?? null;
  return (
    <Panel title={say('book.title')} note={<Age atMs={seenAtMs} />}>
      <WithReply reply={reply.value}>
        {(book) =>
          book.bids.length + book.asks.length === 0 ? (
            <p class="empty">{say('book.none')}</p>
          ) : (
            <BookTable book={book} base={base} quote={quote} />
          )
        }
      </WithReply>
    </Panel>
  );
}

interface BookTableProps {
  readonly book: BookReply;
  readonly base: string;
  readonly quote: string;
}

function BookTable({ book, base, quote }: BookTableProps) {
  const own = new Map(book.own.map((order) => [order.price, order]));
  const [asks, bids] = [book.asks.slice(0, LEVELS).toReversed(), book.bids.slice(0, LEVELS)];
  const most = Math.max(...[...asks, ...bids].map(([, amount]) => Number(amount)));
  const row = (side: 'buy' | 'sell', [price, amount]: readonly [string, string]) => {
    const mine = own.get(price);
    return (
      <tr key={`${side} ${price}`} class={`${side} ${mine === undefined ? '' : 'own'}`}>
        <td class="number price">{showPrice(price, quote)}</td>
        <td class="number">
          {showNumber(amount)}
          <meter aria-hidden="true" min={0} max={most} value={Number(amount)} />
          {mine === undefined ? null : (
            <span class="line">
              {say('book.ours', { amount: showNumber(mine.left) })} <NameLink view="order" name={mine.key} />
            </span>
          )}
        </td>
      </tr>
    );
  };
  const beyond = book.own.filter(({ place }) => place === null || place > LEVELS);
  return (
    <>
      <table class="book">
        <thead>
          <tr>
            <th scope="col" class="number">
              {capitalised(say('column.price'))} ({unitNow(quote)})
            </th>
            <th scope="col" class="number">
              {capitalised(say('column.amount'))} ({unitNow(base)})
            </th>
          </tr>
        </thead>
        <tbody>
          {asks.map((level) => row('sell', level))}
          <tr class="middle">
            <td colSpan={2}>{say('book.middle')}</td>
          </tr>
          {bids.map((level) => row('buy', level))}
        </tbody>
      </table>
      {beyond.length === 0 ? null : <p class="note">{say('book.beyond', { count: beyond.length })}</p>}
    </>
  );
}
