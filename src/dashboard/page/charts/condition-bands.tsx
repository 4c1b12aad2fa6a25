import { useEffect, useRef } from 'preact/hooks';
import type { IChartApiBase, ISeriesApi, UTCTimestamp } from 'lightweight-charts';
import { attach, mergedRanges, type BarMoment } from '../../../page/chart-bands.ts';
import { colour } from '../../../page/theme.ts';
import { WithReply } from '../parts/panel.tsx';
import { Badge, SentenceText } from '../parts/words.tsx';
import { showTime } from '../shown.ts';
import { t } from '../translate.ts';
import { useReply } from '../use-reply.ts';
import type { ConditionsReply } from '../../schema/market.ts';
import { shownCandles } from './chart-room.tsx';

/** Interval at which conditions are read, in ms: they change with a candle. */
const CONDITIONS_EVERY_MS = 30_000;

/** Legend of the bands of conditions, which it draws into the chart. `path`: their address. */
export function ConditionBands({ path }: { readonly path: string }) {
  const reply = useReply<ConditionsReply>(path, CONDITIONS_EVERY_MS).value;
  const chart = shownCandles.value;
  const bands = useRef<ReturnType<typeof attachBands> | null>(null);
  const strategies = reply.data?.strategies;
  useEffect(() => {
    bands.current = chart === null ? null : attachBands(chart);
  }, [chart]);
  useEffect(() => bands.current?.(strategies ?? []), [chart, strategies]);
  return (
    <WithReply reply={reply}>
      {({ strategies: all }) =>
        all.length === 0 ? (
          <p class="note">{t('conditions.none')}</p>
        ) : (
          <ul class="note" data-conditions>
            {all.map((one) => (
              <li key={one.strategy}>
                <StrategyLegend {...one} />
              </li>
            ))}
          </ul>
        )
      }
    </WithReply>
  );
}

type StrategyConditions = ConditionsReply['strategies'][number];

function StrategyLegend({ strategy, problem, knownSinceMs }: StrategyConditions) {
  const name = <bdi>{strategy}</bdi>;
  if (problem !== null)
    return (
      <>
        {name}: <SentenceText text={problem.reason} facts={problem.reasonFacts} />
      </>
    );
  return (
    <>
      {name}: <Badge tone="good">{t('conditions.enter')}</Badge>{' '}
      <Badge tone="bad">{t('conditions.exit')}</Badge>{' '}
      {knownSinceMs === null
        ? t('conditions.unknown')
        : t('conditions.since', { time: showTime(knownSinceMs) })}
    </>
  );
}

/** Height of the strip on top of a band, in pixels; that of an exit is lower, so that both are seen. */
const STRIP_HEIGHT = 3;

/** Attaches bands to a chart of candles; returns a function that shows the periods of strategies. */
function attachBands({ chart, candles }: { chart: IChartApiBase; candles: ISeriesApi<'Candlestick'> }) {
  let shown: ConditionsReply['strategies'] = [];
  const redraw = attach(candles, 'bottom', ({ context, across, down, height }) => {
    const strip = STRIP_HEIGHT * down;
    const times = candles.data().map(({ time }) => Number(time));
    for (const [kind, tone, row] of [
      ['enter', 'good', 0],
      ['exit', 'bad', 1],
    ] as const) {
      const periods = shown.flatMap((one) => one[kind]).toSorted(([one], [other]) => one - other);
      const bands = periods.flatMap(([fromMs, untilMs]) => {
        const [from, until] = [momentIn(times, fromMs / 1_000), momentIn(times, untilMs / 1_000)];
        const isInside = until.time > from.time || until.part > from.part;
        return isInside ? [{ from, until }] : [];
      });
      for (const [left, width] of mergedRanges(chart, bands, across)) {
        context.fillStyle = colour(`${tone}-ground`);
        context.fillRect(left, 0, width, height);
        context.fillStyle = colour(tone);
        context.fillRect(left, row * 2 * strip, width, strip);
      }
    }
  });
  return (strategies: ConditionsReply['strategies']): void => {
    shown = strategies;
    redraw();
  };
}

/** Returns a time in seconds by the candle that it lies in: the first or the last one for those beyond. */
function momentIn(times: readonly number[], time: number): BarMoment {
  let [index, end] = [0, times.length];
  while (end - index > 1) {
    const middle = (index + end) >> 1;
    if ((times[middle] ?? 0) <= time) index = middle;
    else end = middle;
  }
  const begin = times[index] ?? time;
  // The last candle is as long as the one before it.
  const length = (times[index + 1] ?? begin) - begin || begin - (times[index - 1] ?? begin) || 1;
  const part = Math.min(1, Math.max(0, (time - begin) / length));
  return { time: begin as UTCTimestamp, part, isAfterAll: false };
}
