import type { OrderItem } from '../schema/order.ts';

export const ORDER_STATE_TONES: Readonly<Record<OrderItem['state'], 'good' | 'bad' | 'warn' | 'calm'>> = {
  planned: 'calm',
  sending: 'calm',
  unknown: 'bad',
  open: 'warn',
  cancelling: 'calm',
  settling: 'calm',
  filled: 'good',
  cancelled: 'calm',
  rejected: 'bad',
};
