import type { Currency } from '../../domain/market-symbol.ts';
import { figureKind } from '../figure-kind.ts';
import { studyVoice, type StudyVoice } from '../study-voice.ts';
import { dailyGrowth, type EquityDay, type WalkForwardResult } from '../walk-forward-result.ts';
import type { WalkData, WalkFigure } from '../../page/study-data.ts';

/** Days that the chart of the account has; more are thinned to the lowest and highest of some days each. */
const MOST_DAYS = 1_500;
const DIGITS = 7;

/** Returns the data that the page draws of a walk-forward. */
export function walkData(
  { account, windows, objectives }: WalkForwardResult,
  quote: Currency,
  voice: StudyVoice = studyVoice('en'),
): WalkData {
  const days = thinned(account.equity);
  const names = [...new Set([...objectives.map(({ metric }) => metric), 'sharpe', 'maxDrawdown'])];
  const ofMetric = (name: string): WalkFigure => ({
    name,
    title: voice.metric(name),
    kind: figureKind(name),
    inSample: windows.map(({ inSample }) => shown(inSample?.[name] ?? null)),
    outOfSample: windows.map(({ outOfSample }) => shown(outOfSample[name] ?? null)),
  });
  // Windows differ in length: growth of a day can be compared, and a whole return can not.
  const growth: WalkFigure = {
    name: 'growth a day',
    title: voice.say('growth'),
    kind: 'fraction',
    inSample: windows.map(({ inSample, train }) => shown(dailyGrowth(inSample, train))),
    outOfSample: windows.map(({ outOfSample, test }) => shown(dailyGrowth(outOfSample, test))),
  };
  return {
    quote,
    initialEquity: Number(account.initialEquity),
    day: days.map(({ day }) => day),
    equity: days.map(({ equity }) => Number(equity.toPrecision(DIGITS))),
    windows: windows.map(({ number, test, params }) => ({
      number,
      fromMs: test.fromMs,
      toMs: test.toMs,
      params: JSON.stringify(params),
    })),
    figures: [...names.map(ofMetric), growth],
  };
}

/** All days, or of so many in a row the lowest and the highest, in their order, and the very last one. */
function thinned(days: readonly EquityDay[]): readonly EquityDay[] {
  if (days.length <= MOST_DAYS) return days;
  const length = Math.ceil((2 * days.length) / MOST_DAYS);
  const kept: EquityDay[] = [];
  for (let from = 0; from < days.length; from += length) {
    const part = days.slice(from, from + length).toSorted((left, right) => left.equity - right.equity);
    kept.push(...part.slice(0, 1), ...part.slice(1).slice(-1));
  }
  const last = days.slice(-1).filter((day) => !kept.includes(day));
  return [...kept, ...last].toSorted((left, right) => left.day - right.day);
}

function shown(value: number | null): number | null {
  return value === null || !Number.isFinite(value) ? null : Number(value.toPrecision(DIGITS));
}
