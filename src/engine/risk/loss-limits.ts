import { z } from 'zod';
import { readStored, storedTimeMs } from '../../domain/stored-json.ts';
import { durationText } from '../../domain/time-text.ts';
import { lossObjection } from './pnl-checks.ts';
import type { MarketDataCache } from '../feeds/market-data-cache.ts';
import type { Outbox } from '../outbox.ts';
import type { StrategyInstance } from '../strategy-instance.ts';
import type { KeptTexts } from '../mirror-change.ts';
import { english } from '../../language/sentence.ts';
import { storedSentence } from '../../language/stored-sentence.ts';

/** Stored strategies that a loss limit allows no more risk, for readers of the mirror. */
export const storedLossLimits = z.array(
  z.object({ strategy: z.string(), check: z.string(), reason: storedSentence, sinceMs: storedTimeMs }),
);

type StoredLossLimits = z.output<typeof storedLossLimits>;

type HeldLimit = StoredLossLimits[number];

export const KEPT_LOSS_LIMITS = 'loss-limits';

/** Interval for checking that a limit that has refused an order would still do so. */
const LOOK_EVERY_MS = 5_000;

interface LossLimitsOptions {
  readonly outbox: Outbox;
  readonly instances: readonly StrategyInstance[];
  readonly markets: Pick<MarketDataCache, 'priceOf'>;
}

/**
 * Limits on the loss of the day and on the fall from the highest that keep a strategy from new risk: from the
 * first order that one refuses, until none would. Each refusal alone is small talk, but a strategy that may
 * add nothing for the rest of the day is something that its owner has to know.
 */
export class LossLimits {
  private readonly options: LossLimitsOptions;
  /** By strategy. */
  private readonly held = new Map<string, HeldLimit>();
  /** The time of the next `pump`, once strategies are at work. */
  dueAtMs = Number.POSITIVE_INFINITY;

  constructor(options: LossLimitsOptions) {
    this.options = options;
  }

  /** A check refused an order of a strategy; those that are about something else are passed over. */
  refused(
    { name }: Pick<StrategyInstance, 'name'>,
    { check, reason }: Omit<HeldLimit, 'strategy' | 'sinceMs'>,
  ): void {
    const { outbox } = this.options;
    if (!outbox.isRestartable || !LOSS_CHECKS.has(check) || this.held.has(name)) return;
    this.held.set(name, { strategy: name, check, reason, sinceMs: outbox.nowMs });
    this.dueAtMs = outbox.nowMs + LOOK_EVERY_MS;
    outbox.journal('control', 'limit begun', { strategy: name, check, reason });
    outbox.warn(`${name}: no new risk from now on: ${english(reason)}. It is said when that is over`, name);
    this.keep();
  }

  pump(nowMs: number): void {
    for (const limit of this.held.values()) this.lookAt(limit, nowMs);
    this.dueAtMs = this.held.size === 0 ? Number.POSITIVE_INFINITY : nowMs + LOOK_EVERY_MS;
  }

  /** A limit may have been raised meanwhile, or a strategy be gone: it is looked at once trading begins. */
  restore({ [KEPT_LOSS_LIMITS]: json }: KeptTexts): void {
    if (json === undefined) return;
    for (const limit of readStored(storedLossLimits, json, 'what is kept of limits on losses'))
      this.held.set(limit.strategy, limit);
    if (this.held.size > 0) this.dueAtMs = 0;
  }

  private lookAt(limit: HeldLimit, nowMs: number): void {
    const { instances, markets } = this.options;
    const instance = instances.find(({ name }) => name === limit.strategy);
    if (instance === undefined) {
      this.held.delete(limit.strategy);
      this.keep();
      return;
    }
    instance.takePrices((symbol) => markets.priceOf(symbol), nowMs);
    const [quote] = instance.quotes;
    if (quote === undefined) return;
    const results = instance.pnlViews(quote, nowMs);
    const now = lossObjection({ results, marketNames: instance.marketNames }, instance.settings.limits);
    if (now === null) this.end(limit, nowMs);
    else if (now.check !== limit.check) {
      this.held.set(limit.strategy, { ...limit, check: now.check, reason: now.reason });
      this.keep();
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
    this.keep();
  }

  private keep(): void {
    this.options.outbox.keep(KEPT_LOSS_LIMITS, [...this.held.values()] satisfies StoredLossLimits);
  }
}

const LOSS_CHECKS: ReadonlySet<string> = new Set(['daily-loss', 'drawdown']);
