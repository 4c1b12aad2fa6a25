import { signal } from '@preact/signals';
import type { MarketItem, MarketsReply } from '../schema/market.ts';
import { ApiFailure, getReply } from './api.ts';

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
