import { bookOf } from '../book.ts';
import { type Bar, tickerOfBar, tickerOfBook } from '../data/bar.ts';
import type { HandlerCall } from '../handlers/handler-call.ts';
import type { FieldReader } from '../handlers/read-only-fields.ts';
import type { OfMembers } from './member-data.ts';
import type { MemberFeed, MemberSet } from './member-set.ts';
import { universeOf } from '../shown-universe.ts';

const NO_BARS: readonly Bar[] = Object.freeze([]);

type FieldReaders = ReadonlyMap<string, FieldReader<unknown>>;

/** Returns the getters of universes and their members between two events, by the names of the data. */
export function memberReaders(
  universes: readonly MemberSet[],
  call: HandlerCall,
): { readonly data: FieldReaders; readonly history: FieldReaders } {
  const data = new Map<string, FieldReader<unknown>>();
  const history = new Map<string, FieldReader<unknown>>();
  for (const { name, feeds } of universes) {
    data.set(name, {
      get value() {
        return universeOf(call.view.universe(name));
      },
    });
    for (const feed of feeds) {
      data.set(feed.name, { value: ofMembers(call, (market) => lastOf(feed, market, call)) });
      if (feed.kind === 'candles')
        history.set(feed.name, {
          value: ofMembers(call, (market) => feed.candlesOf(market)?.history ?? NO_BARS),
        });
    }
  }
  return { data, history };
}

/** The values of the indicators of each member, by the names of the indicators. */
export function memberValues({ values }: MemberFeed, call: HandlerCall): FieldReaders {
  return new Map(values.map(([name, of]) => [name, { value: ofMembers(call, of) }] as const));
}

/** A value of each member, readable during the call only. */
function ofMembers<Value>(call: HandlerCall, of: (market: string) => Value): OfMembers<Value> {
  return Object.freeze({
    of: (market: string) => {
      void call.view;
      return of(market);
    },
  });
}

function lastOf(feed: MemberFeed, market: string, call: HandlerCall): unknown {
  if (!feed.set.isFollowed(market)) return null;
  const bar = feed.candlesOf(market)?.bar ?? null;
  if (feed.kind === 'candles') return bar;
  if (feed.data.from.kind === 'candles') return bar === null ? null : tickerOfBar(bar);
  const book = call.view.book(market);
  if (book === null) return null;
  return feed.kind === 'book' ? bookOf(market, book) : tickerOfBook(market, book);
}
