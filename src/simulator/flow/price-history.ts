import type { SimulatedBar } from '../core/market/candle-series.ts';
import type { Chance } from './chance.ts';
import { FairPrice } from './fair-price.ts';

const MINUTE_MS = 60_000;
/** Looks at the price a minute: open, two between, close. */
const LOOKS = 4;

/**
 * Minute bars of a market's past, in steps: a path of the fair price that ends at `lastPrice` in the minute
 * before `endMs`. Volumes are made up around `typicalAmount` and rise with the range of the bar.
 */
export function priceHistory(of: {
  readonly fair: FairPrice;
  readonly chance: Chance;
  readonly endMs: number;
  readonly minutes: number;
  readonly lastPrice: number;
  readonly typicalAmount: number;
}): readonly SimulatedBar[] {
  const { fair, chance, minutes, lastPrice, typicalAmount } = of;
  const firstMs = Math.floor(of.endMs / MINUTE_MS) * MINUTE_MS - minutes * MINUTE_MS;
  const path: number[] = [];
  for (let look = 0; look < minutes * LOOKS; look += 1) {
    fair.moveTo(firstMs + (look * MINUTE_MS) / LOOKS);
    path.push(fair.price);
  }
  const scale = lastPrice / (path[path.length - 1] ?? lastPrice);
  const steps = path.map((price) => Math.max(1, Math.round(price * scale)));
  return Array.from({ length: minutes }, (_, minute) => {
    const last = (minute + 1) * LOOKS - 1;
    const open = steps[Math.max(0, last - LOOKS)] ?? lastPrice;
    const close = steps[last] ?? lastPrice;
    let [high, low] = [open, open];
    for (let look = minute * LOOKS; look <= last; look += 1) {
      const price = steps[look] ?? lastPrice;
      if (price > high) high = price;
      if (price < low) low = price;
    }
    const unrest = 1 + (2_000 * (high - low)) / close;
    const volume = Math.max(1, Math.round(typicalAmount * unrest * Math.exp(0.6 * chance.normal())));
    return {
      openTimeMs: firstMs + minute * MINUTE_MS,
      open,
      high,
      low,
      close,
      volume,
      value: BigInt(volume) * BigInt(close),
    };
  });
}
