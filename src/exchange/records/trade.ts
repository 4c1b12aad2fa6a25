import { z } from 'zod';
import type { PublicTrade, VenueTrade } from '../../domain/trade.ts';
import { decimal, integer, integerOrNull, marketOrNull, side, timeMs } from '../reply-types.ts';

/** The user trade record ("Resources: Trade"). */
export const tradeRecord = z
  .object({
    id: integer,
    orderId: integerOrNull,
    market: marketOrNull,
    timestamp: timeMs,
    type: side,
    price: decimal,
    amount: decimal,
    total: decimal,
    fee: decimal,
  })
  .transform((wire): VenueTrade => ({
    id: wire.id,
    orderId: wire.orderId,
    market: wire.market,
    timeMs: wire.timestamp,
    side: wire.type,
    price: wire.price,
    amount: wire.amount,
    total: wire.total,
    fee: wire.fee,
  }));

/** A trade of the public tape ("Public market data"). */
export const publicTradeRecord = z
  .object({ time: timeMs, price: decimal, volume: decimal, type: side })
  .transform((wire): PublicTrade => ({ timeMs: wire.time, price: wire.price, amount: wire.volume, side: wire.type }));
