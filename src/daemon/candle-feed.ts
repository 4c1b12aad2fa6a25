import type { Candle, Resolution } from '../domain/candle.ts';
import { resolutionMs } from '../domain/candle.ts';
import type { Market } from '../domain/market.ts';
import type { ExchangeClient } from '../exchange/client.ts';
import type { Mirror } from '../mirror/mirror.ts';
import type { ClosedCandle } from '../strategy/definition.ts';
import { SPANS, type Span, type Subscription } from '../strategy/subscriptions.ts';
import type { Clock } from './clock.ts';
import type { RateGate } from './rate-gate.ts';

/** After a bar closes, its last trades take a moment to show. */
const CANDLE_DELAY_MS = 1_000;

/** Candles that one look asks for, so that a few missed looks lose nothing. */
const CANDLES_A_LOOK = 20;

/** The most candles that the exchange gives at once. */
const MAX_CANDLES = 500;

export interface CandleFeedOptions {
  readonly client: ExchangeClient;
  readonly gate: RateGate;
  readonly clock: Clock;
  readonly mirror: Mirror;
}

/** The candles of one market at one length: closed ones only, in order, each once. */
export class CandleFeed {
  readonly market: Market;
  readonly span: Span;
  readonly resolution: Resolution;
  private readonly options: CandleFeedOptions;
  private lastOpenMs = Number.NEGATIVE_INFINITY;

  constructor(market: Market, span: Span, options: CandleFeedOptions) {
    this.market = market;
    this.span = span;
    this.resolution = SPANS[span];
    this.options = options;
  }

  /** Whether a strategy that subscribed to this wants these candles. */
  isMeantBy(subscription: Subscription): boolean {
    return (
      subscription.kind === 'candles' && subscription.market === this.market.symbol && subscription.span === this.span
    );
  }

  /** When to look for the bar that closes next. */
  nextMs(nowMs: number): number {
    const lengthMs = resolutionMs(this.resolution);
    return (Math.floor(nowMs / lengthMs) + 1) * lengthMs + CANDLE_DELAY_MS;
  }

  /** The candles that have closed since the last look. */
  async look(count = CANDLES_A_LOOK): Promise<readonly ClosedCandle[]> {
    const { clock, mirror } = this.options;
    const candles = await this.history(Math.min(count, MAX_CANDLES));
    const closedByMs = clock.now() - resolutionMs(this.resolution);
    const closed = candles.filter(({ openTimeMs }) => openTimeMs > this.lastOpenMs && openTimeMs <= closedByMs);
    mirror.write(() => {
      for (const candle of closed) mirror.market.saveCandle(this.market.symbol, this.resolution, candle);
    });
    this.lastOpenMs = closed.at(-1)?.openTimeMs ?? this.lastOpenMs;
    return closed.map((candle) => ({
      ...candle,
      market: this.market.symbol,
      span: this.span,
      seenAtMs: clock.now(),
      missedBefore: 0,
    }));
  }

  private async history(countback: number): Promise<readonly Candle[]> {
    const { client, gate, clock } = this.options;
    const request = {
      symbol: this.market.symbol,
      resolution: this.resolution,
      to: Math.floor(clock.now() / 1_000),
      countback,
    };
    const gated = await gate.tryTo('history', 'poll', () => client.history(request));
    return gated.sent && gated.value.ok ? gated.value.value : [];
  }
}
