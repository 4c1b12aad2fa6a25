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

/** Intents as a strategy's context notes them, for tests without one. */
export function buy(market: string, wish: OrderWish): Intent {
  return { kind: 'place', market, side: 'buy', ...wish };
}

export function sell(market: string, wish: OrderWish): Intent {
  return { kind: 'place', market, side: 'sell', ...wish };
}

export function oco(market: string, side: Side, wish: OcoWish): Intent {
  return { kind: 'oco', market, side, ...wish };
}

export function cancel(clientOrderId: string): Intent {
  return { kind: 'cancel', clientOrderId };
}

export function cancelAll(market?: string): Intent {
  return market === undefined ? { kind: 'cancel-all' } : { kind: 'cancel-all', market };
}

export function replace(clientOrderId: string, change: Change): Intent {
  return { kind: 'replace', clientOrderId, ...change };
}

export function target(market: string, wish: TargetWish): Intent {
  return { kind: 'target', market, ...wish };
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

export function twap(market: string, side: Side, wish: TwapWish): Intent {
  return { kind: 'twap', market, side, ...wish };
}

export function iceberg(market: string, side: Side, wish: IcebergWish): Intent {
  return { kind: 'iceberg', market, side, ...wish };
}

export function bracket(market: string, wish: BracketWish): Intent {
  return { kind: 'bracket', market, ...wish };
}

export function exit(market: string, wish: LeaveWish = {}): Intent {
  return { kind: 'exit', market, ...wish };
}

export function protect(market: string, wish: ProtectWish): Intent {
  return { kind: 'protect', market, ...wish };
}
