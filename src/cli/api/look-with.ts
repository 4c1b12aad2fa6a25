import type { EndpointName } from '../../exchange/endpoints/index.ts';
import type { CallRequest } from './read-fields.ts';

const text = (value: unknown): string | null =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : null;

/** Which order a request is about, as the call that reads it takes it. */
function orderField(request: CallRequest): string {
  const id = text(request['order']);
  if (id !== null) return `id=${id}`;
  const name = text(request['clientOrderId']);
  return name === null ? 'id=…' : `clientOrderId=${name}`;
}

/** The call that shows whether one that changes something took effect. Every call that is no read has one. */
export const LOOK_WITH: Readonly<Partial<Record<EndpointName, (request: CallRequest) => string>>> = {
  login: () => 'login-attempts',
  generateAddress: () => 'wallets-list',
  addCard: () => 'profile',
  addAccount: () => 'profile',
  addFavoriteMarkets: () => 'favorite-markets',
  removeFavoriteMarkets: () => 'favorite-markets',
  addOrder: (request) => `order-status ${orderField(request)}`,
  updateOrderStatus: (request) => `order-status ${orderField(request)}`,
  cancelOldOrders: () => 'orders-list status=open details=2',
  transfer: () => 'wallets type=margin',
  createWithdrawal: () => 'withdrawals',
  cancelWithdrawal: (request) => `withdrawal id=${text(request['id']) ?? '…'}`,
  gatewaySend: () => 'gateway-send … (an invoice that nobody pays costs nothing)',
  gatewayVerify: (request) => `gateway-verify api=env:NAME token=${text(request['token']) ?? '…'}`,
};
