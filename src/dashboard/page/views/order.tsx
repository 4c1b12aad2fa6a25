import { askFor } from '../actions/action.ts';
import type { OrderItem, OrderReply, StepItem } from '../../schema/order.ts';
import { knownMarket } from '../markets.ts';
import { DataTable, Figure } from '../parts/data-table.tsx';
import { Panel, WithReply } from '../parts/panel.tsx';
import { Button, NameLink, NameWord, Said, SideWord } from '../parts/words.tsx';
import { say } from '../say.ts';
import { mayOperate } from '../session.ts';
import { showExact } from '../shown.ts';
import { useReply } from '../use-reply.ts';
import { fillColumns } from './fills.tsx';
import { isAtWork, OrderPrice, OrderStateBadge } from './orders-table.tsx';
import { RawReplies } from './raw-replies.tsx';
import { StepLine } from './step-line.tsx';

/** An order with its whole life: what was wanted, every step, every fill, and the replies of the exchange. */
export function OneOrderView({ name }: { readonly name: string }) {
  const reply = useReply<OrderReply>(`/orders/${encodeURIComponent(name)}`);
  return (
    <>
      <h1>
        {say('view.order')} <bdi dir="ltr">{name}</bdi>
      </h1>
      <WithReply reply={reply.value}>
        {({ orders, fills, steps, replies, intent }) => (
          <>
            {orders.map((order) => (
              <OrderFacts key={order.key} order={order} intent={intent} />
            ))}
            <Panel title={say('order.life')} note={say('order.lifeNote')}>
              <Steps steps={steps} market={orders[0]?.market ?? ''} />
            </Panel>
            <RawReplies replies={replies} />
            <Panel title={say('fills.title')}>
              <DataTable
                label={say('fills.title')}
                columns={fillColumns()}
                rows={fills}
                keyOf={({ tradeId }) => tradeId}
                empty={say('fills.none')}
              />
            </Panel>
          </>
        )}
      </WithReply>
    </>
  );
}

function OrderFacts({ order, intent }: { readonly order: OrderItem; readonly intent: OrderReply['intent'] }) {
  const { key, side, market, strategy, amount, filled, filledTotal, fee, venueId, reason, exit } = order;
  const why = reason === null ? intent : order;
  const names = knownMarket(market);
  const [base, quote] = [names?.base ?? '', names?.quote ?? ''];
  return (
    <Panel
      title={say('order.about', { key })}
      actions={
        mayOperate() && isAtWork(order) ? (
          <Button
            says="action.cancel.one"
            class="danger"
            onClick={() => askFor({ kind: 'cancel', body: { order: key } }, `${market} · ${key}`)}
          />
        ) : undefined
      }
    >
      <dl class="figures">
        <Figure says="column.state">
          <OrderStateBadge order={order} />
        </Figure>
        <Figure says="column.order">
          <SideWord side={side} /> {showExact(amount, base)} <NameLink view="market" name={market} />
        </Figure>
        <Figure says="column.price">
          <OrderPrice order={order} />
        </Figure>
        <Figure says="column.filled">
          {showExact(filled, base)} · {showExact(filledTotal, quote)}
        </Figure>
        <Figure says="column.fee">{showExact(fee, side === 'buy' ? base : quote)}</Figure>
        <Figure says="column.strategy">
          <NameLink view="strategy" name={strategy} />
        </Figure>
        <Figure says="order.venueId">
          <bdi dir="ltr">{venueId ?? '–'}</bdi>
        </Figure>
        {exit === null ? null : (
          <Figure says="order.exit">
            <NameWord area="exit" name={exit} />
          </Figure>
        )}
        {why === null || why.reason === null ? null : (
          <Figure says="column.reason">
            <Said text={why.reason} facts={why.reasonFacts} />
          </Figure>
        )}
      </dl>
    </Panel>
  );
}

function Steps({ steps, market }: { readonly steps: readonly StepItem[]; readonly market: string }) {
  if (steps.length === 0) return <p class="empty">{say('order.noSteps')}</p>;
  return (
    <ol class="life">
      {steps.map((step, index) => (
        <StepLine key={step.seq} step={step} beforeMs={steps[index - 1]?.atMs ?? null} market={market} />
      ))}
    </ol>
  );
}
