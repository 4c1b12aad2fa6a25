import { decimalText } from '../domain/decimal-text.ts';
import { formatUnits, unitsOf } from '../domain/money.ts';
import type { KeptRun } from './read-run-folder.ts';
import type { BacktestSummary, ResultHead } from './result-schema.ts';
import { figureGroups } from './report/summary-table.ts';

/** A figure of two runs, and by how much the second is higher; null where it can not be said. */
interface FigureDifference {
  readonly name: keyof BacktestSummary;
  readonly first: string | number | null;
  readonly second: string | number | null;
  readonly difference: string | number | null;
}

/**
 * Every figure of two runs side by side. Differences of money are exact texts; of different currencies there
 * are none.
 */
export function figureDifferences(first: BacktestSummary, second: BacktestSummary): FigureDifference[] {
  const isSameMoney = first.quote === second.quote;
  return (Object.keys(first) as (keyof BacktestSummary)[]).map((name) => ({
    name,
    first: first[name],
    second: second[name],
    difference: differenceOf(first[name], second[name], isSameMoney),
  }));
}

function differenceOf(
  first: string | number | null,
  second: string | number | null,
  isSameMoney: boolean,
): string | number | null {
  if (typeof first === 'number' && typeof second === 'number') return second - first;
  if (typeof first !== 'string' || typeof second !== 'string' || !isSameMoney || !/\d$/.test(first))
    return null;
  return formatUnits(unitsOf(decimalText(second)) - unitsOf(decimalText(first)));
}

/**
 * Returns the other differences between two runs: settings that decide whether their figures can be compared,
 * one sentence each.
 */
export function differentGrounds(first: ResultHead, second: ResultHead): string[] {
  const grounds: readonly (readonly [string, (result: ResultHead) => unknown])[] = [
    ['the span of time', ({ fromMs, toMs }) => [fromMs, toMs]],
    ['the length of a bar', ({ barMs }) => barMs],
    ['the fidelity or its rules', ({ fidelity: { kind, rules } }) => [kind, rules]],
    ['the markets', ({ markets }) => markets],
    ['the strategies or their parameters', ({ strategies }) => strategies],
    ['the configuration', ({ config }) => config],
    ['the currency', ({ summary }) => summary.quote],
  ];
  return grounds
    .filter(([, of]) => JSON.stringify(of(first)) !== JSON.stringify(of(second)))
    .map(([what]) => `The runs differ in ${what}.`);
}

/** Rows of a table of two runs: the title of a figure, both texts, and the difference. */
export function comparisonRows(first: KeptRun, second: KeptRun): string[][] {
  const differences = new Map(
    figureDifferences(first.result.summary, second.result.summary).map((one) => [one.name, one.difference]),
  );
  const isSameMoney = first.result.summary.quote === second.result.summary.quote;
  const others = figureGroups(second.result.summary).flatMap(({ figures }) => figures);
  const ofDifference = figureGroups({
    ...first.result.summary,
    ...(Object.fromEntries(
      [...differences].filter(([, value]) => value !== null),
    ) as Partial<BacktestSummary>),
  }).flatMap(({ figures }) => figures);
  return figureGroups(first.result.summary)
    .flatMap(({ figures }) => figures)
    .map(({ name, title, text }, index) => {
      const difference = differences.get(name) ?? null;
      const isSaid =
        difference !== null && (isSameMoney || typeof difference === 'number') && Number(difference) !== 0;
      return [
        title,
        text,
        others[index]?.text ?? '',
        isSaid ? signed(ofDifference[index]?.text ?? '', difference) : '',
      ];
    });
}

function signed(text: string, difference: string | number): string {
  return Number(difference) > 0 ? `+${text}` : text;
}
