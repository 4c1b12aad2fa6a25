import { NamedFigure } from '../parts/data-table.tsx';
import { useSignal, type Signal } from '@preact/signals';
import { openDialog } from '../actions/action.ts';
import { withQuery } from '../api.ts';
import { CandleView } from '../charts/chart-room.tsx';
import { markets } from '../overview.ts';
import { SelectField } from '../actions/field.tsx';
import { Choices, Age, Button, NameLink } from '../parts/words.tsx';
import { Panel, WithReply } from '../parts/panel.tsx';
import { goTo } from '../route.ts';
import { t } from '../translate.ts';
import { mayOperate } from '../session.ts';
import { showExact, showShare, showTime, capitalised, showNumber, NONE, unitNow } from '../shown.ts';
import { useReply } from '../use-reply.ts';
import type {
  BookReply,
  MarketItem,
  MarketsReply,
  MarksReply,
  ChartCandlesReply,
  PlotsReply,
} from '../../schema/market.ts';
import { OrdersTable } from './orders.tsx';
import { formatUnit } from '../../../language/format-money.ts';
import { indicators, locale, showsConditions } from '../preferences.ts';
import { loadedLater } from '../loaded-later.tsx';

/** Shortest times between two reads, in ms. */
const BOOK_PAUSE_MS = 2_000;
const CANDLES_PAUSE_MS = 5_000;
const PLOTS_PAUSE_MS = 10_000;

/** Beginning of the subject for recorded data: `recorded/BTCIRT`. */
export const RECORDED = 'recorded';

export function MarketView({ symbol }: { readonly symbol: string | null }) {
  return symbol?.startsWith(RECORDED) === true ? (
    <RecordedMarket subject={symbol} />
  ) : (
    <MarketOfBot symbol={symbol} />
  );
}

function MarketOfBot({ symbol }: { readonly symbol: string | null }) {
  const reply = useReply<MarketsReply>('/markets', CANDLES_PAUSE_MS);
  return (
    <WithReply reply={reply.value}>
      {({ markets: all }) => {
        // A trade is shown at its time: `BTCIRT@1790000000000`.
        const [name, atMs] = (symbol ?? '').split('@');
        const market = all.find((each) => each.symbol === name) ?? all[0];
        if (markets.value.length !== all.length) markets.value = all;
        return market === undefined ? (
          <p class="empty">{t('market.none')}</p>
        ) : (
          <OneMarket key={`${market.symbol} ${atMs}`} market={market} all={all} around={atMs} />
        );
      }}
    </WithReply>
  );
}

interface OneMarketProps {
  readonly market: MarketItem;
  readonly all: readonly MarketItem[];
  /** Time in the middle of the chart, in ms; without one it ends now. */
  readonly around: string | undefined;
}

function OneMarket({ market, all, around }: OneMarketProps) {
  const { symbol, quote, timeframes } = market;
  const timeframe = useSignal(timeframes.includes('1h') ? '1h' : (timeframes[0] ?? '1h'));
  const range = { timeframe: timeframe.value, around };
  const marks = useReply<MarksReply>(
    withQuery(`/markets/${encodeURIComponent(symbol)}/marks`, range),
    BOOK_PAUSE_MS,
  ).value;
  const own = all.map((each) => [each.symbol, each.symbol] as const);
  return (
    <>
      <header class="view-head">
        <h1>
          <bdi dir="ltr">{symbol}</bdi>
        </h1>
        <MarketChoice subject={symbol} options={[...own, [RECORDED, t('market.recorded')]]} />
        {mayOperate() ? (
          <span class="head-actions">
            <Button
              text="action.order.do"
              onClick={() => (openDialog.value = { asks: 'order', market: symbol })}
            />
            <Button
              text="action.lock.do"
              onClick={() => (openDialog.value = { asks: 'lock', market: symbol, strategy: null })}
            />
          </span>
        ) : null}
      </header>
      <MarketFigures market={market} />
      <MarketChart market={market} timeframe={timeframe} around={around} marks={marks.data} />
      <div class="columns market-columns">
        <OrderBookPanel market={symbol} base={market.base} quote={quote} />
        <Panel title={t('market.ownOrders')}>
          <WithReply reply={marks}>
            {({ orders }) => <OrdersTable orders={orders} label="market.ownOrders" isShort />}
          </WithReply>
        </Panel>
      </div>
    </>
  );
}

interface MarketChoiceProps {
  readonly subject: string;
  readonly options: readonly (readonly [string, string])[];
}

/** Field to go to the chart of another market. */
export function MarketChoice({ subject, options }: MarketChoiceProps) {
  const chosen = {
    get value() {
      return subject;
    },
    set value(wanted) {
      goTo('market', wanted);
    },
  };
  return <SelectField text="column.market" name="market-choice" chosen={chosen} options={options} />;
}

interface TimeframeChoiceProps {
  readonly timeframes: readonly string[];
  readonly chosen: Signal<string>;
}

export function TimeframeChoice({ timeframes, chosen }: TimeframeChoiceProps) {
  return (
    <Choices
      label="market.timeframe"
      choices={timeframes}
      chosen={chosen}
      shown={(each) => <bdi dir="ltr">{each}</bdi>}
    />
  );
}

function MarketFigures({ market }: { readonly market: MarketItem }) {
  const { symbol, quote, last, dayChange, bookSeenAtMs, isClosed, strategies } = market;
  const book = useBook(symbol).value.data;
  const figures: readonly (readonly ['market.last' | 'market.bestBuy' | 'market.bestSell', string | null])[] =
    [
      ['market.last', last],
      ['market.bestBuy', market.bestBuy ?? book?.bids[0]?.[0] ?? null],
      ['market.bestSell', market.bestSell ?? book?.asks[0]?.[0] ?? null],
    ];
  return (
    <dl class="figures">
      {figures.map(([key, price]) =>
        price === null ? null : (
          <div key={key}>
            <dt>{t(key)}</dt>
            <dd class={key === 'market.last' ? 'main-figure' : ''}>{showExact(price, quote)}</dd>
          </div>
        ),
      )}
      {dayChange === null ? null : (
        <NamedFigure text="market.dayChange">
          {showShare(Number(dayChange) / 100, { isSigned: true })}
        </NamedFigure>
      )}
      <NamedFigure text="market.age">
        <Age atMs={bookSeenAtMs} />
      </NamedFigure>
      <NamedFigure text="overview.strategies" class="links">
        {strategies.map((name) => (
          <NameLink key={name} view="strategy" name={name} />
        ))}
      </NamedFigure>
      {isClosed ? <NamedFigure text="column.state">{t('market.closed')}</NamedFigure> : null}
    </dl>
  );
}

interface MarketChartProps extends Pick<OneMarketProps, 'market' | 'around'> {
  readonly timeframe: Signal<string>;
  readonly marks: MarksReply | null;
}

const fromFurther = loadedLater(async () => import('./further-view.tsx'));
const ConditionBands = fromFurther((further) => further.ConditionBands);
const QuoteLines = fromFurther((further) => further.QuoteLines);
const RecordedMarket = fromFurther((further) => further.RecordedMarket);

function MarketChart({ market, around, timeframe, marks }: MarketChartProps) {
  const { symbol, quote, timeframes } = market;
  const base = `/markets/${encodeURIComponent(symbol)}`;
  const range = { timeframe: timeframe.value, around };
  const candles = useReply<ChartCandlesReply>(withQuery(`${base}/candles`, range), CANDLES_PAUSE_MS);
  const added = indicators.value === '' ? {} : { indicators: indicators.value, ...range };
  const plots = useReply<PlotsReply>(withQuery(`${base}/plots`, added), PLOTS_PAUSE_MS);
  // Without candles there is nothing to draw indicators, bands and arrows on.
  const hasCandles = candles.value.data?.candles.length !== 0;
  return (
    <Panel
      title={t('market.chart')}
      note={[
        t('market.chartNote', { unit: unitNow(quote) }),
        ...(around === undefined ? [] : [t('market.around', { time: showTime(Number(around)) })]),
        ...(marks?.olderFills === true && hasCandles ? [t('market.olderFills')] : []),
      ].join(' · ')}
      actions={
        <>
          {hasCandles ? (
            <Button
              text="action.indicators.open"
              onClick={() =>
                (openDialog.value = { asks: 'indicators', known: plots.value.data?.indicators ?? {} })
              }
            />
          ) : null}
          <TimeframeChoice timeframes={timeframes} chosen={timeframe} />
        </>
      }
    >
      <WithReply reply={candles.value}>
        {(data) =>
          data.candles.length === 0 ? (
            <QuoteLines market={symbol} quote={quote} />
          ) : (
            <CandleView
              label={t('market.chartOf', { market: symbol })}
              candles={data}
              marks={marks}
              plots={plots.value.data}
              quote={quote}
            />
          )
        }
      </WithReply>
      {showsConditions.value && hasCandles ? (
        <ConditionBands path={withQuery(`${base}/conditions`, range)} />
      ) : null}
    </Panel>
  );
}

/** Formats a price or an amount in full without its unit, which a heading names. */
const showPrice = (price: string | null, currency: string): string =>
  price === null ? NONE : formatUnit(price, currency, locale.value);

interface OrderBookProps {
  readonly market: string;
  readonly base: string;
  readonly quote: string;
}

/** Number of shown levels on each side. */
const LEVELS = 10;

const useBook = (market: string) =>
  useReply<BookReply>(`/markets/${encodeURIComponent(market)}/book?levels=${LEVELS}`, BOOK_PAUSE_MS);

/** Shows the order book as the bot last read it, with our orders in it. */
function OrderBookPanel({ market, base, quote }: OrderBookProps) {
  const reply = useBook(market);
  const seenAtMs = reply.value.data?.seenAtMs ?? null;
  return (
    <Panel title={t('book.title')} note={<Age atMs={seenAtMs} />}>
      <WithReply reply={reply.value}>
        {(book) =>
          book.bids.length + book.asks.length === 0 ? (
            <p class="empty">{t('book.none')}</p>
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
  const [asks, bids] = [book.asks.toReversed(), book.bids];
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
              {t('book.ours', { amount: showNumber(mine.left) })} <NameLink view="order" name={mine.key} />
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
              {capitalised(t('column.price'))} ({unitNow(quote)})
            </th>
            <th scope="col" class="number">
              {capitalised(t('column.amount'))} ({unitNow(base)})
            </th>
          </tr>
        </thead>
        <tbody>
          {asks.map((level) => row('sell', level))}
          <tr class="middle">
            <td colSpan={2}>{t('book.middle')}</td>
          </tr>
          {bids.map((level) => row('buy', level))}
        </tbody>
      </table>
      {beyond.length === 0 ? null : <p class="note">{t('book.beyond', { count: beyond.length })}</p>}
    </>
  );
}
