import { Figure } from '../parts/data-table.tsx';
import type { EquityItem, OverviewReply } from '../../schema/overview.ts';
import type { EquityReply } from '../../schema/series.ts';
import { Lines } from '../charts/lines.tsx';
import { overview } from '../overview.ts';
import { EquityFigures } from '../parts/equity-figures.tsx';
import { Panel, WithReply } from '../parts/panel.tsx';
import { say } from '../say.ts';
import { feedInWords } from '../sentences.ts';
import { showAge, showShare, showTime } from '../shown.ts';
import { useReply } from '../use-reply.ts';
import { unitNow } from '../unit-now.ts';
import { Notices } from './overview-notices.tsx';
import { ExposureTable, PositionsTable, StrategiesTable } from './overview-tables.tsx';

const CHART_PAUSE_MS = 10_000;

export function OverviewView() {
  return (
    <>
      <h1>{say('view.overview')}</h1>
      <WithReply reply={overview.value}>
        {(data) => (
          <>
            <Notices data={data} />
            <EquityPanel data={data} />
            <Panel title={say('overview.strategies')}>
              <StrategiesTable strategies={data.strategies} />
            </Panel>
            <Panel title={say('overview.positions')}>
              <PositionsTable positions={data.positions} />
            </Panel>
            <div class="columns">
              <Panel title={say('overview.exposure')}>
                <ExposureTable exposure={data.exposure} />
              </Panel>
              <Panel title={say('overview.data')} note={say('overview.dataNote')}>
                <DataAges ages={data.dataAges} />
              </Panel>
            </div>
          </>
        )}
      </WithReply>
    </>
  );
}

function EquityPanel({ data }: { readonly data: OverviewReply }) {
  const history = useReply<EquityReply>('/equity', CHART_PAUSE_MS);
  const series = (history.value.data?.series ?? []).filter(({ points }) => points.length > 1);
  return (
    <Panel title={say('overview.equity')} note={say('overview.dayNote')}>
      {data.equity.length === 0 ? <p class="empty">{say('overview.noEquity')}</p> : null}
      <div class="columns equity">
        {data.equity.map((equity) => {
          const { currency } = equity;
          const found = series.filter(({ name }) => name === `equity/${currency}`);
          return (
            <div key={currency}>
              <FiguresOfEquity equity={equity} />
              {found.length === 0 ? null : (
                <Lines
                  series={found}
                  names={[`${say('overview.equity')} (${unitNow(currency)})`]}
                  currency={currency}
                  label={say('chart.time')}
                />
              )}
            </div>
          );
        })}
      </div>
    </Panel>
  );
}

function FiguresOfEquity({ equity }: { readonly equity: EquityItem }) {
  const { drawdown, asOfMs } = equity;
  return (
    <dl class="figures" title={say('overview.asOf', { time: showTime(asOfMs, 'second') })}>
      <EquityFigures equity={equity} />
      <Figure says="overview.drawdown">{showShare(drawdown)}</Figure>
    </dl>
  );
}

/** Feeds that are shown; the oldest come first, as they are what matters. */
const MOST_FEEDS = 12;

function DataAges({ ages }: { readonly ages: OverviewReply['dataAges'] }) {
  const oldest = ages.toSorted((left, right) => left.readAtMs - right.readAtMs).slice(0, MOST_FEEDS);
  if (oldest.length === 0) return <p class="empty">{say('overview.noData')}</p>;
  return (
    <dl class="pairs">
      {oldest.map(({ feed, readAtMs }) => (
        <div key={feed}>
          <dt>{feedInWords(feed) ?? <bdi dir="ltr">{feed}</bdi>}</dt>
          <dd>{showAge(readAtMs)}</dd>
        </div>
      ))}
    </dl>
  );
}
