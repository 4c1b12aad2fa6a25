import type { WireHandlers } from './handler.ts';
import { gatewayHandlers } from './handlers/gateway.ts';
import { marginHandlers } from './handlers/margin.ts';
import { marketDataHandlers } from './handlers/market-data.ts';
import { rialWithdrawalHandlers } from './handlers/rial-withdrawal.ts';
import { sessionHandlers } from './handlers/session.ts';
import { spotHandlers } from './handlers/spot.ts';
import { userHandlers } from './handlers/user.ts';
import { walletHandlers } from './handlers/wallets.ts';

/** Handler of each endpoint of the interface; the compiler checks that none is missing. */
export const ALL_HANDLERS: WireHandlers = {
  ...marketDataHandlers,
  ...sessionHandlers,
  ...userHandlers,
  ...walletHandlers,
  ...spotHandlers,
  ...marginHandlers,
  ...rialWithdrawalHandlers,
  ...gatewayHandlers,
};
