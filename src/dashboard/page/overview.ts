import { signal } from '@preact/signals';
import type { OverviewReply } from '../schema/overview.ts';
import type { ShownReply } from './use-reply.ts';
import type { MarketItem, MarketsReply } from '../schema/market.ts';
import { ApiFailure, getReply } from './api.ts';

/** The strategies of the bot, to choose from. */
export function strategyOptions(data: OverviewReply | null): readonly (readonly [string, string])[] {
  return (data?.strategies ?? []).map(({ name }) => [name, name] as const);
}

/** The bot at a glance, which the header and the dialogs know in every view. The app follows it. */
export const overview = signal<ShownReply<OverviewReply>>({
  data: null,
  failure: null,
  readAtMs: null,
  refresh: () => {},
});

/** The markets of the bot: which currencies a price is in. They are read again when an unknown one is met. */
export const markets = signal<readonly MarketItem[]>([]);

export async function refreshMarkets(): Promise<void> {
  try {
    markets.value = (await getReply<MarketsReply>('/markets')).markets;
  } catch (error) {
    if (!(error instanceof ApiFailure)) throw error;
    // Prices then stand without their unit's name until the next read.
  }
}

export const knownMarket = (symbol: string): MarketItem | null =>
  markets.value.find((market) => market.symbol === symbol) ?? null;
