import { askFor, openDialog } from '../actions/action.ts';
import type { ApprovalItem, ExposureItem, PositionItem, StrategyItem } from '../../schema/overview.ts';
import { column, type DataColumn, DataTable } from '../parts/data-table.tsx';
import {
  Age,
  Badge,
  Button,
  Gain,
  Money,
  NameLink,
  NameWord,
  SentenceText,
  type Tone,
} from '../parts/words.tsx';
import { t } from '../translate.ts';
import { mayOperate } from '../session.ts';
import { NONE, showCount, showExact, showLeft } from '../shown.ts';

const TONES: Readonly<Record<StrategyItem['status'], Tone>> = {
  running: 'good',
  paused: 'warn',
  'paused by hand': 'warn',
  stopped: 'bad',
  'not running': 'calm',
  unknown: 'calm',
};

export function StrategyStatusBadge({ strategy }: { readonly strategy: StrategyItem }) {
  return <Badge tone={TONES[strategy.status]}>{t(`strategyStatus.${strategy.status}`)}</Badge>;
}

/** Button to pause or resume a strategy. */
export function StrategyButton({ strategy }: { readonly strategy: StrategyItem }) {
  if (!mayOperate()) return null;
  const { name, status } = strategy;
  const isPaused = status === 'paused' || status === 'paused by hand';
  if (isPaused)
    return (
      <Button
        text="action.resume.do"
        onClick={() => askFor({ kind: 'resume', body: { strategy: name } }, name)}
      />
    );
  return (
    <Button
      text="action.pause.do"
      disabled={status !== 'running'}
      onClick={() => (openDialog.value = { asks: 'pause', strategy: name })}
    />
  );
}

export function StrategiesTable({ strategies }: { readonly strategies: readonly StrategyItem[] }) {
  const columns: readonly DataColumn<StrategyItem>[] = [
    column('column.strategy', ({ name }) => <NameLink view="strategy" name={name} />, 'title'),
    column('column.state', (strategy) => <StrategyStatusBadge strategy={strategy} />),
    column('column.markets', ({ markets }) => <MarketLinks markets={markets} />),
    column('column.profit', ({ profit, currency }) => <Gain amount={profit} currency={currency} />, 'number'),
    column('column.orders', ({ orders }) => showCount(orders), 'number'),
    column('column.fills', ({ fills }) => showCount(fills), 'number'),
    column('column.lastDecision', (strategy) => <LastDecision strategy={strategy} />),
    column('column.actions', (strategy) => <StrategyButton strategy={strategy} />),
  ];
  return (
    <DataTable
      label="overview.strategies"
      columns={columns}
      rows={strategies}
      keyOf={({ name }) => name}
      empty="overview.noStrategies"
    />
  );
}

const MOST_MARKETS = 3;

function MarketLinks({ markets }: { readonly markets: readonly string[] }) {
  return (
    <span class="links">
      {markets.slice(0, MOST_MARKETS).map((market) => (
        <NameLink key={market} view="market" name={market} />
      ))}
      {markets.length > MOST_MARKETS ? (
        <span class="note">{t('overview.moreMarkets', { count: markets.length - MOST_MARKETS })}</span>
      ) : null}
    </span>
  );
}

function LastDecision({ strategy }: { readonly strategy: StrategyItem }) {
  const { lastDecision: decision } = strategy;
  const { reason, reasonFacts } = (decision?.reason ?? null) === null ? strategy : (decision ?? strategy);
  return (
    <span class="decision">
      {decision === null ? (
        <span class="note">{t('overview.noDecision')}</span>
      ) : (
        <>
          <Age atMs={decision.atMs} /> · <NameWord area="kind" name={decision.kind} /> ·{' '}
          {t(`intentStatus.${decision.status}`)}
        </>
      )}
      {reason === null ? null : <SentenceText text={reason} facts={reasonFacts} />}
    </span>
  );
}

export function PositionsTable({ positions }: { readonly positions: readonly PositionItem[] }) {
  const columns: readonly DataColumn<PositionItem>[] = [
    column('column.position', ({ amount, asset }) => showExact(amount, asset), 'title'),
    column('column.strategy', ({ strategy }) => <NameLink view="strategy" name={strategy} />),
    column('column.market', ({ market }) =>
      market === null ? '–' : <NameLink view="market" name={market} />,
    ),
    column('column.value', ({ value, currency }) => <Money amount={value} currency={currency} />, 'number'),
    column(
      'column.openProfit',
      ({ profit, currency }) => <Gain amount={profit} currency={currency} />,
      'number',
    ),
    column(
      'column.stop',
      ({ stop, isProtected, currency }) => (
        <>
          {stop === null ? null : showExact(stop, currency)}{' '}
          <Badge tone={isProtected ? 'good' : 'warn'}>
            {t(
              isProtected ? 'position.protected' : stop === null ? 'position.unprotected' : 'position.partly',
            )}
          </Badge>
        </>
      ),
      'number',
    ),
    column('column.actions', ({ strategy, market, asset }) =>
      mayOperate() && market !== null ? (
        <>
          <Button
            text="action.close.do"
            onClick={() =>
              askFor({ kind: 'close', body: { strategy, market } }, `${strategy} · ${asset.toUpperCase()}`)
            }
          />{' '}
          <Button
            text="action.position.open"
            onClick={() => (openDialog.value = { asks: 'position', strategy, market })}
          />
        </>
      ) : null,
    ),
  ];
  return (
    <DataTable
      label="overview.positions"
      columns={columns}
      rows={positions}
      keyOf={({ strategy, asset, market }) => `${strategy} ${asset} ${market}`}
      empty="overview.noPositions"
    />
  );
}

export function ExposureTable({ exposure }: { readonly exposure: readonly ExposureItem[] }) {
  const columns: readonly DataColumn<ExposureItem>[] = [
    column('column.amount', ({ amount, asset }) => showExact(amount, asset), 'title'),
    column('column.value', ({ value, currency }) => <Money amount={value} currency={currency} />, 'number'),
  ];
  return (
    <DataTable
      label="overview.exposure"
      columns={columns}
      rows={exposure}
      keyOf={({ asset, currency }) => `${asset} ${currency}`}
      empty="overview.noExposure"
    />
  );
}

/** Shows the entries that wait for a person, with the buttons to decide. */
export function ApprovalsTable({ approvals }: { readonly approvals: readonly ApprovalItem[] }) {
  const columns: readonly DataColumn<ApprovalItem>[] = [
    column(
      'column.intent',
      ({ kind, id }) => (
        <>
          <NameWord area="kind" name={kind} /> <bdi class="note">{id}</bdi>
        </>
      ),
      'title',
    ),
    column('column.strategy', ({ strategy }) => <NameLink view="strategy" name={strategy} />),
    column('column.market', ({ market }) =>
      market === null ? NONE : <NameLink view="market" name={market} />,
    ),
    column(
      'column.amount',
      ({ amount, coin }) => (amount === null ? NONE : `≈ ${showExact(amount, coin ?? '')}`),
      'number',
    ),
    column(
      'column.value',
      ({ value, currency }) => <Money amount={value} currency={currency ?? ''} />,
      'number',
    ),
    column('column.bound', ({ bound, currency }) => showExact(bound, currency ?? ''), 'number'),
    column('column.left', ({ expiresAtMs }) => showLeft(expiresAtMs ?? 0), 'number'),
    column('column.actions', ({ id: entry, strategy }) =>
      mayOperate()
        ? (['approve', 'decline'] as const).map((kind) => [
            <Button
              key={kind}
              text={`action.${kind}.do`}
              onClick={() => askFor({ kind, body: { entry } }, `${entry} · ${strategy}`)}
            />,
            ' ',
          ])
        : null,
    ),
  ];
  return (
    <DataTable
      label="overview.approvals"
      columns={columns}
      rows={approvals}
      keyOf={({ id }) => id}
      empty="overview.approvals"
    />
  );
}
