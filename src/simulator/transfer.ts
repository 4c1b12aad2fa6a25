import type { Accounts } from './accounts.ts';
import type { UserId, Wallet, WalletKind } from './wallet.ts';
import { accept, refuse, type Result } from './result.ts';

interface TransferRequest {
  readonly userId: UserId;
  /** Lower case. */
  readonly currency: string;
  readonly units: bigint;
  readonly src: WalletKind;
  readonly dst: WalletKind;
  readonly timeMs: number;
}

interface Transferred {
  readonly srcWallet: Wallet;
  readonly dstWallet: Wallet;
}

/**
 * Moves money between a user's spot and margin wallets. The margin wallet of rial and tether comes to be with
 * the first transfer. Refused with the codes of the interface, "Wallet transfer codes", in this order:
 * `SameDestination`, `InvalidAmount`, `WalletNotFound`, `InsufficientBalance`.
 */
export function transferFunds(accounts: Accounts, request: TransferRequest): Result<Transferred> {
  const { userId, currency, units, src, dst } = request;
  if (src === dst) return refuse('SameDestination', 'Source and destination are the same wallet');
  if (units <= 0n) return refuse('InvalidAmount', 'Expected a positive amount');
  const isTransferable = currency === 'rls' || currency === 'usdt';
  if (!isTransferable && accounts.find(userId, currency, 'margin') === undefined) {
    return refuse('WalletNotFound', `No margin wallet of ${currency}`);
  }
  const srcWallet = accounts.find(userId, currency, src);
  if (srcWallet === undefined || srcWallet.free < units) {
    return refuse('InsufficientBalance', 'The free balance of the source wallet is too small');
  }
  const dstWallet = accounts.ensure(userId, currency, dst);
  accounts.move(srcWallet, dstWallet, {
    units,
    description: `Transfer ${src} to ${dst}`,
    timeMs: request.timeMs,
  });
  return accept({ srcWallet, dstWallet });
}
