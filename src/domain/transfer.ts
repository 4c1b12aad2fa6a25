/** The two wallets of a currency. */
export type WalletSide = 'spot' | 'margin';

export function otherSide(side: WalletSide): WalletSide {
  return side === 'spot' ? 'margin' : 'spot';
}
