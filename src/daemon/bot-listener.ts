import type { OwnFill, OwnOrder } from '../execution/own-order.ts';

/** Told of what happens, for the screen or a log. */
export interface BotListener {
  onOrder(order: OwnOrder, nowMs: number): void;
  onFill(fill: OwnFill): void;
  /** Something a person may want to know: a wish that can not be an order, a strategy that was stopped. */
  onNotice(message: string, nowMs: number): void;
}
