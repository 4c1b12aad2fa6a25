import { useSignal } from '@preact/signals';
import type { ChartCandlesReply, QuotesReply, RecordingsReply } from '../../schema/market.ts';
import { withQuery } from '../api.ts';
import { CandleView, Lines } from '../charts/chart-room.tsx';
import { markets } from '../overview.ts';
import { Panel, WithReply } from '../parts/panel.tsx';
import { Button, WithCode } from '../parts/words.tsx';
import { showTime, unitNow } from '../shown.ts';
import { t } from '../translate.ts';
import { useReply } from '../use-reply.ts';
import { MarketChoice, RECORDED, TimeframeChoice } from './market.tsx';

/** Shortest times between two reads, in ms: recordings grow by downloads, and quotes with our orders. */
const RECORDED_PAUSE_MS = 60_000;
const QUOTES_PAUSE_MS = 5_000;

type Recording = RecordingsReply['recordings'][number];

/** Shows the chart of a market whose candles are on the disk: `recorded/BTCIRT`, or the first of all. */
export function RecordedMarket({ subject }: { readonly subject: string }) {
  const reply = useReply<RecordingsReply>('/recordings', RECORDED_PAUSE_MS);
  return (
    <WithReply reply={reply.value}>
      {({ recordings }) => {
        const newest = Object.groupBy(recordings, ({ market }) => market);
        const [, named = ''] = subject.split('/');
        const own = newest[named] ?? Object.values(newest)[0] ?? [];
        const market = own[0]?.market ?? '';
        const options = Object.entries(newest).map(([name, all = []]) => {
          const time = showTime(Math.max(...all.map(({ toMs }) => toMs)), 'day');
          return [`${RECORDED}/${name}`, t('recorded.option', { market: name, time })] as const;
        });
        return (
          <>
            <header class="view-head">
              <h1>
                <bdi dir="ltr">{market}</bdi>
              </h1>
              <MarketChoice
                subject={`${RECORDED}/${market}`}
                options={[...markets.value.map(({ symbol }) => [symbol, symbol] as const), ...options]}
              />
            </header>
            {own.length === 0 ? (
              <p class="empty">
                <WithCode text={t('recorded.none')} />
              </p>
            ) : (
              <RecordedCandles key={market} recordings={own} />
            )}
          </>
        );
      }}
    </WithReply>
  );
}

/** Shows the candles of one market. */
function RecordedCandles({ recordings }: { readonly recordings: readonly Recording[] }) {
  const timeframes = recordings.map(({ timeframe }) => timeframe);
  const timeframe = useSignal(timeframes.includes('1h') ? '1h' : (timeframes[0] ?? ''));
  const around = useSignal<number | undefined>(undefined);
  const { market, quote, fromMs, toMs } = recordings.find((each) => each.timeframe === timeframe.value) ?? {
    market: '',
    quote: '',
    fromMs: 0,
    toMs: 0,
  };
  const query = { timeframe: timeframe.value, around: around.value };
  const path = withQuery(`/recordings/${encodeURIComponent(market)}/candles`, query);
  const reply = useReply<ChartCandlesReply>(path, RECORDED_PAUSE_MS).value;
  const firstMs = reply.data?.candles[0]?.openTimeMs ?? fromMs;
  return (
    <Panel
      title={t('recorded.title')}
      note={`${t('recorded.note', { time: showTime(toMs) })} · ${t('market.chartNote', { unit: unitNow(quote) })}`}
      actions={
        <>
          {firstMs > fromMs ? <Button text="list.older" onClick={() => (around.value = firstMs)} /> : null}
          {around.value === undefined ? null : (
            <Button text="list.newest" onClick={() => (around.value = undefined)} />
          )}
          <TimeframeChoice timeframes={timeframes} chosen={timeframe} />
        </>
      }
    >
      <WithReply reply={reply}>
        {(candles) => (
          <CandleView
            label={t('market.chartOf', { market })}
            candles={candles}
            marks={null}
            plots={null}
            quote={quote}
          />
        )}
      </WithReply>
    </Panel>
  );
}

const QUOTES = ['bid', 'ask', 'buy', 'sell'] as const;

/** Shows the best prices of a market and our best orders over time: where there are no candles. */
export function QuoteLines({ market, quote }: { readonly market: string; readonly quote: string }) {
  const path = `/markets/${encodeURIComponent(market)}/quotes`;
  const reply = useReply<QuotesReply>(path, QUOTES_PAUSE_MS);
  const names = [t('market.bestBuy'), t('market.bestSell'), t('quotes.buy'), t('quotes.sell')];
  return (
    <WithReply reply={reply.value}>
      {({ quotes }) =>
        quotes.length < 2 ? (
          <p class="empty">{t('quotes.none')}</p>
        ) : (
          <>
            <p class="note">{t('quotes.note')}</p>
            <Lines
              series={QUOTES.map((name) => ({
                points: quotes.map(
                  (each) => [each.atMs, each[name] === null ? null : Number(each[name])] as const,
                ),
              }))}
              names={names}
              currency={quote}
              label={t('column.time')}
              isStepped
            />
          </>
        )
      }
    </WithReply>
  );
}
