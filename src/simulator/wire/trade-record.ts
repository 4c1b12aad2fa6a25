import type { TradeOfOrder } from '../core/trading/trade.ts';
import type { WireForms } from './forms.ts';
import { writeDecimal } from './write-decimal.ts';
import { writeTime } from './write-time.ts';

/** A trade from its user's side. Source: interface, "Trade (user trade record)"; all of its fields are always there. */
export function tradeJson({ trade, order, total, fee }: TradeOfOrder, forms: WireForms): Record<string, unknown> {
  const { grid } = trade;
  const record: Record<string, unknown> = {
    id: trade.id,
    orderId: order.id,
    srcCurrency: order.market.baseName,
    dstCurrency: order.market.quoteName,
    market: grid.pair,
    timestamp: writeTime(trade.timeMs),
    type: order.side,
    price: writeDecimal(BigInt(trade.price) * grid.priceStep, forms),
    amount: writeDecimal(BigInt(trade.amount) * grid.amountStep, forms),
    total: writeDecimal(total, forms),
    fee: writeDecimal(fee, forms),
  };
  if (forms.unknownFields) record['isMaker'] = trade.maker === order;
  return record;
}
