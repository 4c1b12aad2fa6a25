import { equityFigure, profitFigure } from '../../domain/figure-name.ts';
import { formatUnits, parseUnits, type Units } from '../../domain/money.ts';
import { equityCurrencies, type FigureSource } from '../../mirror/equity-now.ts';
import { drawdownOf, valuesOf, withoutDeposits, type ValueAt } from '../../portfolio/value-series.ts';
import type { EquityState } from './health-source.ts';

/** Equity is written every five minutes: the mirror is not asked with every look. */
const HOLDS_MS = 60_000;
const BASIS_POINTS = 10_000;

/** Values read for a currency. */
interface Followed {
  /** Null while it has no value, as in a break. */
  worth: Units | null;
  worthAtMs: number;
  /** Highest and last profit value; null before any. */
  highest: ValueAt | null;
  last: ValueAt | null;
}

/**
 * The equity that the bot wrote last, for health. A mirror of a year has ten thousand values, which take tens
 * of ms to read: so all of them are read once, with the first look, and then only what is new.
 */
export class EquityWatch {
  private readonly source: FigureSource;
  private readonly steadyMs: () => number;
  /** As many as the strategies have quote currencies. */
  private readonly followed = new Map<string, Followed>();
  private readAtMs = Number.NEGATIVE_INFINITY;
  private seen: readonly EquityState[] = [];

  /** `steadyMs` is of a clock that nobody steps. */
  constructor(source: FigureSource, steadyMs: () => number = () => performance.now()) {
    this.source = source;
    this.steadyMs = steadyMs;
  }

  look(): readonly EquityState[] {
    const nowMs = this.steadyMs();
    if (nowMs - this.readAtMs < HOLDS_MS) return this.seen;
    this.readAtMs = nowMs;
    this.seen = this.read();
    return this.seen;
  }

  private read(): readonly EquityState[] {
    return equityCurrencies(this.source).flatMap((currency) => {
      const followed = this.follow(currency);
      const { worth } = followed;
      return worth === null
        ? []
        : [{ currency, value: formatUnits(worth), drawdown: drawdownIn(followed, worth) }];
    });
  }

  /** Takes in what was written since the last reading. */
  private follow(currency: string): Followed {
    const known = this.followed.get(currency) ?? { worth: null, worthAtMs: -1, highest: null, last: null };
    this.followed.set(currency, known);
    const worth = this.after(equityFigure(currency), known.worthAtMs).at(-1);
    if (worth !== undefined) {
      known.worth = worth.value === null ? null : parseUnits(worth.value);
      known.worthAtMs = worth.atMs;
    }
    for (const made of valuesOf(this.after(profitFigure(null, currency), known.last?.atMs ?? -1))) {
      if (known.highest === null || made.value > known.highest.value) known.highest = made;
      known.last = made;
    }
    return known;
  }

  private after(name: string, atMs: number): ReturnType<FigureSource['figures']> {
    const most = Number.MAX_SAFE_INTEGER;
    return this.source.figures(name, { fromMs: atMs + 1, toMs: Number.MAX_SAFE_INTEGER, most });
  }
}

function drawdownIn({ highest, last }: Followed, worth: Units): number | null {
  if (highest === null || last === null) return null;
  const bps = drawdownOf(withoutDeposits([highest, last], worth))?.now.depthBps ?? null;
  return bps === null ? null : bps / BASIS_POINTS;
}
