import { EnginePart } from '../engine-settings.ts';
import { formatUnits, type Units } from '../../domain/money.ts';
import { sentence, english } from '../../language/sentence.ts';
import { onlyReduces } from '../live-exposure.ts';
import type { RiskLimits, ValueLimit } from '../risk-limits.ts';
import { quoteText, type Objection, type PnlView, type RiskCheck, type RiskView } from './risk-view.ts';
import { durationText } from '../../domain/time-text.ts';
import type { MarketDataCache } from '../feeds/market-data-cache.ts';
import type { Outbox } from '../outbox.ts';
import type { StrategyInstance } from '../strategy-instance.ts';
import { restored, type StoredTexts, type StoredValue } from '../stored-records.ts';

/** Input of the limits on losses: the results of a strategy, without an order. */
type LossView = Pick<RiskView, 'results' | 'marketNames'>;

/**
 * Checks the loss since 00:00 UTC in all markets of the strategy, realised and unrealised, each asset valued
 * once in the limit's currency. A limit counts for every strategy that has a market in its currency. Beyond
 * it only orders that reduce the position are allowed, until the next day.
 */
export const checkDailyLoss: RiskCheck = (view, limits) => unlessReduced(view, dailyLossOf(view, limits));

/**
 * Checks the fall of the strategy's result from its highest value, in all its markets, each asset valued once
 * in the limit's currency. Beyond the limit only orders that reduce the position are allowed, until the
 * result recovers or an operator raises the limit.
 */
export const checkDrawdown: RiskCheck = (view, limits) => unlessReduced(view, drawdownOf(view, limits));

/** Returns the loss limit that allows no new risk, with the name of its check; null if none is exceeded. */
function lossObjection(view: LossView, limits: RiskLimits): (Objection & { readonly check: string }) | null {
  const ofDay = dailyLossOf(view, limits);
  if (ofDay !== null) return { check: 'daily-loss', ...ofDay };
  const fall = drawdownOf(view, limits);
  return fall === null ? null : { check: 'drawdown', ...fall };
}

function unlessReduced(view: RiskView, objection: Objection | null): Objection | null {
  return objection === null || onlyReduces(view) ? null : objection;
}

function dailyLossOf(view: LossView, { maxDailyLoss }: RiskLimits): Objection | null {
  return objectionToLoss(view, maxDailyLoss, {
    lossOf: ({ dayResult }) => 0n - dayResult,
    objection: ({ quote }, loss, limit) => ({
      reason: sentence('risk-daily-loss', { loss: quoteText(loss, quote), limit: quoteText(limit, quote) }),
      numbers: { loss: formatUnits(loss), limit: formatUnits(limit) },
    }),
  });
}

function drawdownOf(view: LossView, { maxDrawdown }: RiskLimits): Objection | null {
  return objectionToLoss(view, maxDrawdown, {
    lossOf: ({ peakResult, result }) => peakResult - result,
    objection: ({ quote, peakResult, result }, drawdown, limit) => ({
      reason: sentence('risk-drawdown', {
        fall: quoteText(drawdown, quote),
        peak: quoteText(peakResult, quote),
        limit: quoteText(limit, quote),
      }),
      numbers: {
        peak: formatUnits(peakResult),
        result: formatUnits(result),
        drawdown: formatUnits(drawdown),
        limit: formatUnits(limit),
      },
    }),
  });
}

/**
 * Checks the pause after losing round trips in a row, counted from the end of the last one. During it only
 * orders that reduce the position pass. After it the next loss begins a new pause at once; a round trip
 * without a loss ends the row.
 */
export const checkLossCooldown: RiskCheck = (view, { lossCooldown }) => {
  if (lossCooldown === null) return null;
  const { lossesInARow, lastLossAtMs } = view.results;
  if (lastLossAtMs === null || lossesInARow < lossCooldown.losses) return null;
  const waitMs = lastLossAtMs + lossCooldown.pauseMs - view.nowMs;
  if (waitMs <= 0 || onlyReduces(view)) return null;
  return {
    reason: sentence('risk-loss-cooldown', {
      losses: lossesInARow,
      limit: lossCooldown.losses,
      wait: waitMs,
    }),
    numbers: { losses: lossesInARow, limit: lossCooldown.losses, waitMs },
  };
};

/** Returns the objection of the first currency with an exceeded limit or an unknown result; null if none. */
function objectionToLoss(
  view: LossView,
  limits: ValueLimit | null,
  of: {
    readonly lossOf: (pnl: PnlView) => bigint;
    readonly objection: (pnl: PnlView, loss: bigint, limit: Units) => Objection;
  },
): Objection | null {
  if (limits === null) return null;
  for (const pnl of view.results.inCurrencies) {
    const limit = limits[pnl.quote] ?? null;
    if (limit === null) continue;
    const loss = of.lossOf(pnl);
    const hasValue = pnl.unvalued.length === 0;
    if (loss <= limit && hasValue) continue;
    return loss <= limit ? unvaluedObjection(pnl, view) : of.objection(pnl, loss, limit);
  }
  return null;
}

/**
 * Returns the objection to an unknown result, which no limit can check: it names what has no price, and the
 * market that would give one.
 */
function unvaluedObjection(
  { quote, unvalued }: PnlView,
  { marketNames }: Pick<RiskView, 'marketNames'>,
): Objection {
  return {
    reason: sentence('risk-result-unknown', {
      quote: quote.toUpperCase(),
      assets: `${unvalued.join(' and ')} ${unvalued.length === 1 ? 'has' : 'have'}`,
      currency: quote,
      market: marketNames.bridge.market,
    }),
    numbers: { unvalued: unvalued.join(' ') },
  };
}

type HeldLimit = StoredValue<'loss-limits'>[number];

/** Interval at which a limit that has refused an order is checked again, in ms. */
const POLL_INTERVAL_MS = 5_000;

interface LossLimitsOptions {
  readonly outbox: Outbox;
  readonly instances: readonly StrategyInstance[];
  readonly markets: Pick<MarketDataCache, 'priceOf'>;
}

/**
 * Tracks limits on the loss of the day and on the drawdown that keep a strategy from new risk: from the first
 * order that one refuses, until none would. A single refusal is minor, but the owner has to know if a
 * strategy may add nothing for the rest of the day.
 */
export class LossLimits extends EnginePart<LossLimitsOptions> {
  /** Limits in force, by strategy. */
  private readonly held = new Map<string, HeldLimit>();
  /** Time of the next `pump`; infinity while no limit is in force. */
  dueAtMs = Number.POSITIVE_INFINITY;

  /** Notes that a check refused an order of a strategy; refusals that are not about losses are ignored. */
  refused(
    { name }: Pick<StrategyInstance, 'name'>,
    { check, reason }: Omit<HeldLimit, 'strategy' | 'sinceMs'>,
  ): void {
    const { outbox } = this.options;
    if (!outbox.isRestartable || !LOSS_CHECKS.has(check) || this.held.has(name)) return;
    this.held.set(name, { strategy: name, check, reason, sinceMs: outbox.nowMs });
    this.dueAtMs = outbox.nowMs + POLL_INTERVAL_MS;
    outbox.journal('control', 'limit begun', { strategy: name, check, reason });
    outbox.warn(`${name}: no new risk from now on: ${english(reason)}. It is said when that is over`, name);
    this.persist();
  }

  pump(nowMs: number): void {
    for (const limit of this.held.values()) this.check(limit, nowMs);
    this.dueAtMs = this.held.size === 0 ? Number.POSITIVE_INFINITY : nowMs + POLL_INTERVAL_MS;
  }

  /** Restores limits in force. They are checked when trading begins, as the settings may have changed. */
  restore(stored: StoredTexts): void {
    for (const limit of restored(stored, 'loss-limits') ?? []) this.held.set(limit.strategy, limit);
    if (this.held.size > 0) this.dueAtMs = 0;
  }

  private check(limit: HeldLimit, nowMs: number): void {
    const { instances, markets } = this.options;
    const instance = instances.find(({ name }) => name === limit.strategy);
    if (instance === undefined) {
      this.held.delete(limit.strategy);
      this.persist();
      return;
    }
    instance.applyPrices((symbol) => markets.priceOf(symbol), nowMs);
    const [quote] = instance.quotes;
    if (quote === undefined) return;
    const results = instance.pnlViews(quote, nowMs);
    const now = lossObjection({ results, marketNames: instance.marketNames }, instance.settings.limits);
    if (now === null) this.end(limit, nowMs);
    else if (now.check !== limit.check) {
      this.held.set(limit.strategy, { ...limit, check: now.check, reason: now.reason });
      this.persist();
    }
  }

  private end({ strategy, check, sinceMs }: HeldLimit, nowMs: number): void {
    const { outbox } = this.options;
    this.held.delete(strategy);
    outbox.journal('control', 'limit over', { strategy, check });
    outbox.info(
      `${strategy}: new risk passes again, after ${durationText(Math.max(0, nowMs - sinceMs))}`,
      strategy,
    );
    this.persist();
  }

  private persist(): void {
    this.options.outbox.persist('loss-limits', [...this.held.values()]);
  }
}

const LOSS_CHECKS: ReadonlySet<string> = new Set(['daily-loss', 'drawdown']);
