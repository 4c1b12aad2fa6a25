import type { BudgetItem, BudgetsReply } from '../../schema/overview.ts';
import { Lines } from '../charts/chart-room.tsx';
import { column, type DataColumn, DataTable } from '../parts/data-table.tsx';
import { Panel, WithReply } from '../parts/panel.tsx';
import { Badge, NameLink } from '../parts/words.tsx';
import { t } from '../translate.ts';
import { showCount, showLeft, showLength, showName, showNumber } from '../shown.ts';
import { useReply } from '../use-reply.ts';

export function BudgetsView() {
  const reply = useReply<BudgetsReply>('/budgets');
  return (
    <>
      <h1>{t('view.budgets')}</h1>
      <p class="note">{t('budgets.what')}</p>
      <WithReply reply={reply.value}>
        {({ budgets, overTime, lockouts, strategies, asOfMs }) => (
          <>
            {lockouts.length === 0 ? null : (
              <ul class="notices">
                {lockouts.map(({ budget, endsAtMs, isOnTrial }) => (
                  <li class="notice bad" key={budget}>
                    {endsAtMs === null
                      ? t('notices.lockoutOpen', { budget: showName(budget) })
                      : t('notices.lockout', { budget: showName(budget), left: showLeft(endsAtMs) })}{' '}
                    {isOnTrial ? t('budgets.onTrial') : null}
                  </li>
                ))}
              </ul>
            )}
            <Panel title={t('budgets.now')} note={t('budgets.nowNote')}>
              <BudgetsTables budgets={budgets} asOfMs={asOfMs} />
            </Panel>
            {overTime.some(({ points }) => points.length > 1) ? (
              <Panel title={t('budgets.overTime')} note={t('budgets.overTimeNote')}>
                <Lines
                  series={overTime}
                  names={overTime.map(({ name }) => lineOf(name.replace(/^budget\//, ''), budgets))}
                  currency=""
                  label={t('column.time')}
                />
              </Panel>
            ) : null}
            <Panel title={t('budgets.byStrategy')}>
              <RequestsTable strategies={strategies} />
            </Panel>
          </>
        )}
      </WithReply>
    </>
  );
}

/** Returns the name of a line with the limit that it may reach. */
function lineOf(name: string, budgets: readonly BudgetItem[]): string {
  const budget = budgets.find((each) => each.budget === name);
  if (budget === undefined) return name;
  const { limit, windowMs } = budget;
  return t('budgets.line', { budget: showName(name), limit, window: showLength(windowMs) });
}

interface BudgetsTableProps {
  readonly budgets: readonly BudgetItem[];
  readonly asOfMs: number;
}

/** Shows budgets: those that limit something come first, and unused ones are folded into one line. */
function BudgetsTables({ budgets, asOfMs }: BudgetsTableProps) {
  const used = budgets.filter((budget) => isLimited(budget) || isInUse(budget));
  const unused = budgets.filter((budget) => !used.includes(budget));
  const label = t('budgets.unused', { count: unused.length });
  const first = used.toSorted((left, right) => Number(isLimited(right)) - Number(isLimited(left)));
  return (
    <>
      {first.length === 0 && unused.length > 0 ? null : (
        <BudgetsTable label={t('budgets.now')} budgets={first} asOfMs={asOfMs} />
      )}
      {unused.length === 0 ? null : (
        <details class="unused" open={first.length === 0}>
          <summary>{label}</summary>
          <BudgetsTable label={label} budgets={unused} asOfMs={asOfMs} />
        </details>
      )}
    </>
  );
}

/** True if something restricts a budget: a lockout, a refused credential, a lower limit. */
function isLimited({
  lockedForMs,
  stoppedForMs,
  isOnTrial,
  fullForMs,
  limit,
  ownLimit,
}: BudgetItem): boolean {
  return lockedForMs !== null || stoppedForMs !== null || isOnTrial || fullForMs > 0 || limit < ownLimit;
}

const isInUse = ({ inUse, onTheWay }: BudgetItem): boolean => inUse > 0 || onTheWay > 0;

function BudgetsTable({ label, budgets, asOfMs }: BudgetsTableProps & { readonly label: string }) {
  const columns: readonly DataColumn<BudgetItem>[] = [
    column('column.budget', ({ budget }) => <bdi dir="ltr">{budget}</bdi>, 'title'),
    column('budgets.of', ({ subject }) => t(`budgets.subject.${subject}`)),
    column('budgets.use', (budget) => <Use budget={budget} />),
    column('budgets.reserve', ({ reserve }) => showCount(reserve), 'number'),
    column('budgets.window', ({ windowMs }) => showLength(windowMs), 'number'),
    column('column.state', (budget) => <BudgetState budget={budget} asOfMs={asOfMs} />),
  ];
  return (
    <DataTable
      label="budgets.now"
      labelText={label}
      columns={columns}
      rows={budgets}
      keyOf={({ subject, budget }) => `${subject} ${budget}`}
      empty="budgets.none"
    />
  );
}

function Use({ budget }: { readonly budget: BudgetItem }) {
  const { inUse, limit, onTheWay, isAssumed, budget: name } = budget;
  return (
    <span class="use">
      <meter
        min={0}
        max={limit}
        high={limit * 0.8}
        optimum={0}
        value={inUse}
        aria-label={t('budgets.useOf', { budget: showName(name) })}
      />
      <span>{t('budgets.inUse', { inUse, limit })}</span>
      {onTheWay === 0 ? null : <span class="note">{t('budgets.onTheWay', { count: onTheWay })}</span>}
      {isAssumed ? <span class="note">{t('budgets.assumed')}</span> : null}
    </span>
  );
}

function BudgetState({ budget, asOfMs }: { readonly budget: BudgetItem; readonly asOfMs: number }) {
  const { lockedForMs, stoppedForMs, fullForMs } = budget;
  if (lockedForMs !== null)
    return <Badge tone="bad">{t('budgets.locked', { left: showLeft(asOfMs + lockedForMs) })}</Badge>;
  if (stoppedForMs !== null)
    return <Badge tone="bad">{t('budgets.stopped', { left: showLeft(asOfMs + stoppedForMs) })}</Badge>;
  if (fullForMs > 0)
    return <Badge tone="warn">{t('budgets.full', { left: showLeft(asOfMs + fullForMs) })}</Badge>;
  return <Badge tone="good">{t('budgets.free')}</Badge>;
}

type StrategyRequests = BudgetsReply['strategies'][number];

function RequestsTable({ strategies }: { readonly strategies: readonly StrategyRequests[] }) {
  const columns: readonly DataColumn<StrategyRequests>[] = [
    column('column.strategy', ({ strategy }) => <NameLink view="strategy" name={strategy} />, 'title'),
    column('column.requests', ({ requests }) => showCount(requests), 'number'),
    column('column.orders', ({ orders }) => showCount(orders), 'number'),
    column('column.fills', ({ fills }) => showCount(fills), 'number'),
    column(
      'budgets.perFill',
      ({ requestsPerFill }) =>
        showNumber(requestsPerFill === null ? null : String(requestsPerFill), { decimals: 1 }),
      'number',
    ),
  ];
  return (
    <DataTable
      label="budgets.byStrategy"
      columns={columns}
      rows={strategies}
      keyOf={({ strategy }) => strategy}
      empty="overview.noStrategies"
    />
  );
}
