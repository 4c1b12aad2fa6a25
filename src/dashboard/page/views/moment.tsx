import { signal } from '@preact/signals';
import type { ComponentChildren, ComponentProps } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { formatPlain } from '../../../language/format-number.ts';
import type { IntentItem, OrderItem } from '../../schema/order.ts';
import type { ConditionItem, MomentReply, RulesItem } from '../../schema/overview.ts';
import { knownMarket } from '../overview.ts';
import { column, type DataColumn, DataTable, NamedFigure } from '../parts/data-table.tsx';
import { Panel, WithReply } from '../parts/panel.tsx';
import { Age, Badge, Button, NameLink, NameWord, RawData, SentenceText, SideWord } from '../parts/words.tsx';
import { language } from '../preferences.ts';
import { capitalised, NONE, showExact, showNumber, showTime } from '../shown.ts';
import { t, textOf, type TextKey } from '../translate.ts';
import { useReply } from '../use-reply.ts';
import { OrderPrice } from './orders.tsx';

/** Order or intent of which is shown what the bot knew; null for none. */
const opened = signal<string | null>(null);

interface MomentButtonProps {
  /** Key of an order, or id of an intent. */
  readonly name: string;
  readonly text?: TextKey;
}

/** Opens what the bot knew when it decided an order or an intent. */
export function MomentButton({ name, text = 'moment.title' }: MomentButtonProps) {
  return <Button text={text} onClick={() => (opened.value = name)} />;
}

/** Dialog for the buttons of a view; it closes with the view. */
export function OpenedMoment() {
  useEffect(() => () => void (opened.value = null), []);
  const name = opened.value;
  return name === null ? null : <MomentDialog key={name} name={name} />;
}

/** Shows what the bot knew at a decision, which a replay of its run shows. */
function MomentDialog({ name }: { readonly name: string }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const reply = useReply<MomentReply>(`/orders/${encodeURIComponent(name)}/moment`);
  const { data, readAtMs, refresh } = reply.value;
  // The server waits for its replay before it replies.
  useEffect(() => {
    if (data?.state === 'working') refresh();
  }, [readAtMs]);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog
      ref={dialog}
      class="moment"
      aria-label={t('moment.title')}
      data-moment={data?.state}
      onClose={() => (opened.value = null)}
    >
      <WithReply reply={reply.value}>{(shown) => <MomentPanel reply={shown} name={name} />}</WithReply>
      <p class="buttons">
        <Button text="action.close" onClick={() => dialog.current?.close()} />
      </p>
    </dialog>
  );
}

interface MomentPanelProps {
  readonly reply: MomentReply;
  readonly name: string;
}

function MomentPanel({ reply, name }: MomentPanelProps) {
  const { state, problem, fromMs, toMs, differing, differences, moment } = reply;
  const places = {
    from: showTime(fromMs, 'second'),
    to: showTime(toMs, 'second'),
    setting: state === 'off' ? 'record: {}' : 'record.eventsMb',
  };
  return (
    <Panel
      title={t('moment.title')}
      note={
        <>
          <bdi dir="ltr">{name}</bdi> · {t('moment.notStored')}
        </>
      }
    >
      {differing === 0 ? null : (
        <div class="notice bad">
          {t('moment.differs', {
            count: differing,
            time: showTime(differences[0]?.atMs ?? null, 'second'),
          })}
          <RawData label={t('moment.differences')} data={differences} />
        </div>
      )}
      {moment === null ? (
        <p class="notice warn" role="status">
          {state === 'shown' ? null : t(`moment.${state}`, places)}{' '}
          {problem === null ? null : <SentenceText text={problem.reason} facts={problem.reasonFacts} />}
        </p>
      ) : (
        <MomentFacts moment={moment} />
      )}
    </Panel>
  );
}

type MomentItem = NonNullable<MomentReply['moment']>;

const PHASES = {
  syncing: 'state.starting',
  trading: 'state.running',
  halted: 'state.halted',
  draining: 'state.draining',
} as const;

const EVENTS = ['tick', 'answer', 'control', 'opens', 'account'] as const;

function MomentFacts({ moment }: { readonly moment: MomentItem }) {
  const { atMs, event, call, phase, books, bars, held, open, locks, rules, intents, orders, log } = moment;
  const known = EVENTS.find((each) => each === event);
  return (
    <>
      <dl class="figures">
        <NamedFigure text="column.time">{showTime(atMs, 'second')}</NamedFigure>
        <NamedFigure text="moment.event">
          {known === undefined ? event : t(`moment.event.${known}`)} <bdi dir="ltr">{call}</bdi>
        </NamedFigure>
        <NamedFigure text="column.state">{t(PHASES[phase])}</NamedFigure>
      </dl>
      <Part label="strategy.intents">
        {intents.length === 0 && orders.length > 0 ? null : <IntentsTable intents={intents} />}
        {orders.length === 0 ? null : <MomentOrders orders={orders} label="column.orders" />}
        {log.map(({ strategy, text }, index) => (
          <p key={index}>
            <bdi dir="ltr">{strategy}</bdi>: <SentenceText text={text} />
          </p>
        ))}
      </Part>
      {rules.map((each, index) => (
        <Part key={index} label="column.condition">
          <RuleConditions rules={each} />
        </Part>
      ))}
      <TablePart label="moment.books" columns={bookColumns()} rows={books} keyOf={({ market }) => market} />
      <TablePart label="moment.bars" columns={barColumns()} rows={bars} keyOf={({ series }) => series} />
      <TablePart
        label="moment.held"
        columns={heldColumns()}
        rows={held}
        keyOf={({ strategy, asset }) => `${strategy} ${asset}`}
      />
      <Part label="orders.open">
        <MomentOrders orders={open} label="orders.open" />
      </Part>
      {locks.length === 0 ? null : (
        <Part label="column.lock">
          {locks.map(({ reason, reasonFacts }) => (
            <p key={reason}>
              <SentenceText text={reason} facts={reasonFacts} />
            </p>
          ))}
        </Part>
      )}
    </>
  );
}

function Part({ label, children }: { readonly label: TextKey; readonly children: ComponentChildren }) {
  return (
    <>
      <h3>{capitalised(textOf(label))}</h3>
      {children}
    </>
  );
}

function TablePart<Row>(table: Omit<ComponentProps<typeof DataTable<Row>>, 'empty'>) {
  return (
    <Part label={table.label}>
      <DataTable {...table} empty="moment.none" />
    </Part>
  );
}

const bookColumns = (): readonly DataColumn<MomentItem['books'][number]>[] => [
  column('column.market', ({ market }) => <NameLink view="market" name={market} />, 'title'),
  column('market.bestBuy', ({ bid, market }) => showExact(bid, knownMarket(market)?.quote ?? ''), 'number'),
  column('market.bestSell', ({ ask, market }) => showExact(ask, knownMarket(market)?.quote ?? ''), 'number'),
];

const barColumns = (): readonly DataColumn<MomentItem['bars'][number]>[] => [
  column('moment.series', ({ series }) => <bdi dir="ltr">{series}</bdi>, 'title'),
  column('moment.opened', ({ openTimeMs }) => showTime(openTimeMs), 'short'),
  column('moment.open', (bar) => showNumber(bar.open), 'number'),
  column('moment.high', ({ high }) => showNumber(high), 'number'),
  column('moment.low', ({ low }) => showNumber(low), 'number'),
  column('moment.close', ({ close }) => showNumber(close), 'number'),
];

const heldColumns = (): readonly DataColumn<MomentItem['held'][number]>[] => [
  column('column.strategy', ({ strategy }) => <NameLink view="strategy" name={strategy} />, 'title'),
  column('column.amount', ({ amount, asset }) => showExact(amount, asset), 'number'),
];

interface MomentOrdersProps {
  readonly orders: readonly OrderItem[];
  readonly label: TextKey;
}

/** Shows orders as they were then: nothing can be done with them. */
function MomentOrders({ orders, label }: MomentOrdersProps) {
  const columns: readonly DataColumn<OrderItem>[] = [
    column(
      'column.order',
      ({ side, key }) => (
        <>
          <SideWord side={side} /> <NameLink view="order" name={key} />
        </>
      ),
      'title',
    ),
    column('column.strategy', ({ strategy }) => <NameLink view="strategy" name={strategy} />),
    column('column.price', (order) => <OrderPrice order={order} />, 'number'),
    column(
      'column.amount',
      ({ amount, market }) => showExact(amount, knownMarket(market)?.base ?? ''),
      'number',
    ),
    column('column.state', ({ state }) => t(`orderState.${state}`)),
  ];
  return (
    <DataTable label={label} columns={columns} rows={orders} keyOf={({ key }) => key} empty="moment.none" />
  );
}

/** Shows the conditions of a strategy made of rules at a bar, and what was missing. */
export function RuleConditions({ rules: { outcome, enter, exit } }: { readonly rules: RulesItem }) {
  return (
    <>
      <p>
        <SentenceText text={outcome.reason} facts={outcome.reasonFacts} />
      </p>
      <ConditionsTable conditions={enter} label="side.buy" />
      <ConditionsTable conditions={exit} label="side.sell" />
    </>
  );
}

const figure = (value: number | null): string => (value === null ? NONE : formatPlain(language.value, value));

interface ConditionsTableProps {
  readonly conditions: readonly ConditionItem[];
  readonly label: 'side.buy' | 'side.sell';
}

function ConditionsTable({ conditions, label }: ConditionsTableProps) {
  const columns: readonly DataColumn<ConditionItem>[] = [
    column(
      'column.condition',
      ({ reason, reasonFacts, depth }) => (
        <div style={{ paddingInlineStart: `${depth}em` }}>
          <SentenceText text={reason} facts={reasonFacts} />
        </div>
      ),
      'title',
    ),
    column('column.state', ({ isTrue }) => (
      <Badge tone={isTrue === null ? 'warn' : isTrue ? 'good' : 'calm'}>
        {t(isTrue === null ? 'strategyStatus.unknown' : isTrue ? 'condition.true' : 'signalOutcome.waiting')}
      </Badge>
    )),
    column('column.value', ({ left }) => figure(left), 'number'),
    column('column.right', ({ right }) => figure(right), 'number'),
    column(
      'column.distance',
      ({ left, right }) => figure(left === null || right === null ? null : Math.abs(left - right)),
      'number',
    ),
    column('column.since', ({ sinceMs }) => (sinceMs === null ? NONE : <Age atMs={sinceMs} />), 'short'),
  ];
  const keyOf = (each: ConditionItem): string => String(conditions.indexOf(each));
  return conditions.length === 0 ? null : (
    <>
      <h3>{textOf(label)}</h3>
      <DataTable label={label} columns={columns} rows={conditions} keyOf={keyOf} empty="strategy.noIntents" />
    </>
  );
}

interface IntentsTableProps {
  readonly intents: readonly IntentItem[];
  /** True for buttons that open what the bot knew at an intent. */
  readonly canOpen?: boolean;
}

export function IntentsTable({ intents, canOpen = false }: IntentsTableProps) {
  const columns: readonly DataColumn<IntentItem>[] = [
    column('column.time', ({ atMs }) => <Age atMs={atMs} />, 'short'),
    column('column.intent', ({ kind }) => <NameWord area="kind" name={kind} />, 'title'),
    column('column.market', ({ market }) =>
      market === null ? '–' : <NameLink view="market" name={market} />,
    ),
    column('column.state', ({ status }) => (
      <Badge tone={{ working: 'warn', done: 'good', refused: 'bad' }[status] as 'warn' | 'good' | 'bad'}>
        {t(`intentStatus.${status}`)}
      </Badge>
    )),
    column('column.reason', ({ reason, reasonFacts }) => <SentenceText text={reason} facts={reasonFacts} />),
    column('order.data', ({ data }) => <RawData label={t('order.data')} data={data} />),
    ...(canOpen ? [column<IntentItem>('column.actions', ({ id }) => <MomentButton name={id} />)] : []),
  ];
  return (
    <DataTable
      label="strategy.intents"
      columns={columns}
      rows={intents}
      keyOf={({ id }) => id}
      empty="strategy.noIntents"
    />
  );
}
