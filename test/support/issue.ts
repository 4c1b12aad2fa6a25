import type { StrategyContext } from '../../src/strategy/context.ts';
import type { Intent } from '../../src/strategy/intents.ts';

/** Has a handler want intents that a test wrote beforehand, as its author would by `ctx`. */
export function issue(
  ctx: Pick<StrategyContext, 'markets' | 'cancel' | 'cancelAll' | 'replace' | 'targets' | 'transfer'>,
  intents: readonly Intent[],
): void {
  for (const intent of intents) issueOne(ctx, intent);
}

function issueOne(ctx: Parameters<typeof issue>[0], intent: Intent): void {
  switch (intent.kind) {
    case 'place': {
      const { kind: _, market, side, ...wish } = intent;
      return ctx.markets.of(market)[side](wish);
    }
    case 'oco': {
      const { kind: _, market, side, ...wish } = intent;
      return ctx.markets.of(market).oco(side, wish);
    }
    case 'twap': {
      const { kind: _, market, side, ...wish } = intent;
      return ctx.markets.of(market).twap(side, wish);
    }
    case 'vwap': {
      const { kind: _, market, side, ...wish } = intent;
      return ctx.markets.of(market).vwap(side, wish);
    }
    case 'ladder': {
      const { kind: _, market, side, ...wish } = intent;
      return ctx.markets.of(market).ladder(side, wish);
    }
    case 'peg': {
      const { kind: _, market, side, ...wish } = intent;
      return ctx.markets.of(market).peg(side, wish);
    }
    case 'dca': {
      const { kind: _, market, ...wish } = intent;
      return ctx.markets.of(market).dca(wish);
    }
    case 'iceberg': {
      const { kind: _, market, side, ...wish } = intent;
      return ctx.markets.of(market).iceberg(side, wish);
    }
    case 'target': {
      const { kind: _, market, ...wish } = intent;
      return ctx.markets.of(market).target(wish);
    }
    case 'bracket': {
      const { kind: _, market, ...wish } = intent;
      return ctx.markets.of(market).bracket(wish);
    }
    case 'exit': {
      const { kind: _, market, ...wish } = intent;
      return ctx.markets.of(market).exit(wish);
    }
    case 'protect': {
      const { kind: _, market, ...wish } = intent;
      return ctx.markets.of(market).protect(wish);
    }
    case 'transfer': {
      const { kind: _, ...wish } = intent;
      return ctx.transfer(wish);
    }
    case 'targets': {
      const { kind: _, market: _first, shares, ...options } = intent;
      return ctx.targets(shares, options);
    }
    case 'quotes':
      return ctx.markets.of(intent.market).quotes(intent.quotes);
    case 'cancel':
      return ctx.cancel(intent.clientOrderId);
    case 'cancel-all':
      return ctx.cancelAll(intent.market);
    case 'replace': {
      const { kind: _, clientOrderId, ...change } = intent;
      return ctx.replace(clientOrderId, change);
    }
  }
}
