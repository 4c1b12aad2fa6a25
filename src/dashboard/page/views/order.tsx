import { askFor } from '../actions/action.ts';
import type { OrderItem, OrderReply, StepItem } from '../../schema/order.ts';
import { knownMarket } from '../markets.ts';
import { DataTable } from '../parts/data-table.tsx';
import { Panel, WithReply } from '../parts/panel.tsx';
import { NameLink, NameWord, Said, SideWord } from '../parts/words.tsx';
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

interface OrderFactsProps {
  readonly order: OrderItem;
  readonly intent: OrderReply['intent'];
}

function OrderFacts({ order, intent }: OrderFactsProps) {
  const { key, side, market, strategy, amount, filled, filledTotal, fee, venueId, reason, exit } = order;
  const why = reason === null ? intent : order;
  const names = knownMarket(market);
  const [base, quote] = [names?.base ?? '', names?.quote ?? ''];
  return (
    <Panel
      title={say('order.about', { key })}
      actions={
        mayOperate() && isAtWork(order) ? (
          <button
            type="button"
            class="danger"
            onClick={() => askFor({ kind: 'cancel', body: { order: key } }, `${market} · ${key}`)}
          >
            {say('action.cancel.one')}
          </button>
        ) : undefined
      }
    >
      <dl class="figures">
        <div>
          <dt>{say('column.state')}</dt>
          <dd>
            <OrderStateBadge order={order} />
          </dd>
        </div>
        <div>
          <dt>{say('column.order')}</dt>
          <dd>
            <SideWord side={side} /> {showExact(amount, base)} <NameLink view="market" name={market} />
          </dd>
        </div>
        <div>
          <dt>{say('column.price')}</dt>
          <dd>
            <OrderPrice order={order} />
          </dd>
        </div>
        <div>
          <dt>{say('column.filled')}</dt>
          <dd>
            {showExact(filled, base)} · {showExact(filledTotal, quote)}
          </dd>
        </div>
        <div>
          <dt>{say('column.fee')}</dt>
          <dd>{showExact(fee, side === 'buy' ? base : quote)}</dd>
        </div>
        <div>
          <dt>{say('column.strategy')}</dt>
          <dd>
            <NameLink view="strategy" name={strategy} />
          </dd>
        </div>
        <div>
          <dt>{say('order.venueId')}</dt>
          <dd>
            <bdi dir="ltr">{venueId ?? '–'}</bdi>
          </dd>
        </div>
        {exit === null ? null : (
          <div>
            <dt>{say('order.exit')}</dt>
            <dd>
              <NameWord area="exit" name={exit} />
            </dd>
          </div>
        )}
        {why === null || why.reason === null ? null : (
          <div>
            <dt>{say('column.reason')}</dt>
            <dd>
              <Said text={why.reason} facts={why.reasonFacts} />
            </dd>
          </div>
        )}
      </dl>
    </Panel>
  );
}

interface StepsProps {
  readonly steps: readonly StepItem[];
  readonly market: string;
}

function Steps({ steps, market }: StepsProps) {
  if (steps.length === 0) return <p class="empty">{say('order.noSteps')}</p>;
  return (
    <ol class="life">
      {steps.map((step, index) => (
        <StepLine key={step.seq} step={step} beforeMs={steps[index - 1]?.atMs ?? null} market={market} />
      ))}
    </ol>
  );
}
