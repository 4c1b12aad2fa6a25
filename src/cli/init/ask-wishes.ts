import { resolve } from 'node:path';
import type { MarketSymbol } from '../../domain/market-symbol.ts';
import { BOT_LANGUAGES } from './bot-language.ts';
import {
  BOT_MODES,
  checkAddress,
  checkFolder,
  checkMarket,
  checkName,
  EMBEDDED_MARKETS,
  USUAL_WISHES,
  type BotWishes,
  type CheckedText,
  type GivenWishes,
} from './bot-wishes.ts';
import { INIT_TEXTS, LANGUAGE_NAMES, LANGUAGE_QUESTION, type InitTexts } from './init-texts.ts';
import { Questions, QuestionsEnded, type Terminal } from './questions.ts';
import { START_NAMES, STARTING_POINTS } from './starting-points.ts';

export interface Asking {
  readonly workingFolder: string;
  /** Returns the problem with a folder, as a sentence; null if it can be used. */
  readonly folderProblem: (path: string) => string | null;
  readonly terminal: Terminal;
}

/** Asks for what is not given, one question after the other. Null where the person ended it. */
export async function askWishes(given: GivenWishes, asking: Asking): Promise<BotWishes | null> {
  const questions = await Questions.open(asking.terminal);
  try {
    return await wishesOf(given, questions, asking);
  } catch (error) {
    if (error instanceof QuestionsEnded) return null;
    throw error;
  }
}

async function wishesOf(given: GivenWishes, questions: Questions, asking: Asking): Promise<BotWishes> {
  const language =
    given.language ??
    (await questions.pick(
      LANGUAGE_QUESTION,
      BOT_LANGUAGES.map((value) => ({ value, label: LANGUAGE_NAMES[value] })),
    ));
  const texts = INIT_TEXTS[language];
  questions.title(texts.intro);
  const folder =
    given.folder ?? (await questions.write(texts.folder, placeCheck(asking), USUAL_WISHES.folder));
  const mode =
    given.mode ??
    (await questions.pick(
      texts.mode,
      BOT_MODES.map((value) => ({ value, ...texts.modes[value] })),
    ));
  const baseUrl =
    mode === 'embedded' ? null : (given.baseUrl ?? (await questions.write(texts.address, checkAddress)));
  const market = given.market ?? (await marketOf(mode, questions, texts));
  const start =
    given.start ??
    (await questions.pick(
      texts.start,
      START_NAMES.map((value) => ({ value, label: value, hint: STARTING_POINTS[value].about[language] })),
    ));
  const name = given.name ?? (await questions.write(texts.name, checkName, STARTING_POINTS[start].name));
  return { folder, mode, baseUrl, market, start, name, language };
}

async function marketOf(
  mode: BotWishes['mode'],
  questions: Questions,
  texts: InitTexts,
): Promise<MarketSymbol> {
  if (mode === 'embedded')
    return questions.pick(
      texts.market,
      EMBEDDED_MARKETS.map((value) => ({ value, label: value })),
    );
  return questions.write(texts.otherMarket, (typed) => checkMarket(typed, mode), USUAL_WISHES.market);
}

function placeCheck({ workingFolder, folderProblem }: Asking): (typed: string) => CheckedText {
  return (typed) => {
    const checked = checkFolder(resolve(workingFolder, typed));
    if ('problem' in checked) return checked;
    const problem = folderProblem(checked.value);
    return problem === null ? checked : { problem };
  };
}
