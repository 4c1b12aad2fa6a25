import type { BodyCase } from './body-case.ts';
import { GATEWAY_BODIES } from './gateway.ts';
import { MARGIN_BODIES } from './margin.ts';
import {
  BOOK_BODIES,
  DATE_BODIES,
  GLOBAL_STATS_BODIES,
  HISTORY_BODIES,
  STATS_BODIES,
  TAPE_BODIES,
} from './market-data.ts';
import { OPTIONS_BODIES } from './options.ts';
import {
  CANCEL_OLD_BODIES,
  ORDERS_LIST_BODIES,
  TRADES_LIST_BODIES,
  UPDATE_ORDER_BODIES,
} from './spot-lists.ts';
import { ADD_ORDER_BODIES, ORDER_STATUS_BODIES } from './spot-orders.ts';
import { PROFILE_BODIES, USER_BODIES } from './user.ts';
import { DEPOSIT_BODIES, WALLET_BODIES } from './wallets.ts';
import { WITHDRAWAL_BODIES } from './withdrawals.ts';

/** Every endpoint's replies, in every form. */
export const ALL_BODIES: readonly BodyCase[] = [
  ...BOOK_BODIES,
  ...TAPE_BODIES,
  ...DATE_BODIES,
  ...STATS_BODIES,
  ...HISTORY_BODIES,
  ...GLOBAL_STATS_BODIES,
  ...OPTIONS_BODIES,
  ...USER_BODIES,
  ...PROFILE_BODIES,
  ...WALLET_BODIES,
  ...DEPOSIT_BODIES,
  ...ADD_ORDER_BODIES,
  ...ORDER_STATUS_BODIES,
  ...ORDERS_LIST_BODIES,
  ...UPDATE_ORDER_BODIES,
  ...CANCEL_OLD_BODIES,
  ...TRADES_LIST_BODIES,
  ...MARGIN_BODIES,
  ...WITHDRAWAL_BODIES,
  ...GATEWAY_BODIES,
];
