import { NamedFigure } from '../parts/data-table.tsx';
import type { EquityItem, OverviewReply } from '../../schema/overview.ts';
import type { EquityReply } from '../../schema/series.ts';
import { Lines } from '../charts/chart-room.tsx';
import { overview } from '../overview.ts';
import { EquityFigures } from '../parts/bot-state.tsx';
import { Panel, WithReply } from '../parts/panel.tsx';
import { say } from '../say.ts';
import { feedInWords, inWords } from '../sentences.ts';
import { showAge, showShare, showTime, showLeft, showName, unitNow } from '../shown.ts';
import { useReply } from '../use-reply.ts';
import { ExposureTable, PositionsTable, StrategiesTable } from './overview-tables.tsx';
import { askFor } from '../actions/action.ts';
import { Button, NameLink, Said } from '../parts/words.tsx';
import { hrefOf } from '../route.ts';
import { language } from '../preferences.ts';
import { mayOperate } from '../session.ts';
import type { ComponentChildren } from 'preact';

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
      <NamedFigure says="overview.drawdown">{showShare(drawdown)}</NamedFigure>
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

function Notice({ tone, children }: { readonly tone: 'bad' | 'warn'; readonly children: ComponentChildren }) {
  return <li class={`notice ${tone}`}>{children}</li>;
}

/** Shows the most urgent information: everything that is not as it should be. */
function Notices({ data }: { readonly data: OverviewReply }) {
  const { credential, waits, haltWait, lockouts, unresolved, books, lossLimits, locks, alerts, bot } = data;
  const isDead = bot.state === 'silent' || bot.state === 'ended';
  return (
    <ul class="notices" aria-label={say('notices.label')}>
      {isDead ? (
        <Notice tone="bad">
          {say('notices.dead', { time: showTime(bot.silentSinceMs) })} {say('notices.readOn')}
        </Notice>
      ) : null}
      {credential === null ? null : (
        <Notice tone="bad">
          {say('notices.credential', {
            name: inWords(credential.nameFacts) ?? showName(credential.name),
            age: showAge(credential.sinceMs),
          })}
        </Notice>
      )}
      {books === 'broken' || books === 'suspected' || books === 'blocked' ? (
        <Notice tone={books === 'suspected' ? 'warn' : 'bad'}>
          <a href={hrefOf('books')}>{say(`books.${books}`)}</a>
        </Notice>
      ) : null}
      {waits === null ? null : (
        <Notice tone="warn">
          {say('notices.waits')} <Said text={waits.reason} facts={waits.reasonFacts} />
        </Notice>
      )}
      {haltWait === null ? null : (
        <Notice tone="warn">
          {say('notices.haltWait')} <Said text={haltWait.reason} facts={haltWait.reasonFacts} />
        </Notice>
      )}
      {lossLimits.map(({ strategy, reason, reasonFacts, sinceMs }) => (
        <Notice tone="warn" key={`limit ${strategy}`}>
          {say('notices.lossLimit', { strategy: showName(strategy), time: showTime(sinceMs) })}{' '}
          <Said text={reason} facts={reasonFacts} />
        </Notice>
      ))}
      {lockouts.map(({ budget, endsAtMs }) => (
        <Notice tone="bad" key={budget}>
          {endsAtMs === null
            ? say('notices.lockoutOpen', { budget: showName(budget) })
            : say('notices.lockout', { budget: showName(budget), left: showLeft(endsAtMs) })}
        </Notice>
      ))}
      {unresolved.map(({ key, market, sentAtMs }) => (
        <Notice tone="warn" key={key}>
          {say('notices.unresolved', { market: showName(market), age: showAge(sentAtMs) })}{' '}
          <NameLink view="order" name={key} />
        </Notice>
      ))}
      {alerts.map(({ id, texts, severity, acknowledgedAtMs }) => (
        <Notice tone={severity === 'critical' ? 'bad' : 'warn'} key={id}>
          <span dir="auto">{texts[language.value]}</span>
          {acknowledgedAtMs === null && mayOperate() ? (
            <Button
              says="action.acknowledge.do"
              class="quiet"
              onClick={() => askFor({ kind: 'acknowledge', body: { alert: id } }, texts[language.value])}
            />
          ) : null}
        </Notice>
      ))}
      {locks.length === 0 ? null : (
        <Notice tone="warn">
          <a href={hrefOf('locks')}>{say('notices.locks', { count: locks.length })}</a>
        </Notice>
      )}
    </ul>
  );
}
