import { effect, useSignal, type ReadonlySignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { formatCompact } from '../../language/format-number.ts';
import {
  fixedText,
  foreignText,
  pageLanguage,
  moneyWithUnit,
  shownPercent,
  pageText,
  shownTime,
  unitAfter,
} from '../report-words.ts';
import { isDark } from '../theme.ts';
import type { NamedValue } from './chart-series.ts';
import { RunChart, type Pointed } from './run-chart.ts';
import type { RunPage, TradeRow } from './run-page.ts';

const VOLUME_DIGITS = 3;

interface RunChartsProps {
  readonly data: RunPage;
  /** The trade to be shown; a new object at each choice. */
  readonly chosen: ReadonlySignal<{ readonly trade: TradeRow } | null>;
}

export function RunCharts({ data, chosen }: RunChartsProps) {
  const place = useRef<HTMLDivElement>(null);
  const chart = useRef<RunChart>(null);
  const market = useSignal(0);
  const isHoldShown = useSignal(!isSquashedByHold(data));
  const isLog = useSignal(false);
  const pointed = useSignal<Pointed | null>(null);
  const plots = useSignal<readonly NamedValue[]>([]);
  const note = useSignal('');
  useLayoutEffect(() => {
    if (place.current === null) return;
    const drawn = new RunChart(data, place.current, {
      point: (at, names) => {
        pointed.value = at;
        plots.value = names;
      },
      note: (text) => (note.value = text),
    });
    chart.current = drawn;
    effect(() => drawn.showHold(isHoldShown.value));
    effect(() => drawn.showLog(isLog.value));
    effect(() => {
      if (isDark.value !== null) drawn.paint();
    });
    effect(() => {
      if (chosen.value === null) return;
      const { trade } = chosen.value;
      if (trade.market !== market.peek()) {
        market.value = trade.market;
        drawn.showMarket(trade.market);
      }
      drawn.goTo(trade);
    });
  }, []);
  const at = pointed.value;
  return (
    <>
      <div class="bar">
        <h2>{pageText('charts')}</h2>
        <span>
          <select
            id="market"
            aria-label={pageText('market')}
            hidden={data.markets.length < 2}
            value={market.value}
            onChange={({ currentTarget }) => {
              market.value = Number(currentTarget.value);
              chart.current?.showMarket(market.value);
            }}
          >
            {data.markets.map(({ name }, index) => (
              <option value={index}>{name}</option>
            ))}
          </select>
          <button
            type="button"
            id="hold"
            aria-pressed={isHoldShown.value}
            onClick={() => (isHoldShown.value = !isHoldShown.value)}
          >
            {pageText('hold')}
          </button>
          <button
            type="button"
            id="log"
            aria-pressed={isLog.value}
            onClick={() => (isLog.value = !isLog.value)}
          >
            {pageText('log')}
          </button>
          <button type="button" id="whole" onClick={() => chart.current?.showAll()}>
            {pageText('whole')}
          </button>
        </span>
      </div>
      <div id="legend">
        {at === null ? (
          <Usage data={data} plots={plots.value} />
        ) : (
          <Values at={at} market={data.markets[market.value]} quote={data.quote} />
        )}
      </div>
      <div class="drawn">
        <div id="chart" ref={place} />
        <div id="held" class={at?.isLeft === true ? 'is-right' : ''}>
          {at?.bands.join('\n')}
        </div>
      </div>
      <p class="muted" id="note">
        {note.value}
      </p>
    </>
  );
}

/** A name with its colour, and a value. */
function Key({
  name,
  text = '',
  kind,
}: {
  readonly name: string;
  readonly text?: string;
  readonly kind: string;
}) {
  return (
    <span>
      <b class={`key key-${kind}`}>{name}</b> {text}
    </span>
  );
}

function PlotKeys({ plots }: { readonly plots: readonly NamedValue[] }) {
  return (
    <>
      {plots.map(({ name, key, text }) => (
        <Key name={foreignText(name)} text={text} kind={key} />
      ))}
    </>
  );
}

/** Explains the charts while nothing is under the pointer. */
function Usage({ data, plots }: { readonly data: RunPage; readonly plots: readonly NamedValue[] }) {
  const { exits, locks, members } = data;
  return (
    <>
      <PlotKeys plots={plots} />
      <Key name={pageText('equity')} kind="equity" />
      <Key name={pageText('hold')} kind="hold" />
      <Key name={pageText('drawdown')} kind="down" />
      {exits.length > 0 && <Key name={pageText('target')} kind="target" />}
      {exits.length > 0 && <Key name={pageText('stop')} kind="stop" />}
      {locks.length > 0 && <Key name={pageText('lock')} kind="lock" />}
      {members.length > 0 && <Key name={pageText('member')} kind="member" />}
      <span>{pageText('usage')}</span>
    </>
  );
}

interface ValuesProps {
  readonly at: Pointed;
  readonly market: RunPage['markets'][number] | undefined;
  /** The currency of the account. */
  readonly quote: string;
}

/** Values under the pointer. */
function Values({ at, market, quote }: ValuesProps) {
  const { timeMs, bar, volume, plots, equity, hold, drawdown } = at;
  return (
    <>
      <span>{shownTime(timeMs)}</span>
      {bar !== null && market !== undefined && (
        <span>
          <b>{foreignText(market.name)}</b> {barText(bar, market)}
          {volume !== null &&
            ` ${pageText('volume', { volume: `${formatCompact(pageLanguage, volume, VOLUME_DIGITS)}${unitAfter(market.base)}` })}`}
        </span>
      )}
      <PlotKeys plots={plots} />
      {equity !== null && <Key name={pageText('equity')} text={moneyWithUnit(equity, quote)} kind="equity" />}
      {hold !== null && <Key name={pageText('hold')} text={moneyWithUnit(hold, quote)} kind="hold" />}
      {drawdown !== null && <Key name={pageText('drawdown')} text={shownPercent(drawdown, 2)} kind="down" />}
    </>
  );
}

function barText(
  { open, high, low, close }: Readonly<Record<'open' | 'high' | 'low' | 'close', number>>,
  { decimals, quote }: NonNullable<ValuesProps['market']>,
): string {
  const price = (value: number): string => `${fixedText(value, decimals)}${unitAfter(quote)}`;
  return pageText('bar', { open: price(open), high: price(high), low: price(low), close: price(close) });
}

/**
 * True if the curve of buying and holding would leave the equity a line at the edge: at first it is not
 * shown.
 */
function isSquashedByHold({ equity, hold }: RunPage): boolean {
  return spanOf(hold) > 5 * spanOf(equity);
}

function spanOf(points: RunPage['equity']): number {
  let [low, high] = [Infinity, -Infinity];
  for (const { value } of points) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  return high - low;
}
