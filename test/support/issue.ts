import type { StrategyContext } from '../../src/strategy/context.ts';
import type { Intent } from '../../src/strategy/intents.ts';

/** Issues prepared intents through `ctx`, as the author of a strategy would. */
export function issue(
  ctx: Pick<StrategyContext, 'markets' | 'cancel' | 'cancelAll' | 'replace' | 'targets' | 'transfer'>,
  intents: readonly Intent[],
): void {
  for (const intent of intents) issueOne(ctx, intent);
}

function issueOne(ctx: Parameters<typeof issue>[0], intent: Intent): void {
  switch (intent.kind) {
    case 'place': {
      const { kind: _, market, side, ...request } = intent;
      return ctx.markets.of(market)[side](request);
    }
    case 'oco': {
      const { kind: _, market, side, ...request } = intent;
      return ctx.markets.of(market).oco(side, request);
    }
    case 'twap': {
      const { kind: _, market, side, ...request } = intent;
      return ctx.markets.of(market).twap(side, request);
    }
    case 'vwap': {
      const { kind: _, market, side, ...request } = intent;
      return ctx.markets.of(market).vwap(side, request);
    }
    case 'ladder': {
      const { kind: _, market, side, ...request } = intent;
      return ctx.markets.of(market).ladder(side, request);
    }
    case 'peg': {
      const { kind: _, market, side, ...request } = intent;
      return ctx.markets.of(market).peg(side, request);
    }
    case 'dca': {
      const { kind: _, market, ...request } = intent;
      return ctx.markets.of(market).dca(request);
    }
    case 'iceberg': {
      const { kind: _, market, side, ...request } = intent;
      return ctx.markets.of(market).iceberg(side, request);
    }
    case 'target': {
      const { kind: _, market, ...request } = intent;
      return ctx.markets.of(market).target(request);
    }
    case 'bracket': {
      const { kind: _, market, ...request } = intent;
      return ctx.markets.of(market).bracket(request);
    }
    case 'exit': {
      const { kind: _, market, ...request } = intent;
      return ctx.markets.of(market).exit(request);
    }
    case 'protect': {
      const { kind: _, market, ...request } = intent;
      return ctx.markets.of(market).protect(request);
    }
    case 'transfer': {
      const { kind: _, ...request } = intent;
      return ctx.transfer(request);
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
