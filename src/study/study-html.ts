import { DAY_MS } from '../domain/time-text.ts';
import { htmlPage, tableSection, listOf } from '../backtest/html-page.ts';
import { escapeHtml } from '../backtest/value-text.ts';
import type { Language } from '../language/locale.ts';
import { studyVoice, type StudyVoice } from './study-voice.ts';
import type { ReportedStudy } from './validated-study.ts';
import {
  askedSection,
  holdoutSection,
  luckSection,
  studyHeader,
  stressSection,
  studyTiles,
  verdictSection,
} from './report/sections/verdict-sections.ts';
import { chartSections, bestTrialsSection, failuresSection } from './report/sections/trial-sections.ts';
import type { Currency } from '../domain/market-symbol.ts';
import { type WalkForwardResult, dailyGrowth, type EquityDay } from './walk-forward-result.ts';
import { accountTexts, driftTexts, textRows, windowTexts, type WalkColumn } from './study-texts.ts';
import { isTooShortFor } from '../backtest/finish-run.ts';
import { present } from '../domain/errors.ts';
import {
  isNumeric,
  type Parameter,
  type Point,
  type NumericParameter,
  type ParameterValue,
} from '../search/space-declaration.ts';
import { figureKind, shownFigures } from './objectives.ts';
import { rankedTrials } from './study-result.ts';
import { nearTrials, nearRange } from './validation/plateau.ts';
import type { StudyReportData, WalkData, WalkFigure, ReportParameter } from '../page/study-data.ts';
import { createRandom } from '../domain/random.ts';
import { drawSample } from './validation/luck-statistics.ts';

/**
 * Writes a study as one HTML file: the verdict, the luck statistics, the trials and the settings, with its
 * data and script inside. It stays below 3 MB: of more than 2,000 trials it shows a sample, and says so.
 */
export function studyHtml(reported: ReportedStudy, language: Language = 'en'): string {
  const { study, createdAtMs } = reported;
  const voice = studyVoice(language);
  const data = studyReportData(reported, voice);
  return htmlPage({
    language,
    title: voice.t('title', { name: study.study }),
    header: studyHeader(study, voice),
    main: [
      verdictSection(study, voice),
      studyTiles(study, voice),
      luckSection(study, voice),
      stressSection(study, voice),
      bestTrialsSection(study, voice),
      ...chartSections(data, voice),
      ...walkSections(reported, voice),
      holdoutSection(study, voice),
      failuresSection(study, voice),
      askedSection(reported, voice),
    ],
    footer: escapeHtml(
      voice.t('footer', {
        day: voice.day(Math.floor(createdAtMs / DAY_MS)),
        studies: 'docs/studies.md',
        metrics: 'docs/metrics.md',
      }),
    ),
    data,
    styles: ['palette.css', 'report.css', 'study.css'],
    script: 'study',
  });
}

/** Writes the sections of the walk-forward: its account, each window, and how params changed. */
function walkSections(
  { walk, quote }: Pick<ReportedStudy, 'walk' | 'quote'>,
  voice: StudyVoice,
): readonly string[] {
  if (walk === null) return [];
  const { t } = voice;
  if (walk.kind === 'unknown')
    return [
      `<section id="walk" class="warnings"><h2>${t('walk.title')}</h2><p>${escapeHtml(t('walk.unknown', { reason: walk.reason }))}</p></section>`,
    ];
  return [
    accountSection(walk.result, quote, voice),
    againstSection(voice),
    windowsSection(walk.result, voice),
    driftSection(walk.result, voice),
  ];
}

function accountSection(result: WalkForwardResult, quote: Currency, voice: StudyVoice): string {
  const { plan, windows, notes, hash } = result;
  const { t, format, count } = voice;
  const rows = accountTexts(result, voice, quote).map(
    ([name, text]) => `<div><dt>${escapeHtml(name)}</dt><dd>${escapeHtml(text)}</dd></div>`,
  );
  const what = t('walk.note', {
    windows: count(windows.length),
    kind: t(`plan.${plan.kind}`),
    choice: t(`choice.${plan.choose}`),
  });
  const toKnow = [...notes.map(format), t('walk.hash', { hash })];
  return `<section id="walk"><h2>${t('walk.account')}</h2><p class="muted chart-note">${escapeHtml(what)}</p>
<div id="equity"></div><dl class="account">${rows.join('')}</dl><h3>${t('toKnow')}</h3>${listOf(toKnow)}</section>`;
}

function againstSection({ t }: StudyVoice): string {
  return `<section id="against"><div class="bar"><h2>${t('against.title')}</h2>
<span><select id="walk-figure" aria-label="${t('against.figure')}"></select></span></div>
<p class="muted chart-note">${t('against.note')}</p><div id="in-out" class="pictures"></div></section>`;
}

function windowsSection(result: WalkForwardResult, voice: StudyVoice): string {
  const columns = windowTexts(result, voice);
  return tableSection({
    id: 'windows',
    title: voice.t('windows.title'),
    note: voice.t('windows.note'),
    titles: titlesOf(columns),
    rows: textRows(columns),
  });
}

function driftSection(result: WalkForwardResult, voice: StudyVoice): string {
  const { t, list, param } = voice;
  const values = result.drift.map((drift) =>
    list(drift.values.map((value) => (value === null ? t('drift.none') : param(value)))),
  );
  const columns = [...driftTexts(result, voice), { title: t('drift.values'), isWord: true, cells: values }];
  return tableSection({
    id: 'drift',
    title: t('drift.title'),
    note: t('drift.note'),
    titles: titlesOf(columns),
    rows: textRows(columns),
  });
}

const titlesOf = (columns: readonly WalkColumn[]): readonly string[] =>
  columns.map(({ title }) => escapeHtml(title));

/** Significant digits of numbers in charts. */
const DIGITS = 7;

/** Returns the page's data of a study. Of more than 2,000 trials it has a sample. */
export function studyReportData(of: ReportedStudy, voice: StudyVoice = studyVoice('en')): StudyReportData {
  const { study, identity, space, points, walk } = of;
  const { trials, front } = study;
  const placeOf = new Map(trials.map(({ number }, place) => [number, place]));
  const near = new Set(neighboursOf(of));
  const ranked = rankedTrials(study).map(({ number }) => number);
  const { numbers, drawn } = shownTrials({
    id: identity.id,
    numbers: trials.map(({ number }) => number),
    ranked,
    needed: [...near],
  });
  const shown = numbers.map((number) => {
    const place = present(placeOf.get(number), 'a trial of the study');
    return { trial: present(trials[place], 'a trial'), point: present(points[place], 'a point') };
  });
  const onFront = new Set(front);
  const best = bestPoint(of);
  const figures = shownFigures(study.objectives.map(({ metric }) => metric));
  return {
    figures: figures.map((name) => ({
      name,
      title: voice.metric(name),
      kind: figureKind(name),
      direction: study.objectives.find(({ metric }) => metric === name)?.direction ?? null,
    })),
    parameters: space.parameters.map((parameter) => parameterAxis(parameter, best?.[parameter.name], voice)),
    trials: {
      number: numbers,
      state: shown.map(({ trial }) => {
        const { kind, violation } = trial;
        if (kind === 'failed') return 2;
        return (violation ?? 0) > 0 ? 1 : 0;
      }),
      isDrawn: numbers.map((number) => (drawn.has(number) ? 1 : 0)),
      isNear: numbers.map((number) => (near.has(number) ? 1 : 0)),
      isFront: numbers.map((number) => (onFront.has(number) ? 1 : 0)),
      values: space.parameters.map((parameter) => shown.map(({ point }) => valueIn(parameter, point))),
      figures: figures.map((name) => shown.map(({ trial }) => rounded(trial.metrics?.[name] ?? null))),
    },
    best: study.best?.number ?? null,
    all: trials.length,
    plateau: plateauOf(study),
    walk: walk === null || walk.kind === 'unknown' ? null : walkData(walk.result, of.quote, voice),
  };
}

function bestPoint({ study, points }: ReportedStudy): Point | null {
  if (study.best === null) return null;
  const { number } = study.best;
  return points[study.trials.findIndex((trial) => trial.number === number)] ?? null;
}

/** Returns the trials that the plateau test took as neighbours; empty if it was not made. */
function neighboursOf({ study, space, points }: ReportedStudy): readonly number[] {
  if (study.best === null || study.validation?.plateau.kind !== 'tested') return [];
  const placed = study.trials.map(({ number }, place) => ({
    number,
    point: present(points[place], 'a point'),
  }));
  const best = present(
    placed.find(({ number }) => number === study.best?.number),
    'the best trial',
  );
  return nearTrials(best, { trials: placed, space }).map(({ number }) => number);
}

function plateauOf({ validation, objectives, range }: ReportedStudy['study']): StudyReportData['plateau'] {
  const plateau = validation?.plateau;
  if (plateau === undefined || plateau.kind === 'not tested') return null;
  const seen = { fromMs: range.fromMs, toMs: range.splitMs };
  if (isTooShortFor(objectives[0]?.metric ?? '', seen)) return null;
  const { medianOfNeighbours, worstTenth, isPlateau } = plateau.value;
  return { medianOfNeighbours, worstTenth, isPlateau };
}

function valueIn(parameter: Parameter, point: Point): number | null {
  const value = point[parameter.name];
  if (value === undefined) return null;
  return isNumeric(parameter) ? Number(value) : parameter.values.indexOf(value);
}

/** Rounds a figure for a chart. JSON has no infinity: such a value becomes null and is not drawn. */
const rounded = (value: number | null): number | null =>
  value === null || !Number.isFinite(value) ? null : Number(value.toPrecision(DIGITS));

/** Maximum number of trials in the charts: more would be one cloud, and exceed 3 MB. */
export const MOST_SHOWN = 2_000;
/** Maximum number of shown trials that are chosen as needed or best; the others are drawn at random. */
const MOST_CHOSEN = 500;

interface ShownTrials {
  /** Trial numbers in ascending order. */
  readonly numbers: readonly number[];
  /** Trials that were drawn at random, from which means and medians may be computed. */
  readonly drawn: ReadonlySet<number>;
}

const SEED_DIGITS = 8;
const HEX = 16;

/**
 * Chooses the trials to show: all, or of more than 2,000 at most 500 that are needed or best, and 1,500 drawn
 * from all. The study's id is the seed: the same study shows the same trials.
 */
export function shownTrials(of: {
  readonly id: string;
  readonly numbers: readonly number[];
  /** Trial numbers, the best first. */
  readonly ranked: readonly number[];
  /** Neighbours of the best trial, which must be shown. */
  readonly needed: readonly number[];
}): ShownTrials {
  const { id, numbers, ranked, needed } = of;
  if (numbers.length <= MOST_SHOWN) return { numbers, drawn: new Set(numbers) };
  const chosen = new Set([...needed, ...ranked.slice(0, MOST_CHOSEN - needed.length)]);
  const random = createRandom(Number.parseInt(id.slice(0, SEED_DIGITS), HEX));
  const drawn = new Set(drawSample(numbers, { size: MOST_SHOWN - MOST_CHOSEN, random }));
  return { numbers: numbers.filter((number) => chosen.has(number) || drawn.has(number)), drawn };
}

/** Maximum number of days in the account's chart; more are thinned to the extremes of several days. */
const MOST_DAYS = 1_500;

/** Returns the page's data of a walk-forward. */
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
    inSample: windows.map(({ inSample }) => rounded(inSample?.[name] ?? null)),
    outOfSample: windows.map(({ outOfSample }) => rounded(outOfSample[name] ?? null)),
  });
  // Windows differ in length: daily growth is comparable, a total return is not.
  const growth: WalkFigure = {
    name: 'growth a day',
    title: voice.t('growth'),
    kind: 'fraction',
    inSample: windows.map(({ inSample, train }) => rounded(dailyGrowth(inSample, train))),
    outOfSample: windows.map(({ outOfSample, test }) => rounded(dailyGrowth(outOfSample, test))),
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

/** Returns all days; or of each group of days the lowest and the highest, and the very last day. */
function thinned(days: readonly EquityDay[]): readonly EquityDay[] {
  if (days.length <= MOST_DAYS) return days;
  const length = Math.ceil((2 * days.length) / MOST_DAYS);
  const points: EquityDay[] = [];
  for (let from = 0; from < days.length; from += length) {
    const part = days.slice(from, from + length).toSorted((left, right) => left.equity - right.equity);
    points.push(...part.slice(0, 1), ...part.slice(1).slice(-1));
  }
  const last = days.slice(-1).filter((day) => !points.includes(day));
  return [...points, ...last].toSorted((left, right) => left.day - right.day);
}

/** Maximum number of a parameter's values that get a heat map cell each; more values share cells. */
const MOST_OWN_CELLS = 16;
const CELLS = 12;
/** Significant digits of a cell's edge that is not a value. */
const EDGE_DIGITS = 3;

type Cells = Pick<ReportParameter, 'cells' | 'edges'>;

/** Returns a param as an axis of the page, with the range that is near the best trial's value. */
function parameterAxis(
  parameter: Parameter,
  best: ParameterValue | undefined,
  voice: StudyVoice,
): ReportParameter {
  const { name } = parameter;
  if (!isNumeric(parameter)) {
    const cells = parameter.values.map(String);
    return {
      name,
      isChoice: true,
      isLog: false,
      min: 0,
      max: cells.length - 1,
      cells,
      edges: [],
      near: null,
    };
  }
  const { min, max, scale, steps } = parameter;
  const isLog = scale === 'log';
  const isStepped = steps !== null && (!isLog || steps.count <= MOST_OWN_CELLS);
  return {
    name,
    isChoice: false,
    isLog,
    min,
    max,
    ...(isStepped ? steppedCells(steps, voice) : evenCells(min, max, isLog, voice)),
    near: best === undefined ? null : nearRange(parameter, best),
  };
}

/** Returns cells of a parameter with steps, for one or more values each. Edges lie halfway between values. */
function steppedCells(
  { first, stride, count, decimals }: NonNullable<NumericParameter['steps']>,
  voice: StudyVoice,
): Cells {
  const together = count <= MOST_OWN_CELLS ? 1 : Math.ceil(count / CELLS);
  const valueAt = (place: number): number => (first + place * stride) / 10 ** decimals;
  const edgeAt = (place: number): number => (first + (place - 0.5) * stride) / 10 ** decimals;
  const begins = Array.from({ length: Math.ceil(count / together) }, (_, cell) => cell * together);
  return {
    cells: begins.map((begin) => {
      const last = Math.min(begin + together, count) - 1;
      return last === begin ? voice.param(valueAt(begin)) : rangeText(valueAt(begin), valueAt(last), voice);
    }),
    edges: [...begins, count].map(edgeAt),
  };
}

/** Returns equal cells of the range, or of its logarithm on a log scale. */
function evenCells(min: number, max: number, isLog: boolean, voice: StudyVoice): Cells {
  const edges = Array.from({ length: CELLS + 1 }, (_, place) => {
    if (place === 0) return min;
    if (place === CELLS) return max;
    const share = place / CELLS;
    return Number((isLog ? min * (max / min) ** share : min + (max - min) * share).toPrecision(EDGE_DIGITS));
  });
  return { cells: edges.slice(1).map((to, cell) => rangeText(edges[cell] ?? to, to, voice)), edges };
}

const rangeText = (from: number, to: number, { t, param }: StudyVoice): string =>
  t('cell.range', { from: param(from), to: param(to) });
