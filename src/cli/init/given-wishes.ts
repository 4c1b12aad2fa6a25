import { resolve } from 'node:path';
import type { MarketSymbol } from '../../domain/market-symbol.ts';
import { wrongInput } from '../command-error.ts';
import type { BotLanguage } from './bot-language.ts';
import {
  checkAddress,
  checkFolder,
  checkMarket,
  checkName,
  USUAL_WISHES,
  type BotWishes,
  type CheckedText,
  type GivenWishes,
} from './bot-wishes.ts';
import { STARTING_POINTS, type StartName } from './starting-points.ts';

/** Choices for a new bot given on the command line. */
export interface WishOptions {
  readonly exchange?: BotWishes['mode'];
  readonly url?: string;
  readonly market?: MarketSymbol;
  readonly strategy?: StartName;
  readonly name?: string;
  readonly language?: BotLanguage;
}

/** The wishes in options. A mistake in one of them is wrong input, before anything is asked. */
export function givenWishes(
  folder: string | undefined,
  options: WishOptions,
  workingFolder: string,
): GivenWishes {
  const { exchange: mode, url, market, strategy, name, language } = options;
  if (mode === 'embedded' && url !== undefined)
    throw wrongInput('expected --url beside --exchange paper or live alone: the embedded one has no address');
  return {
    folder: folder === undefined ? undefined : valueOf(checkFolder(resolve(workingFolder, folder)), 'folder'),
    mode,
    baseUrl: url === undefined ? undefined : valueOf(checkAddress(url), '--url'),
    market,
    start: strategy,
    name: name === undefined ? undefined : valueOf(checkName(name), '--name'),
    language,
  };
}

/** With the default of all that is not given. The address of an exchange has none. */
export function withDefaults(given: GivenWishes, workingFolder: string): BotWishes {
  const { mode = USUAL_WISHES.mode, baseUrl = null, start = USUAL_WISHES.start } = given;
  if (mode === 'embedded' && baseUrl !== null)
    throw wrongInput('expected --exchange paper or live beside --url, was neither');
  if (mode !== 'embedded' && baseUrl === null)
    throw wrongInput(`expected --url with the address of the exchange beside --exchange ${mode}, was none`);
  return {
    folder: given.folder ?? resolve(workingFolder, USUAL_WISHES.folder),
    mode,
    baseUrl,
    market: given.market ?? USUAL_WISHES.market,
    start,
    name: given.name ?? STARTING_POINTS[start].name,
    language: given.language ?? USUAL_WISHES.language,
  };
}

/** Looks at what only all of them together show: a market that the chosen exchange does not have. */
export function checkTogether({ market, mode }: BotWishes): void {
  valueOf(checkMarket(market, mode), '--market');
}

function valueOf<Value>(checked: CheckedText<Value>, of: string): Value {
  if ('problem' in checked) throw wrongInput(`${of}: ${checked.problem}`);
  return checked.value;
}
