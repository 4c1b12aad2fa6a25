import { formatUnits } from '../../domain/money.ts';
import { equityCurrencies, equityNow, type FigureSource } from '../../mirror/equity-now.ts';
import type { EquityState } from './health-source.ts';

/** Equity is written every five minutes: it is not worked out anew with every look. */
const HOLDS_MS = 60_000;
const BASIS_POINTS = 10_000;

/** The equity that the bot wrote last, for health. */
export class EquityWatch {
  private readonly source: FigureSource;
  private readonly steadyMs: () => number;
  private readAtMs = Number.NEGATIVE_INFINITY;
  private last: readonly EquityState[] = [];

  /** `steadyMs` is of a clock that nobody steps. */
  constructor(source: FigureSource, steadyMs: () => number = () => performance.now()) {
    this.source = source;
    this.steadyMs = steadyMs;
  }

  look(): readonly EquityState[] {
    const nowMs = this.steadyMs();
    if (nowMs - this.readAtMs < HOLDS_MS) return this.last;
    this.readAtMs = nowMs;
    this.last = equityCurrencies(this.source).flatMap((currency) => {
      const { worth, drawdownBps } = equityNow(this.source, currency);
      const drawdown = drawdownBps === null ? null : drawdownBps / BASIS_POINTS;
      return worth === null ? [] : [{ currency, value: formatUnits(worth.value), drawdown }];
    });
    return this.last;
  }
}
