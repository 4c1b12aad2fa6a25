import type { Side } from '../../src/domain/order.ts';
import type {
  BracketWish,
  Change,
  DecimalInput,
  IcebergWish,
  Intent,
  LeaveWish,
  OcoWish,
  OrderWish,
  ProtectWish,
  Quote,
  TargetWish,
  TargetsOptions,
  TwapWish,
} from '../../src/strategy/intents.ts';

/** Makes intents in the form that a strategy's context notes them, for tests without a context. */
export function buy(market: string, request: OrderWish): Intent {
  return { kind: 'place', market, side: 'buy', ...request };
}

export function sell(market: string, request: OrderWish): Intent {
  return { kind: 'place', market, side: 'sell', ...request };
}

export function oco(market: string, side: Side, request: OcoWish): Intent {
  return { kind: 'oco', market, side, ...request };
}

export function cancel(clientOrderId: string): Intent {
  return { kind: 'cancel', clientOrderId };
}

export const cancelAll = (market?: string): Intent =>
  market === undefined ? { kind: 'cancel-all' } : { kind: 'cancel-all', market };

export function replace(clientOrderId: string, change: Change): Intent {
  return { kind: 'replace', clientOrderId, ...change };
}

export function target(market: string, request: TargetWish): Intent {
  return { kind: 'target', market, ...request };
}

export function targets(
  market: string,
  shares: Readonly<Record<string, DecimalInput>>,
  options: TargetsOptions = {},
): Intent {
  return { kind: 'targets', market, shares, ...options };
}

export function quotes(market: string, wanted: readonly Quote[]): Intent {
  return { kind: 'quotes', market, quotes: wanted };
}

export function twap(market: string, side: Side, request: TwapWish): Intent {
  return { kind: 'twap', market, side, ...request };
}

export function iceberg(market: string, side: Side, request: IcebergWish): Intent {
  return { kind: 'iceberg', market, side, ...request };
}

export function bracket(market: string, request: BracketWish): Intent {
  return { kind: 'bracket', market, ...request };
}

export function exit(market: string, request: LeaveWish = {}): Intent {
  return { kind: 'exit', market, ...request };
}

export function protect(market: string, request: ProtectWish): Intent {
  return { kind: 'protect', market, ...request };
}
