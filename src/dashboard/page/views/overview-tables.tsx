import { askFor, openDialog } from '../actions/action.ts';
import type { ExposureItem, PositionItem, StrategyItem } from '../../schema/overview.ts';
import { DataTable, type DataColumn } from '../parts/data-table.tsx';
import { Age, Badge, Gain, NameLink, NameWord, Said, type Tone } from '../parts/words.tsx';
import { say } from '../say.ts';
import { mayOperate } from '../session.ts';
import { showCount, showExact, showMoney } from '../shown.ts';

const TONES: Readonly<Record<StrategyItem['status'], Tone>> = {
  running: 'good',
  paused: 'warn',
  'paused by hand': 'warn',
  stopped: 'bad',
  'not running': 'calm',
  unknown: 'calm',
};

export function StrategyStatusBadge({ strategy }: { readonly strategy: StrategyItem }) {
  return <Badge tone={TONES[strategy.status]}>{say(`strategyStatus.${strategy.status}`)}</Badge>;
}

/** Pause or resume a strategy. */
export function StrategyButton({ strategy }: { readonly strategy: StrategyItem }) {
  if (!mayOperate()) return null;
  const { name, status } = strategy;
  const isPaused = status === 'paused' || status === 'paused by hand';
  if (isPaused)
    return (
      <button type="button" onClick={() => askFor({ kind: 'resume', body: { strategy: name } }, name)}>
        {say('action.resume.do')}
      </button>
    );
  return (
    <button
      type="button"
      disabled={status !== 'running'}
      onClick={() => (openDialog.value = { asks: 'pause', strategy: name })}
    >
      {say('action.pause.do')}
    </button>
  );
}

export function StrategiesTable({ strategies }: { readonly strategies: readonly StrategyItem[] }) {
  const columns: readonly DataColumn<StrategyItem>[] = [
    {
      key: 'name',
      head: say('column.strategy'),
      isTitle: true,
      cell: ({ name }) => <NameLink view="strategy" name={name} />,
    },
    {
      key: 'status',
      head: say('column.state'),
      cell: (strategy) => <StrategyStatusBadge strategy={strategy} />,
    },
    {
      key: 'markets',
      head: say('column.markets'),
      cell: ({ markets }) => <MarketLinks markets={markets} />,
    },
    {
      key: 'profit',
      head: say('column.profit'),
      isNumber: true,
      cell: ({ profit, currency }) => <Gain amount={profit} currency={currency} />,
    },
    { key: 'orders', head: say('column.orders'), isNumber: true, cell: ({ orders }) => showCount(orders) },
    { key: 'fills', head: say('column.fills'), isNumber: true, cell: ({ fills }) => showCount(fills) },
    {
      key: 'decision',
      head: say('column.lastDecision'),
      cell: (strategy) => <LastDecision strategy={strategy} />,
    },
    { key: 'do', head: say('column.actions'), cell: (strategy) => <StrategyButton strategy={strategy} /> },
  ];
  return (
    <DataTable
      label={say('overview.strategies')}
      columns={columns}
      rows={strategies}
      keyOf={({ name }) => name}
      empty={say('overview.noStrategies')}
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
        <span class="note">{say('overview.moreMarkets', { count: markets.length - MOST_MARKETS })}</span>
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
        <span class="note">{say('overview.noDecision')}</span>
      ) : (
        <>
          <Age atMs={decision.atMs} /> · <NameWord area="kind" name={decision.kind} /> ·{' '}
          {say(`intentStatus.${decision.status}`)}
        </>
      )}
      {reason === null ? null : <Said text={reason} facts={reasonFacts} />}
    </span>
  );
}

export function PositionsTable({ positions }: { readonly positions: readonly PositionItem[] }) {
  const columns: readonly DataColumn<PositionItem>[] = [
    {
      key: 'asset',
      head: say('column.position'),
      isTitle: true,
      cell: ({ amount, asset }) => showExact(amount, asset),
    },
    {
      key: 'strategy',
      head: say('column.strategy'),
      cell: ({ strategy }) => <NameLink view="strategy" name={strategy} />,
    },
    {
      key: 'market',
      head: say('column.market'),
      cell: ({ market }) => (market === null ? '–' : <NameLink view="market" name={market} />),
    },
    {
      key: 'value',
      head: say('column.value'),
      isNumber: true,
      cell: ({ value, currency }) => showMoney(value, currency),
    },
    {
      key: 'profit',
      head: say('column.openProfit'),
      isNumber: true,
      cell: ({ profit, currency }) => <Gain amount={profit} currency={currency} />,
    },
    {
      key: 'stop',
      head: say('column.stop'),
      isNumber: true,
      cell: ({ stop, isProtected, currency }) => (
        <>
          {stop === null ? null : showExact(stop, currency)}{' '}
          <Badge tone={isProtected ? 'good' : 'warn'}>
            {say(
              isProtected ? 'position.protected' : stop === null ? 'position.unprotected' : 'position.partly',
            )}
          </Badge>
        </>
      ),
    },
    {
      key: 'do',
      head: say('column.actions'),
      cell: ({ strategy, market, asset }) =>
        mayOperate() && market !== null ? (
          <>
            <button
              type="button"
              onClick={() =>
                askFor({ kind: 'close', body: { strategy, market } }, `${strategy} · ${asset.toUpperCase()}`)
              }
            >
              {say('action.close.do')}
            </button>{' '}
            <button type="button" onClick={() => (openDialog.value = { asks: 'position', strategy, market })}>
              {say('action.position.open')}
            </button>
          </>
        ) : null,
    },
  ];
  return (
    <DataTable
      label={say('overview.positions')}
      columns={columns}
      rows={positions}
      keyOf={({ strategy, asset, market }) => `${strategy} ${asset} ${market}`}
      empty={say('overview.noPositions')}
    />
  );
}

export function ExposureTable({ exposure }: { readonly exposure: readonly ExposureItem[] }) {
  const columns: readonly DataColumn<ExposureItem>[] = [
    {
      key: 'asset',
      head: say('column.amount'),
      isTitle: true,
      cell: ({ amount, asset }) => showExact(amount, asset),
    },
    {
      key: 'value',
      head: say('column.value'),
      isNumber: true,
      cell: ({ value, currency }) => showMoney(value, currency),
    },
  ];
  return (
    <DataTable
      label={say('overview.exposure')}
      columns={columns}
      rows={exposure}
      keyOf={({ asset, currency }) => `${asset} ${currency}`}
      empty={say('overview.noExposure')}
    />
  );
}
