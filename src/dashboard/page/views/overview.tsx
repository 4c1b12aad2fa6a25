import { NamedFigure } from '../parts/data-table.tsx';
import type { EquityItem, OverviewReply } from '../../schema/overview.ts';
import type { EquityReply } from '../../schema/market.ts';
import { Lines } from '../charts/chart-room.tsx';
import { overview } from '../overview.ts';
import { EquityFigures } from '../parts/bot-state.tsx';
import { Panel, WithReply } from '../parts/panel.tsx';
import { t, feedInWords, inWords } from '../translate.ts';
import { showAge, showShare, showTime, showLeft, showName, unitNow } from '../shown.ts';
import { useReply } from '../use-reply.ts';
import { ApprovalsTable, ExposureTable, PositionsTable, StrategiesTable } from './overview-tables.tsx';
import { askFor } from '../actions/action.ts';
import { Button, NameLink, SentenceText } from '../parts/words.tsx';
import { hrefOf } from '../route.ts';
import { language } from '../preferences.ts';
import { mayOperate } from '../session.ts';
import type { ComponentChildren } from 'preact';

const CHART_PAUSE_MS = 10_000;

export function OverviewView() {
  return (
    <>
      <h1>{t('view.overview')}</h1>
      <WithReply reply={overview.value}>
        {(data) => (
          <>
            <Notices data={data} />
            {data.approvals.length === 0 ? null : (
              <Panel title={t('overview.approvals')}>
                <ApprovalsTable approvals={data.approvals} />
              </Panel>
            )}
            <EquityPanel data={data} />
            <Panel title={t('overview.strategies')}>
              <StrategiesTable strategies={data.strategies} />
            </Panel>
            <Panel title={t('overview.positions')}>
              <PositionsTable positions={data.positions} />
            </Panel>
            <div class="columns">
              <Panel title={t('overview.exposure')}>
                <ExposureTable exposure={data.exposure} />
              </Panel>
              <Panel title={t('overview.data')} note={t('overview.dataNote')}>
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
    <Panel title={t('overview.equity')} note={t('overview.dayNote')}>
      {data.equity.length === 0 ? <p class="empty">{t('overview.noEquity')}</p> : null}
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
                  names={[`${t('overview.equity')} (${unitNow(currency)})`]}
                  currency={currency}
                  label={t('column.time')}
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
    <dl class="figures" title={t('overview.asOf', { time: showTime(asOfMs, 'second') })}>
      <EquityFigures equity={equity} />
      <NamedFigure text="overview.drawdown">{showShare(drawdown)}</NamedFigure>
    </dl>
  );
}

/** Maximum number of shown feeds, the oldest first, since these matter. */
const MOST_FEEDS = 12;

function DataAges({ ages }: { readonly ages: OverviewReply['dataAges'] }) {
  const oldest = ages.toSorted((left, right) => left.readAtMs - right.readAtMs).slice(0, MOST_FEEDS);
  if (oldest.length === 0) return <p class="empty">{t('overview.noData')}</p>;
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

/** Shows notices about everything that is not normal, the most urgent information. */
function Notices({ data }: { readonly data: OverviewReply }) {
  const { credential, waits, haltWait, lockouts, unresolved, books, lossLimits, locks, alerts, bot } = data;
  const isDead = bot.state === 'silent' || bot.state === 'ended';
  return (
    <ul class="notices" aria-label={t('notices.label')}>
      {isDead ? (
        <Notice tone="bad">
          {t('notices.dead', { time: showTime(bot.silentSinceMs) })} {t('notices.readOn')}
        </Notice>
      ) : null}
      {credential === null ? null : (
        <Notice tone="bad">
          {t('notices.credential', {
            name: inWords(credential.nameFacts) ?? showName(credential.name),
            age: showAge(credential.sinceMs),
          })}
        </Notice>
      )}
      {books === 'broken' || books === 'suspected' || books === 'blocked' ? (
        <Notice tone={books === 'suspected' ? 'warn' : 'bad'}>
          <a href={hrefOf('books')}>{t(`books.${books}`)}</a>
        </Notice>
      ) : null}
      {waits === null ? null : (
        <Notice tone="warn">
          {t('notices.waits')} <SentenceText text={waits.reason} facts={waits.reasonFacts} />
        </Notice>
      )}
      {haltWait === null ? null : (
        <Notice tone="warn">
          {t('notices.haltWait')} <SentenceText text={haltWait.reason} facts={haltWait.reasonFacts} />
        </Notice>
      )}
      {lossLimits.map(({ strategy, reason, reasonFacts, sinceMs }) => (
        <Notice tone="warn" key={`limit ${strategy}`}>
          {t('notices.lossLimit', { strategy: showName(strategy), time: showTime(sinceMs) })}{' '}
          <SentenceText text={reason} facts={reasonFacts} />
        </Notice>
      ))}
      {lockouts.map(({ budget, endsAtMs }) => (
        <Notice tone="bad" key={budget}>
          {endsAtMs === null
            ? t('notices.lockoutOpen', { budget: showName(budget) })
            : t('notices.lockout', { budget: showName(budget), left: showLeft(endsAtMs) })}
        </Notice>
      ))}
      {unresolved.map(({ key, market, sentAtMs }) => (
        <Notice tone="warn" key={key}>
          {t('notices.unresolved', { market: showName(market), age: showAge(sentAtMs) })}{' '}
          <NameLink view="order" name={key} />
        </Notice>
      ))}
      {alerts.map(({ id, texts, severity, acknowledgedAtMs }) => (
        <Notice tone={severity === 'critical' ? 'bad' : 'warn'} key={id}>
          <span>{texts[language.value]}</span>
          {acknowledgedAtMs === null && mayOperate() ? (
            <Button
              text="action.acknowledge.do"
              class="quiet"
              onClick={() => askFor({ kind: 'acknowledge', body: { alert: id } }, texts[language.value])}
            />
          ) : null}
        </Notice>
      ))}
      {locks.length === 0 ? null : (
        <Notice tone="warn">
          <a href={hrefOf('locks')}>{t('notices.locks', { count: locks.length })}</a>
        </Notice>
      )}
    </ul>
  );
}
