import { basename } from 'node:path';
import type { BotConfig } from '../../daemon/create-bot-config.ts';
import { address, marketSymbol } from '../../daemon/setting-fields.ts';
import type { MarketSymbol } from '../../domain/market-symbol.ts';
import { parseMarket } from '../../exchange/market-names.ts';
import { DEFAULT_MARKETS } from '../../simulator-server/market-config.ts';
import { isStrategyName, strategyNameProblem } from '../../strategy/definition.ts';
import type { BotLanguage } from './init-texts.ts';
import type { StartName } from './starting-points.ts';

/** Choices for a new bot. */
export interface BotRequest {
  /** Absolute path of the new bot's folder. */
  readonly folder: string;
  readonly mode: BotConfig['mode'];
  /** Of the exchange; null on the embedded one. */
  readonly baseUrl: string | null;
  readonly market: MarketSymbol;
  /** The strategy whose code it begins with. */
  readonly start: StartName;
  /** Name of its strategy, and of the strategy's file. */
  readonly name: string;
  readonly language: BotLanguage;
}

/** Choices that are already given. */
export type GivenRequest = { readonly [Field in keyof BotRequest]?: BotRequest[Field] | undefined };

/** Default choices for a new bot; it needs no account, no address and no data. */
export const USUAL_REQUEST = {
  folder: 'my-bot',
  mode: 'embedded',
  market: parseMarket('BTCIRT').symbol,
  start: 'ma-cross',
  language: 'en',
} as const satisfies GivenRequest;

/** Markets of the embedded exchange as it is without settings. */
export const EMBEDDED_MARKETS: readonly MarketSymbol[] = DEFAULT_MARKETS.map(
  ({ symbol }) => parseMarket(symbol).symbol,
);

/** The value that a text stands for, or what is wrong with the text, as a sentence. */
export type CheckedText<Value = string> = { readonly value: Value } | { readonly problem: string };

export function checkName(text: string): CheckedText {
  return isStrategyName(text) ? { value: text } : { problem: strategyNameProblem(text) };
}

export function checkAddress(text: string): CheckedText {
  const read = address().safeParse(text);
  return read.success ? { value: read.data } : { problem: read.error.issues[0]?.message ?? '' };
}

/** A market in any spelling. On the embedded exchange it has to be one of its own. */
export function checkMarket(text: string, mode: BotRequest['mode']): CheckedText<MarketSymbol> {
  const read = marketSymbol().safeParse(text);
  if (!read.success) return { problem: read.error.issues[0]?.message ?? '' };
  if (mode !== 'embedded' || EMBEDDED_MARKETS.includes(read.data)) return { value: read.data };
  return {
    problem: `expected a market of the embedded exchange (${EMBEDDED_MARKETS.join(', ')}), was ${read.data}`,
  };
}

/** Control characters, and those that turn the direction of text; Persian needs the two joiners. */
const UNSHOWN = /[\p{Cc}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/u;

/** Checks that npm and a shell can work in a folder. The path is absolute. */
export function checkFolder(path: string): CheckedText {
  if (UNSHOWN.test(path))
    return { problem: `expected a folder without characters that nobody sees, was ${JSON.stringify(path)}` };
  if (path.includes(':')) {
    const problem = `expected a folder without ":" in its path, was ${path}: npm finds no program below such a folder`;
    return { problem };
  }
  const name = basename(path);
  if (name === '') return { problem: 'expected a folder, was the root of all of them' };
  if (name === 'node_modules') return { problem: 'expected another folder than node_modules' };
  return { value: path };
}
