import { signal } from '@preact/signals';
import type { OverviewReply } from '../schema/overview.ts';
import type { ShownReply } from './use-reply.ts';
import type { MarketItem, MarketsReply } from '../schema/market.ts';
import { ApiFailure, getReply } from './api.ts';

/** Returns the strategies of the bot as options to choose from. */
export function strategyOptions(data: OverviewReply | null): readonly (readonly [string, string])[] {
  return (data?.strategies ?? []).map(({ name }) => [name, name] as const);
}

/** Overview of the bot, which the header and dialogs use in every view. The app keeps it current. */
export const overview = signal<ShownReply<OverviewReply>>({
  data: null,
  failure: null,
  readAtMs: null,
  refresh: () => {},
});

/** Markets of the bot, for the currencies of prices. They are read again if an unknown one appears. */
export const markets = signal<readonly MarketItem[]>([]);

export async function refreshMarkets(): Promise<void> {
  try {
    markets.value = (await getReply<MarketsReply>('/markets')).markets;
  } catch (error) {
    if (!(error instanceof ApiFailure)) throw error;
    // Prices are then shown without their unit until the next read.
  }
}

export const knownMarket = (symbol: string): MarketItem | null =>
  markets.value.find((market) => market.symbol === symbol) ?? null;
