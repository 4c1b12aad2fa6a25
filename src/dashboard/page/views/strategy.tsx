import { useSignal } from '@preact/signals';
import type { RulesReply, ShadowsReply, StrategyReply } from '../../schema/overview.ts';
import { askFor } from '../actions/action.ts';
import { withQuery } from '../api.ts';
import { Lines } from '../charts/chart-room.tsx';
import { column, type DataColumn, DataTable, NamedFigure } from '../parts/data-table.tsx';
import { Panel, WithReply } from '../parts/panel.tsx';
import { Button, Choices, Gain, NameLink, SentenceText, RawData } from '../parts/words.tsx';
import { t } from '../translate.ts';
import { capitalised, NONE, showCount, showName, showTime, unitNow } from '../shown.ts';
import { mayOperate } from '../session.ts';
import { useReply } from '../use-reply.ts';
import { LogTable } from './log.tsx';
import { IntentsTable, RuleConditions } from './moment.tsx';
import { LocksTable } from './locks.tsx';
import { OrdersTable } from './orders.tsx';
import { SignalsTable } from './signals.tsx';
import { PositionsTable, StrategyButton, StrategyStatusBadge } from './overview-tables.tsx';

/** Shows one strategy: what it did, what it holds, and why. */
export function StrategyView({ name }: { readonly name: string }) {
  const reply = useReply<StrategyReply>(`/strategies/${encodeURIComponent(name)}`);
  return (
    <WithReply reply={reply.value}>
      {({ strategy, state, positions, openOrders, intents, signals, log, locks, profit }) => (
        <>
          <header class="view-head">
            <h1>
              <bdi dir="ltr">{name}</bdi>
            </h1>
            <StrategyStatusBadge strategy={strategy} />
            <span class="head-actions">
              <StrategyButton strategy={strategy} />
              {mayOperate() ? (
                <Button
                  text="action.reload.do"
                  onClick={() => askFor({ kind: 'reload', body: { strategy: name } }, name)}
                />
              ) : null}
            </span>
          </header>
          {strategy.reason === null ? null : (
            <SentenceText text={strategy.reason} facts={strategy.reasonFacts} />
          )}
          <StrategyFigures strategy={strategy} />
          {profit
            .filter(({ points }) => points.length > 1)
            .map((series) => {
              const currency = series.name.split('/').at(-1) ?? '';
              return (
                <Panel key={series.name} title={t('column.profit')}>
                  <Lines
                    series={[series]}
                    names={[`${t('column.profit')} (${unitNow(currency)})`]}
                    currency={currency}
                    label={t('column.time')}
                  />
                </Panel>
              );
            })}
          <Panel title={t('overview.positions')}>
            <PositionsTable positions={positions} />
          </Panel>
          <Panel title={t('orders.open')}>
            <OrdersTable orders={openOrders} label="orders.open" />
          </Panel>
          <Shadows of={name} />
          <Rules name={name} />
          <Panel title={t('strategy.intents')} note={t('strategy.intentsNote')}>
            <IntentsTable intents={intents} canOpen />
          </Panel>
          {signals.length === 0 ? null : (
            <Panel title={t('signals.title')} note={t('log.note')}>
              <SignalsTable signals={signals} />
            </Panel>
          )}
          {locks.length === 0 ? null : (
            <Panel title={t('view.locks')}>
              <LocksTable locks={locks} />
            </Panel>
          )}
          <Panel title={t('view.log')}>
            <LogTable lines={log} />
          </Panel>
          <Panel title={t('strategy.state')}>
            <RawData label={t('strategy.showState')} data={state} />
          </Panel>
        </>
      )}
    </WithReply>
  );
}

type ShadowItem = ShadowsReply['shadows'][number];

/** Shows a strategy beside its shadow on paper; nothing without one. */
function Shadows({ of }: { readonly of: string }) {
  const { data } = useReply<ShadowsReply>('/shadows', RULES_EVERY_MS).value;
  const shadows = data?.shadows.filter(({ live }) => live.strategy === of) ?? [];
  return (
    <>
      {shadows.map((shadow) => (
        <ShadowPanel key={shadow.name} shadow={shadow} />
      ))}
    </>
  );
}

/** Returns a line for each param that a promotion changes: its value before and after. */
function setupChanges({ live, shadow }: ShadowItem): readonly string[] {
  return [...new Set([...Object.keys(live.setup), ...Object.keys(shadow.setup)])]
    .filter((name) => live.setup[name] !== shadow.setup[name])
    .map((name) => showName(`${name}: ${live.setup[name] ?? NONE} → ${shadow.setup[name] ?? NONE}`));
}

function ShadowPanel({ shadow }: { readonly shadow: ShadowItem }) {
  const { name, isPromoted, sinceMs, live, ahead, same, onlyLive, onlyShadow } = shadow;
  const columns: readonly DataColumn<ShadowItem['live']>[] = [
    column('column.strategy', ({ strategy }) => <bdi dir="ltr">{strategy}</bdi>, 'title'),
    column('shadow.money', (side) => t(side === live ? 'shadow.live' : 'shadow.paper')),
    column(
      'column.profit',
      ({ profit, currency }) => <Gain amount={profit} currency={currency ?? ''} />,
      'number',
    ),
    column('column.orders', ({ orders }) => showCount(orders), 'number'),
    column('column.fills', ({ fills }) => showCount(fills), 'number'),
  ];
  return (
    <Panel title={t('shadow.title', { name })} note={t('shadow.since', { time: showTime(sinceMs) })}>
      <DataTable
        label="shadow.title"
        columns={columns}
        rows={[live, shadow.shadow]}
        keyOf={({ strategy }) => strategy}
        empty="strategy.noIntents"
      />
      <p>
        {t('shadow.ahead')} <Gain amount={ahead} currency={live.currency ?? ''} /> ·{' '}
        {t('shadow.orders', {
          same: showCount(same),
          live: showCount(onlyLive),
          shadow: showCount(onlyShadow),
        })}
      </p>
      {isPromoted ? <p class="notice">{t('shadow.promoted')}</p> : null}
      {mayOperate() ? (
        <Button
          text={isPromoted ? 'shadow.undo' : 'action.promote.do'}
          onClick={() =>
            askFor(
              { kind: 'promote', body: { shadow: name, isUndone: isPromoted } },
              [showName(name), ...setupChanges(shadow)].join('\n'),
            )
          }
        />
      ) : null}
    </Panel>
  );
}

/** Interval at which rules and shadows are read, in ms: they change with a candle. */
const RULES_EVERY_MS = 10_000;

/** Shows the conditions of a strategy made of rules; nothing for one with handlers. */
function Rules({ name }: { readonly name: string }) {
  const market = useSignal('');
  const path = `/strategies/${encodeURIComponent(name)}/rules`;
  const query = { market: market.value === '' ? undefined : market.value };
  const { data } = useReply<RulesReply>(withQuery(path, query), RULES_EVERY_MS).value;
  if (data === null || (data.rules === null && data.problem === null)) return null;
  const { markets, problem, rules } = data;
  const time = showTime(rules?.closeTimeMs ?? null);
  const note = rules === null ? undefined : `${showName(rules.market)} · ${time}`;
  const notes = [...(problem === null ? [] : [problem]), ...(rules?.before ?? [])];
  return (
    <Panel title={capitalised(t('column.condition'))} note={note}>
      {markets.length < 2 ? null : (
        <Choices label="column.market" choices={markets} chosen={market} shown={(each) => showName(each)} />
      )}
      {notes.map(({ reason, reasonFacts }) => (
        <p key={reason} class="notice warn">
          <SentenceText text={reason} facts={reasonFacts} />
        </p>
      ))}
      {rules === null ? null : <RuleConditions rules={rules} />}
    </Panel>
  );
}

function StrategyFigures({ strategy }: { readonly strategy: StrategyReply['strategy'] }) {
  const { profit, realised, open, currency, orders, fills, requests, markets } = strategy;
  return (
    <dl class="figures">
      <NamedFigure text="column.profit" class="main-figure">
        <Gain amount={profit} currency={currency} />
      </NamedFigure>
      <NamedFigure text="strategy.realised">
        <Gain amount={realised} currency={currency} />
      </NamedFigure>
      <NamedFigure text="column.openProfit">
        <Gain amount={open} currency={currency} />
      </NamedFigure>
      <NamedFigure text="column.orders">{showCount(orders)}</NamedFigure>
      <NamedFigure text="column.fills">{showCount(fills)}</NamedFigure>
      <NamedFigure text="column.requests">{showCount(requests)}</NamedFigure>
      <NamedFigure text="column.markets" class="links">
        {markets.map((market) => (
          <NameLink key={market} view="market" name={market} />
        ))}
      </NamedFigure>
    </dl>
  );
}
