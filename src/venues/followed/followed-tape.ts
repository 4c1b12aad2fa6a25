import type { DecimalText } from '../../domain/decimal-text.ts';
import { present } from '../../domain/invariant.ts';
import type { Side } from '../../domain/order.ts';
import type { PublicTrade } from '../../domain/trade.ts';
import { knownTime, type TradeColumns } from '../../recording/record-columns.ts';

/** Public trades kept: as many as a reply shows, and some. */
const TRADES_KEPT = 200;

/**
 * The newest public trades of a market, in a ring of columns: millions pass, and few are ever looked at. The
 * oldest give way.
 */
export class FollowedTape {
  private readonly timeMs = new Float64Array(TRADES_KEPT);
  private readonly price: DecimalText[] = [];
  private readonly amount: DecimalText[] = [];
  private readonly side: Side[] = [];
  /** Place of the next trade. */
  private place = 0;

  push(trades: TradeColumns, row: number): void {
    const { place } = this;
    const timeMs = knownTime(trades.timeMs[row] ?? Number.NaN) ?? trades.seenMs[row];
    this.timeMs[place] = present(timeMs, 'the time of a trade');
    this.price[place] = present(trades.price[row], 'the price of a trade');
    this.amount[place] = present(trades.amount[row], 'the amount of a trade');
    this.side[place] = present(trades.side[row], 'the side of a trade');
    this.place = (place + 1) % TRADES_KEPT;
  }

  /** The newest first, at most `count`. */
  newest(count: number): readonly PublicTrade[] {
    const kept = this.side.length;
    return Array.from({ length: Math.min(count, kept) }, (_, index) =>
      this.at((this.place - 1 - index + TRADES_KEPT) % TRADES_KEPT),
    );
  }

  private at(place: number): PublicTrade {
    return {
      timeMs: present(this.timeMs[place], 'the time of a kept trade'),
      price: present(this.price[place], 'the price of a kept trade'),
      amount: present(this.amount[place], 'the amount of a kept trade'),
      side: present(this.side[place], 'the side of a kept trade'),
    };
  }
}
