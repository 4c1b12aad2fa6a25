import type { BotsReply, KnownBotItem } from '../../schema/overview.ts';
import { BotState, StateDetail, EquityFigures } from '../parts/bot-state.tsx';
import { column, type DataColumn, DataTable } from '../parts/data-table.tsx';
import { Panel, WithReply } from '../parts/panel.tsx';
import { Badge, Gain, Money, SentenceText } from '../parts/words.tsx';
import { t } from '../translate.ts';
import { showCount } from '../shown.ts';
import { useReply } from '../use-reply.ts';

/** Shows all bots of this machine, and their totals. */
export function BotsView() {
  const reply = useReply<BotsReply>('/bots');
  return (
    <>
      <h1>{t('view.bots')}</h1>
      <WithReply reply={reply.value}>
        {({ bots, totals }) => (
          <>
            {totals.length === 0 ? null : (
              <Panel title={t('bots.totals')} note={t('bots.totalsNote')}>
                {totals.map((equity) => (
                  <dl class="figures" key={equity.currency}>
                    <EquityFigures equity={equity} />
                  </dl>
                ))}
              </Panel>
            )}
            <Panel title={t('bots.title')} note={t('bots.note')}>
              <BotsTable bots={bots} />
            </Panel>
          </>
        )}
      </WithReply>
    </>
  );
}

function BotsTable({ bots }: { readonly bots: readonly KnownBotItem[] }) {
  const columns: readonly DataColumn<KnownBotItem>[] = [
    column(
      'bots.name',
      ({ name, dashboard, isThis }) => (
        <>
          {dashboard === null || isThis ? (
            <bdi dir="ltr">{name}</bdi>
          ) : (
            <a href={dashboard} dir="ltr" rel="noreferrer">
              {name}
            </a>
          )}{' '}
          {isThis ? <Badge tone="calm">{t('bots.this')}</Badge> : null}
        </>
      ),
      'title',
    ),
    column('column.state', ({ bot, problem, problemFacts }) =>
      bot === null ? (
        <SentenceText text={problem} facts={problemFacts} />
      ) : (
        <>
          <BotState bot={bot} />{' '}
          {bot.isEmbedded || bot.venue === 'paper' ? (
            <Badge tone="calm">{t(bot.isEmbedded ? 'state.embedded' : 'state.paper')}</Badge>
          ) : null}{' '}
          <span class="note">
            <StateDetail bot={bot} />
          </span>
        </>
      ),
    ),
    column(
      'overview.equity',
      ({ equity }) =>
        equity.map(({ currency, now }) => (
          <span class="line" key={currency}>
            <Money amount={now} currency={currency} />
          </span>
        )),
      'number',
    ),
    column(
      'overview.today',
      ({ equity }) =>
        equity.map(({ currency, day }) => (
          <span class="line" key={currency}>
            <Gain amount={day} currency={currency} />
          </span>
        )),
      'number',
    ),
    column('orders.open', ({ openOrders }) => showCount(openOrders), 'number'),
    column('overview.strategies', ({ strategies }) => <bdi dir="ltr">{strategies.join(', ')}</bdi>),
  ];
  return (
    <DataTable label="view.bots" columns={columns} rows={bots} keyOf={({ name }) => name} empty="bots.none" />
  );
}
