import { askFor } from '../actions/action.ts';
import type { OrderItem, OrderReply, StepItem, RawReplyItem, FillItem } from '../../schema/order.ts';
import { knownMarket } from '../overview.ts';
import { DataTable, NamedFigure, column, type DataColumn, PagedList } from '../parts/data-table.tsx';
import { Panel, WithReply } from '../parts/panel.tsx';
import {
  Button,
  Money,
  NameLink,
  NameWord,
  SentenceText,
  SideWord,
  Badge,
  RawData,
} from '../parts/words.tsx';
import { t } from '../translate.ts';
import { mayOperate } from '../session.ts';
import { showExact, showCount, showTime, showLength } from '../shown.ts';
import { useReply } from '../use-reply.ts';
import { MomentButton } from './moment.tsx';
import { isAtWork, OrderPrice, OrderStateBadge, ORDER_STATE_TONES } from './orders.tsx';
import { indentedJson } from '../../../language/indented-json.ts';
import { MarketAndStrategy, useMarketAndStrategy } from '../actions/field.tsx';

/** Shows an order with its history: its intent, every step, every fill, and the replies of the exchange. */
export function OneOrderView({ name }: { readonly name: string }) {
  const reply = useReply<OrderReply>(`/orders/${encodeURIComponent(name)}`);
  return (
    <>
      <h1>
        {t('view.order')} <bdi dir="ltr">{name}</bdi>
      </h1>
      <WithReply reply={reply.value}>
        {({ orders, fills, steps, replies, intent }) => (
          <>
            {orders.map((order) => (
              <OrderFacts key={order.key} order={order} intent={intent} />
            ))}
            <Panel title={t('order.life')} note={t('order.lifeNote')}>
              <Steps steps={steps} market={orders[0]?.market ?? ''} />
            </Panel>
            <RawReplies replies={replies} />
            <Panel title={t('view.fills')}>
              <DataTable
                label="view.fills"
                columns={fillColumns(true)}
                rows={fills}
                keyOf={({ tradeId }) => tradeId}
                empty="fills.none"
              />
            </Panel>
          </>
        )}
      </WithReply>
    </>
  );
}

interface OrderFactsProps {
  readonly order: OrderReply['orders'][number];
  readonly intent: OrderReply['intent'];
}

function OrderFacts({ order, intent }: OrderFactsProps) {
  const { key, side, market, strategy, amount, filled, filledTotal, fee, venueId, reason, exit } = order;
  const why = reason === null ? intent : order;
  const names = knownMarket(market);
  const [base, quote] = [names?.base ?? '', names?.quote ?? ''];
  return (
    <Panel
      title={t('order.about', { key })}
      actions={
        <>
          <MomentButton name={key} />
          {mayOperate() && isAtWork(order) ? (
            <Button
              text="action.cancel.one"
              class="danger"
              onClick={() => askFor({ kind: 'cancel', body: { order: key } }, `${market} · ${key}`)}
            />
          ) : null}
        </>
      }
    >
      <dl class="figures">
        <NamedFigure text="column.state">
          <OrderStateBadge order={order} />
        </NamedFigure>
        <NamedFigure text="column.order">
          <SideWord side={side} /> {showExact(amount, base)} <NameLink view="market" name={market} />
        </NamedFigure>
        <NamedFigure text="column.price">
          <OrderPrice order={order} />
        </NamedFigure>
        <NamedFigure text="column.filled">
          {showExact(filled, base)} · {showExact(filledTotal, quote)}
        </NamedFigure>
        <NamedFigure text="column.fee">
          {[{ amount: fee, currency: side === 'buy' ? base : quote }, ...order.otherFees]
            .filter(({ amount: paid }) => paid !== '0' || order.otherFees.length === 0)
            .map((paid) => showExact(paid.amount, paid.currency))
            .join(' · ')}
        </NamedFigure>
        <NamedFigure text="column.strategy">
          <NameLink view="strategy" name={strategy} />
        </NamedFigure>
        <NamedFigure text="order.venueId">
          <bdi dir="ltr">{venueId ?? '–'}</bdi>
        </NamedFigure>
        {exit === null ? null : (
          <NamedFigure text="order.exit">
            <NameWord area="exit" name={exit} />
          </NamedFigure>
        )}
        {why === null || why.reason === null ? null : (
          <NamedFigure text="column.reason">
            <SentenceText text={why.reason} facts={why.reasonFacts} />
          </NamedFigure>
        )}
      </dl>
    </Panel>
  );
}

function Steps({ steps, market }: { readonly steps: readonly StepItem[]; readonly market: string }) {
  if (steps.length === 0) return <p class="empty">{t('order.noSteps')}</p>;
  return (
    <ol class="life">
      {steps.map((step, index) => (
        <StepLine key={step.seq} step={step} beforeMs={steps[index - 1]?.atMs ?? null} market={market} />
      ))}
    </ol>
  );
}

/** Shows the exchange's original replies about an order, each of which can be opened. */
function RawReplies({ replies }: { readonly replies: readonly RawReplyItem[] }) {
  return (
    <Panel title={t('order.replies')} note={t('order.repliesNote')}>
      {replies.length === 0 ? <p class="empty">{t('order.noReplies')}</p> : null}
      <ol class="life replies">
        {replies.map((reply) => (
          <RawReply key={`${reply.orderKey} ${reply.step} ${reply.problem === null}`} reply={reply} />
        ))}
      </ol>
    </Panel>
  );
}

function RawReply({ reply }: { readonly reply: RawReplyItem }) {
  const { step, atMs, endpoint, httpStatus, body, bodyLength, problem } = reply;
  const isCut = body.length < bodyLength;
  return (
    <li>
      <time class="when">{showTime(atMs, 'second')}</time>
      <span>
        <Badge tone={problem === null ? 'calm' : 'bad'}>{t(`order.replyTo.${step}`)}</Badge>{' '}
        <bdi dir="ltr">
          {endpoint} · HTTP {httpStatus}
        </bdi>
        {problem === null ? null : (
          <>
            {' '}
            <SentenceText text={problem} />
          </>
        )}
      </span>
      <RawData
        label={
          isCut
            ? t('order.replyCut', { shown: showCount(body.length), length: showCount(bodyLength) })
            : t('order.replyBody')
        }
        data={indentedJson(body)}
      />
    </li>
  );
}

interface StepLineProps {
  readonly step: StepItem;
  /** Time of the step before; null for the first. */
  readonly beforeMs: number | null;
  readonly market: string;
}

/** Shortest duration that is shown, in ms. */
const LEAST_LENGTH_MS = 1_000;

/** Shows one step of an order: its time, its text, and all its data in the journal. */
function StepLine({ step, beforeMs, market }: StepLineProps) {
  const { atMs, data } = step;
  return (
    <li>
      <span class="when">
        <time>{showTime(atMs, 'second')}</time>
        {beforeMs === null || atMs - beforeMs < LEAST_LENGTH_MS ? null : (
          <small class="note">{t('order.later', { length: showLength(atMs - beforeMs) })}</small>
        )}
      </span>
      <span>
        <StepWords step={step} market={market} />
      </span>
      <RawData label={t('order.data')} data={data} />
    </li>
  );
}

const isState = (text: unknown): text is OrderItem['state'] =>
  typeof text === 'string' && Object.hasOwn(ORDER_STATE_TONES, text);

const fieldsOf = (data: unknown): Readonly<Record<string, unknown>> =>
  typeof data === 'object' && data !== null ? (data as Readonly<Record<string, unknown>>) : {};

/** Shows the text of a step in the page's language; only the kind if the step is rare for orders. */
function StepWords({ step, market }: { readonly step: StepItem; readonly market: string }) {
  const names = knownMarket(market);
  const { kind, state, matched, amount, price, reason } = fieldsOf(step.data);
  if (step.kind === 'order' && isState(state)) {
    const isMatched = typeof matched === 'string' && matched !== '0' && state === 'open';
    return (
      <>
        <Badge tone={ORDER_STATE_TONES[state]}>{t(`orderState.${state}`)}</Badge>{' '}
        {isMatched ? t('order.matched', { amount: showExact(matched, names?.base ?? '') }) : null}
        {typeof reason === 'string' ? <SentenceText text={reason} facts={step.said['reason']} /> : null}
      </>
    );
  }
  if (step.kind === 'fill' && typeof amount === 'string' && typeof price === 'string')
    return (
      <>
        <Badge tone="good">{t('column.fill')}</Badge>{' '}
        {t('order.fillAt', {
          amount: showExact(amount, names?.base ?? ''),
          price: showExact(price, names?.quote ?? ''),
        })}
      </>
    );
  return step.kind === 'intent' ? (
    <>
      <Badge tone="calm">{t('column.intent')}</Badge>{' '}
      {typeof kind === 'string' ? <NameWord area="kind" name={kind} /> : null}
      {typeof reason === 'string' ? <SentenceText text={reason} facts={step.said['reason']} /> : null}
    </>
  ) : (
    <strong dir="ltr">{step.kind}</strong>
  );
}

export function FillsView() {
  const filter = useMarketAndStrategy();
  const [market, strategy] = [filter.market.value, filter.strategy.value];
  return (
    <>
      <header class="view-head">
        <h1>{t('view.fills')}</h1>
        <MarketAndStrategy filter={filter} />
      </header>
      <Panel title={t('view.fills')} note={t('log.note')}>
        <PagedList<FillItem>
          path="/fills"
          query={{ market, strategy }}
          label="view.fills"
          empty="fills.none"
          columns={fillColumns()}
          keyOf={({ tradeId }) => tradeId}
        />
      </Panel>
    </>
  );
}

/** Returns the columns of fills; `isOneOrder`: the page says already whose they are. */
function fillColumns(isOneOrder = false): readonly DataColumn<FillItem>[] {
  const whose: readonly DataColumn<FillItem>[] = [
    column('column.market', ({ market }) => <NameLink view="market" name={market} />),
    column('column.strategy', ({ strategy }) =>
      strategy === null ? t('fills.notOurs') : <NameLink view="strategy" name={strategy} />,
    ),
  ];
  const order: DataColumn<FillItem> = column('column.order', ({ orderKey }) =>
    orderKey === null ? '–' : <NameLink view="order" name={orderKey} />,
  );
  return [
    column('column.time', ({ atMs }) => showTime(atMs, 'second'), 'short'),
    column(
      'column.fill',
      ({ side, amount, market }) => (
        <>
          <SideWord side={side} /> {showExact(amount, knownMarket(market)?.base ?? '')}
        </>
      ),
      'short',
      'title',
    ),
    ...(isOneOrder ? [] : whose),
    column(
      'column.price',
      ({ price, market }) => showExact(price, knownMarket(market)?.quote ?? ''),
      'number',
    ),
    column(
      'column.value',
      ({ total, market }) => <Money amount={total} currency={knownMarket(market)?.quote ?? ''} />,
      'number',
    ),
    column(
      'column.fee',
      ({ fee, feeCurrency }) => <Money amount={fee} currency={feeCurrency ?? ''} />,
      'number',
    ),
    ...(isOneOrder ? [] : [order]),
  ];
}
