import { useSignal } from '@preact/signals';
import type { ComponentChild } from 'preact';
import { DAY_MS } from '../../../domain/time-text.ts';
import { formatMonth } from '../../../language/format-time.ts';
import type {
  ProfitsQuery,
  ProfitsReply,
  QualityQuery,
  QualityReply,
  TripItem,
  TripsQuery,
  TripsReply,
} from '../../schema/trip.ts';
import { ProfitCalendar, profitColumns } from '../../../page/profit-groups.tsx';
import { MarketAndStrategy, SelectField, useMarketAndStrategy } from '../actions/field.tsx';
import { withQuery } from '../api.ts';
import { column, DataTable, NamedFigure, PagedList, type DataColumn } from '../parts/data-table.tsx';
import { Panel, WithReply } from '../parts/panel.tsx';
import { Badge, Button, Choices, Gain, Money, NameLink, NameWord } from '../parts/words.tsx';
import { openDialog } from '../actions/action.ts';
import { mayOperate } from '../session.ts';
import { knownMarket } from '../overview.ts';
import { locale } from '../preferences.ts';
import { hrefOf } from '../route.ts';
import {
  capitalised,
  NONE,
  showCount,
  showExact,
  showLength,
  showMoney,
  showName,
  showNumber,
  showShare,
  showTime,
} from '../shown.ts';
import { t, textOf, wordFor } from '../translate.ts';
import { useReply } from '../use-reply.ts';
import { MomentButton } from './moment.tsx';

/** Shortest interval of reads, in ms: each goes over all fills. */
const READ_EVERY_MS = 15_000;

const STATES: readonly TripsQuery['state'][] = ['all', 'open', 'closed'];
type TripOrder = TripsQuery['by'];

/** Shows round trips: what strategies bought and sold again, or still hold. */
export function TripsView() {
  const state = useSignal<TripsQuery['state']>('all');
  const by = useSignal<TripOrder>('closed');
  const first = useSignal<TripsQuery['first']>('largest');
  const filter = useMarketAndStrategy();
  const [reason, tag] = [useSignal(''), useSignal('')];
  const query = {
    state: state.value,
    market: filter.market.value,
    strategy: filter.strategy.value,
    reason: reason.value,
    tag: tag.value,
    by: by.value,
    first: first.value,
  };
  const sortBy = (order: TripOrder): void => {
    first.value = order === by.value && first.value === 'largest' ? 'smallest' : 'largest';
    by.value = order;
  };
  const columns = tripColumns();
  return (
    <>
      <header class="view-head">
        <h1>{t('view.trips')}</h1>
        <Choices
          label="column.state"
          choices={STATES}
          chosen={state}
          shown={(each) => t(`trips.state.${each}`)}
        />
        <MarketAndStrategy filter={filter} />
      </header>
      <Panel title={t('view.trips')} note={t('trips.note')}>
        <PagedList<TripItem, TripsReply>
          path="/trips"
          pauseMs={READ_EVERY_MS}
          query={query}
          label="view.trips"
          empty="trips.none"
          columns={columns.map(([, shown]) => shown)}
          keyOf={({ entryOrder, exitOrder, openedAtMs, strategy }) =>
            [strategy, entryOrder ?? openedAtMs, exitOrder].join(' ')
          }
          sorting={{
            column: columns.findIndex(([order]) => order === by.value),
            direction: first.value === 'largest' ? -1 : 1,
            by: (index) => {
              const order = columns[index]?.[0];
              if (order !== undefined && order !== null) sortBy(order);
            },
          }}
          above={({ sums, choices }) => (
            <>
              <div class="view-head">
                {choices.reasons.length === 0 ? null : (
                  <SelectField
                    text="column.reason"
                    name="filter-reason"
                    chosen={reason}
                    options={[
                      ['', t('trips.anyReason')],
                      ...choices.reasons.map((each) => [each, wordFor('exit', each) ?? each] as const),
                    ]}
                  />
                )}
                {choices.tags.length === 0 ? null : (
                  <SelectField
                    text="trips.tag"
                    name="filter-tag"
                    chosen={tag}
                    options={[['', t('trips.anyTag')], ...choices.tags.map((each) => [each, each] as const)]}
                  />
                )}
              </div>
              {sums.map((sum) => (
                <dl class="figures" key={sum.currency}>
                  <NamedFigure text="trips.closed">{showCount(sum.trips)}</NamedFigure>
                  <NamedFigure text="column.profit">
                    <Gain amount={sum.profit} currency={sum.currency} />
                  </NamedFigure>
                  <NamedFigure text="trips.winRate">{showShare(sum.wins / sum.trips)}</NamedFigure>
                  <NamedFigure text="trips.payoff">{ratio(sum.payoff)}</NamedFigure>
                  <NamedFigure text="column.fee">
                    <Money amount={sum.fees} currency={sum.currency} />
                  </NamedFigure>
                </dl>
              ))}
              <UnvaluedFees of={sums} />
            </>
          )}
        />
      </Panel>
    </>
  );
}

/** Says of how many trades or orders a fee is not counted, since its currency had no price. */
function UnvaluedFees({ of }: { readonly of: readonly { readonly unvaluedFees: number }[] }) {
  const count = of.reduce((sum, { unvaluedFees }) => sum + unvaluedFees, 0);
  return count === 0 ? null : <p class="note">{t('fees.unvalued', { count })}</p>;
}

const twoLines = (first: ComponentChild, second: ComponentChild): ComponentChild => (
  <span>
    {first}
    {second === null ? null : <span class="note line">{second}</span>}
  </span>
);

const ratio = (value: number | null): string => (value === null ? NONE : showNumber(value.toFixed(2)));

/** Returns the columns of trips with what a click on the head sorts by; null for nothing. */
function tripColumns(): readonly (readonly [TripOrder | null, DataColumn<TripItem>])[] {
  return [
    [
      'opened',
      column(
        'trips.opened',
        ({ openedAtMs, market }) => (
          <a href={hrefOf('market', `${market}@${openedAtMs}`)}>{showTime(openedAtMs)}</a>
        ),
        'short',
        'title',
      ),
    ],
    [
      null,
      column('column.market', ({ market, strategy }) => (
        <>
          <NameLink view="market" name={market} /> <NameLink view="strategy" name={strategy} />
        </>
      )),
    ],
    [
      'closed',
      column(
        'trips.closedAt',
        ({ closedAtMs, openedAtMs }) =>
          closedAtMs === null
            ? t('trips.state.open')
            : twoLines(showTime(closedAtMs), showLength(closedAtMs - openedAtMs)),
        'short',
      ),
    ],
    [
      null,
      column(
        'column.amount',
        ({ amount, market }) => showExact(amount, knownMarket(market)?.base ?? ''),
        'number',
      ),
    ],
    [
      null,
      column(
        'column.price',
        ({ entryPrice, exitPrice, currency }) => (
          <span>
            <Money amount={entryPrice} currency={currency} />
            <span class="line">
              <Money amount={exitPrice} currency={currency} />
            </span>
          </span>
        ),
        'number',
      ),
    ],
    [
      'profit',
      column(
        'column.profit',
        ({ profit, currency, hasUnvaluedFee }) =>
          twoLines(<Gain amount={profit} currency={currency} />, hasUnvaluedFee ? t('fees.without') : null),
        'number',
      ),
    ],
    [
      'change',
      column(
        'trips.change',
        ({ change, risk }) =>
          twoLines(
            showShare(change, { isSigned: true }),
            risk === null ? null : t('trips.risk', { value: ratio(risk) }),
          ),
        'number',
      ),
    ],
    [
      null,
      column('column.reason', (trip) => (
        <>
          <TripReason {...trip} />
          <span class="line">
            {trip.entryOrder === null ? null : <MomentButton name={trip.entryOrder} text="moment.entry" />}{' '}
            {trip.exitOrder === null ? null : <MomentButton name={trip.exitOrder} text="moment.exit" />}
          </span>
          <TripNote {...trip} />
        </>
      )),
    ],
  ];
}

/** Shows what a person noted on a trip, with the button that changes it. */
function TripNote({ entry, note, tags }: TripItem) {
  return (
    <>
      {tags.map((tag) => (
        <Badge key={tag} tone="calm">
          <bdi>{tag}</bdi>
        </Badge>
      ))}
      <bdi class="line said">{note}</bdi>
      {entry === null || !mayOperate() ? null : (
        <Button
          text="trips.noted"
          onClick={() => (openDialog.value = { asks: 'note', entry, text: note, tags })}
        />
      )}
    </>
  );
}

/** Shows why a trip began and ended: tags of rules are conditions. */
function TripReason({ entryTag, exitTag, exit, entryOrder, exitOrder }: TripItem) {
  return (
    <>
      <OrderReason text={entryTag} order={entryOrder} />
      {exit === null ? (
        <OrderReason text={exitTag} order={exitOrder} />
      ) : (
        <a class="line" href={hrefOf('order', exitOrder ?? '')}>
          <NameWord area="exit" name={exit} />
        </a>
      )}
    </>
  );
}

/** Shown characters of an order's id: its end, since the strategy stands beside it. */
const END_OF_ID = 8;

function OrderReason({ text, order }: { readonly text: string | null; readonly order: string | null }) {
  if (order === null) return null;
  return (
    <a class="line" dir="ltr" lang="en" href={hrefOf('order', order)} title={order}>
      {text ?? `…${order.slice(-END_OF_ID)}`}
    </a>
  );
}

const PROFIT_GROUPS: readonly ProfitsQuery['by'][] = [
  'day',
  'week',
  'month',
  'hour',
  'strategy',
  'market',
  'reason',
  'tag',
];

type ProfitGroup = ProfitsReply['groups'][number];

/** Shows what closed trips brought by day, week, month, hour, strategy and other. */
export function ProfitsView() {
  const by = useSignal<ProfitsQuery['by']>('day');
  const filter = useMarketAndStrategy();
  const query = {
    by: by.value,
    calendar: locale.value.calendar,
    market: filter.market.value,
    strategy: filter.strategy.value,
  };
  const reply = useReply<ProfitsReply>(withQuery('/profits', query), READ_EVERY_MS);
  return (
    <>
      <header class="view-head">
        <h1>{t('view.profits')}</h1>
        <Choices
          label="profits.by"
          choices={PROFIT_GROUPS}
          chosen={by}
          shown={(each) => t(`profits.${each}`)}
        />
        <MarketAndStrategy filter={filter} />
      </header>
      <WithReply reply={reply.value}>
        {({ groups }) => {
          const currencies = [...new Set(groups.map(({ currency }) => currency))];
          return currencies.length === 0 ? (
            <p class="empty">{t('trips.none')}</p>
          ) : (
            currencies.map((currency) => {
              const own = groups.filter((group) => group.currency === currency);
              return (
                <Panel key={currency} title={t(`profits.${by.value}`)} note={t('profits.note')}>
                  {by.value === 'day' ? (
                    <ProfitCalendar
                      days={own}
                      label={t('profits.calendar')}
                      titleOf={({ fromMs, profit }) =>
                        `${showTime(fromMs, 'day')}: ${showMoney(profit, currency, { isSigned: true })}`
                      }
                    />
                  ) : null}
                  <ProfitTable by={by.value} groups={own} />
                  <UnvaluedFees of={own} />
                </Panel>
              );
            })
          );
        }}
      </WithReply>
    </>
  );
}

function ProfitTable({
  by,
  groups,
}: {
  readonly by: ProfitsQuery['by'];
  readonly groups: readonly ProfitGroup[];
}) {
  const columns = profitColumns(groups, {
    title: (name) => capitalised(textOf(PROFIT_TITLES[name])),
    groupTitle: capitalised(t(`profits.${by}`)),
    nameOf({ fromMs, key }) {
      if (fromMs !== null)
        return by === 'month' ? formatMonth(fromMs + DAY_MS / 2, locale.value) : showTime(fromMs, 'day');
      if (by === 'hour') return showNumber(key);
      if (by === 'strategy' || by === 'market') return <NameLink view={by} name={key} />;
      return key === '' ? NONE : <NameWord area="exit" name={key} />;
    },
    gain: ({ profit, currency }) => <Gain amount={profit} currency={currency} />,
    fees: ({ fees, currency }) => <Money amount={fees} currency={currency} />,
    share: showShare,
    ratio,
    length: showLength,
    count: showCount,
    none: NONE,
  });
  return (
    <DataTable
      label="view.profits"
      empty="trips.none"
      rows={groups}
      keyOf={({ key }) => key}
      columns={columns}
    />
  );
}

const PROFIT_TITLES = {
  profit: 'column.profit',
  trades: 'trips.closed',
  winRate: 'trips.winRate',
  payoff: 'trips.payoff',
  length: 'trips.length',
  fees: 'column.fee',
  requests: 'column.requests',
} as const;

type QualityItem = QualityReply['groups'][number];
const QUALITY_GROUPS: readonly QualityQuery['by'][] = ['market', 'strategy', 'kind', 'hour'];

/** Shows what orders cost against the price at which they were decided. */
export function QualityView() {
  const by = useSignal<QualityQuery['by']>('market');
  const filter = useMarketAndStrategy();
  const query = { by: by.value, market: filter.market.value, strategy: filter.strategy.value };
  const reply = useReply<QualityReply>(withQuery('/quality', query), READ_EVERY_MS);
  return (
    <>
      <header class="view-head">
        <h1>{t('view.quality')}</h1>
        <Choices
          label="profits.by"
          choices={QUALITY_GROUPS}
          chosen={by}
          shown={(each) => t(each === 'kind' ? 'quality.kind' : `profits.${each}`)}
        />
        <MarketAndStrategy filter={filter} />
      </header>
      <WithReply reply={reply.value}>
        {({ groups, standing }) => (
          <Panel title={t('view.quality')} note={t('quality.note')}>
            <DataTable
              label="view.quality"
              columns={qualityColumns(by.value)}
              rows={groups}
              keyOf={({ key, currency }) => `${key} ${currency}`}
              empty="quality.none"
            />
            {standing === 0 ? null : <p class="note">{t('quality.standing', { count: standing })}</p>}
            <UnvaluedFees of={groups} />
            <QueueNote groups={groups} />
          </Panel>
        )}
      </WithReply>
    </>
  );
}

/** Says of how many orders that rested the queue is known. */
function QueueNote({ groups }: Pick<QualityReply, 'groups'>) {
  const sum = (field: 'rested' | 'placed' | 'shared'): number =>
    groups.reduce((total, group) => total + group[field], 0);
  const [rested, placed, shared] = [sum('rested'), sum('placed'), sum('shared')];
  if (rested === 0 || (placed === rested && shared === rested)) return null;
  return <p class="note">{t('quality.queue.known', { rested, placed, shared })}</p>;
}

const ORDER_KINDS = ['market', 'taker', 'maker', 'limit', 'stop'] as const;

/** Shows how an order met the market; an exit of a bracket has its own name. */
function OrderKind({ name }: { readonly name: string }) {
  const kind = ORDER_KINDS.find((each) => each === name);
  return kind === undefined ? <NameWord area="exit" name={name} /> : <>{t(`quality.kind.${kind}`)}</>;
}

const basisPoints = (value: number | null): string | null =>
  value === null ? null : t('quality.bps', { value: ratio(value) });

function qualityColumns(by: QualityQuery['by']): readonly DataColumn<QualityItem>[] {
  return [
    column(
      by === 'kind' ? 'quality.kind' : `profits.${by}`,
      ({ key }) => (by === 'kind' ? <OrderKind name={key} /> : <bdi dir="ltr">{showName(key)}</bdi>),
      'title',
    ),
    column(
      'quality.filled',
      ({ orders, filledShare }) => twoLines(showCount(orders), showShare(filledShare)),
      'number',
    ),
    column(
      'quality.traded',
      ({ traded, fees, currency }) =>
        twoLines(<Money amount={traded} currency={currency} />, <Money amount={fees} currency={currency} />),
      'number',
    ),
    column(
      'quality.slippage',
      ({ slippage, slippageBps, priced, currency }) =>
        twoLines(
          priced === 0 ? NONE : <Money amount={slippage} currency={currency} />,
          basisPoints(slippageBps),
        ),
      'number',
    ),
    column(
      'quality.unfilled',
      ({ unfilledCost, valued, currency }) =>
        valued === 0 ? NONE : <Money amount={unfilledCost} currency={currency} />,
      'number',
    ),
    column(
      'quality.shortfall',
      ({ shortfall, shortfallBps, valued, currency }) =>
        twoLines(
          valued === 0 ? NONE : <Money amount={shortfall} currency={currency} />,
          basisPoints(shortfallBps),
        ),
      'number',
    ),
    column('quality.times', ({ firstFillMs, completionMs }) =>
      [firstFillMs, completionMs]
        .map((lengthMs) => (lengthMs === null ? NONE : showLength(lengthMs)))
        .join(' · '),
    ),
    column(
      'quality.queue',
      ({ ahead, queueShare }) =>
        twoLines(
          ahead === null ? NONE : t('quality.times.own', { times: ratio(ahead) }),
          queueShare === null ? null : t('quality.share', { share: showShare(queueShare) }),
        ),
      'number',
    ),
  ];
}
