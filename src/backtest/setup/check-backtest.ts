import type { BacktestRun } from '../backtest-run.ts';
import type { RunMarket } from '../candle-runner.ts';
import { cutMoment, firstDifference, momentsWithin, type LookaheadDifference } from '../check-lookahead.ts';
import { firstFlatMs, warmedOnly } from '../check-warmup.ts';
import { cutAfter, repeatRun, wantedOf, type ExpectedOrder } from '../run-backtest.ts';
import type { CreatedBacktest } from './candle-backtest.ts';
import { apartRunOf, type ApartRun } from './run-apart.ts';
import { isoText } from '../../domain/time-text.ts';

/** A check found something. Its message says what differed. */
export class CheckFailed extends Error {}

/** Moments at which a run is cut, or begun anew, for a check. */
const CHECKS = 5;

export interface BacktestChecks {
  readonly lookahead: boolean;
  readonly warmUp: boolean;
  /** Called with what is done next, before each run. */
  readonly onStep: (what: string) => void;
}

/**
 * Runs a backtest again: once as it was, on fewer bars, and from later beginnings. None of them may change
 * what was wanted where all have what they need. Answers what was compared, in sentences; throws with what
 * differed. `runOn` runs it on other bars, where the strategy can reach no others; without it, here.
 */
export async function checkBacktest(
  { backtest: whole, newInstances }: Pick<CreatedBacktest, 'backtest' | 'newInstances'>,
  reported: BacktestRun,
  {
    lookahead,
    warmUp,
    onStep,
    runOn = async (markets) =>
      apartRunOf(repeatRun({ ...whole, instances: await newInstances() }, { markets, fromMs: whole.fromMs })),
  }: BacktestChecks & { readonly runOn?: (markets: readonly RunMarket[]) => Promise<ApartRun> },
): Promise<readonly string[]> {
  if (!lookahead && !warmUp) return [];
  const { markets } = whole;
  const total = 1 + CHECKS * (Number(lookahead) + Number(warmUp));
  let step = 0;
  const begin = (): void => {
    step += 1;
    onStep(`check ${step} of ${total}, bars`);
  };
  begin();
  const second = await runOn(markets);
  refuseUnlike(reported, second);
  const all = second.wanted;
  const { fromMs: firstMs, toMs } = reported;
  let uncompared = 0;
  for (const atMs of momentsWithin(firstMs, toMs, CHECKS)) {
    if (lookahead) {
      const { cutMs, comparedUntilMs } = cutMoment(second, atMs);
      begin();
      const part = await runOn(cutAfter(markets, cutMs));
      refuseLookahead({ whole: all, part: part.wanted, fromMs: firstMs, cutMs, untilMs: comparedUntilMs });
    }
    if (warmUp) {
      begin();
      const instances = await newInstances();
      const later = repeatRun(
        { ...whole, instances },
        { markets: warmedOnly(markets, whole.instances, atMs), fromMs: atMs },
      );
      const times = later.curve.timeMs.subarray(0, later.curve.length);
      const flatMs = firstFlatMs([reported, later], {
        closesMs: times,
        markets: markets.map(({ market }) => market),
      });
      if (flatMs === null) uncompared += 1;
      else compareWarmUp({ all, later: wantedOf(later.orders), beganMs: atMs, flatMs });
    }
  }
  return [...(lookahead ? [LOOKAHEAD] : []), ...(warmUp ? [warmUpSentence(uncompared)] : [])];
}

/**
 * The same for a run of the whole bot on a recording: once more, and on recordings that end earlier.
 * `runUntil` runs it on what was recorded before a time; null: on all.
 */
export async function checkPollBacktest(
  reported: BacktestRun,
  {
    lookahead,
    onStep,
    runUntil,
  }: BacktestChecks & { readonly runUntil: (toMs: number | null) => Promise<ApartRun> },
): Promise<readonly string[]> {
  if (!lookahead) return [];
  const begin = (step: number): void => onStep(`check ${step} of ${1 + CHECKS}, books and trades`);
  begin(1);
  const { wanted: all } = await runUntil(null);
  refuseUnlike(reported, { wanted: all });
  const { fromMs, toMs } = reported;
  let step = 1;
  for (const cutMs of momentsWithin(fromMs, toMs, CHECKS)) {
    step += 1;
    begin(step);
    const { wanted: part } = await runUntil(cutMs);
    refuseLookahead({ whole: all, part, fromMs, cutMs, untilMs: cutMs - 1 });
  }
  return [LOOKAHEAD];
}

function refuseUnlike(reported: BacktestRun, { wanted }: Pick<ApartRun, 'wanted'>): void {
  const everMs = { fromMs: Number.NEGATIVE_INFINITY, untilMs: Number.POSITIVE_INFINITY };
  const unlike = firstDifference(wantedOf(reported.orders), wanted, everMs);
  if (unlike === null) return;
  throw new CheckFailed(
    `run twice: ${saying(unlike, { first: 'the reported run', second: 'the same run once more' })}: the strategy keeps something outside of its state, or draws lots`,
  );
}

function refuseLookahead(of: {
  readonly whole: readonly ExpectedOrder[];
  readonly part: readonly ExpectedOrder[];
  readonly fromMs: number;
  readonly cutMs: number;
  readonly untilMs: number;
}): void {
  const { whole, part, fromMs, cutMs, untilMs } = of;
  const found = firstDifference(whole, part, { fromMs, untilMs });
  if (found === null) return;
  const who = { first: 'the whole run', second: `the one whose data end at ${isoText(cutMs)}` };
  throw new CheckFailed(`look-ahead: ${saying(found, who)}`);
}

/** Throws where what was wanted after both were flat is not the same. */
function compareWarmUp(of: {
  readonly all: readonly ExpectedOrder[];
  readonly later: readonly ExpectedOrder[];
  readonly beganMs: number;
  readonly flatMs: number;
}): void {
  const { all, later, beganMs, flatMs } = of;
  const range = { fromMs: flatMs + 1, untilMs: Number.POSITIVE_INFINITY };
  const found = firstDifference(sides(all), sides(later), range);
  if (found === null) return;
  const who = { first: 'the whole run', second: `the one that began at ${isoText(beganMs)}` };
  throw new CheckFailed(
    `warm-up: ${saying(found, who)}; both held nothing at ${isoText(flatMs)}. The strategy needs more of the past than it asks for, or its state remembers what was before`,
  );
}

const LOOKAHEAD = `Look-ahead: the run again, and ${CHECKS} runs on data that end earlier, had the same orders. The check can not see what a strategy reads elsewhere (a file, a server, numbers in its own code), since that is the same in all runs.`;

function warmUpSentence(uncompared: number): string {
  const compared = CHECKS - uncompared;
  const rest =
    uncompared === 0 ? '' : ` ${uncompared} could not be compared: they never held nothing at the same time.`;
  return `Warm-up: ${compared} of ${CHECKS} later beginnings, with the past that a live start has, wanted the same from the first bar at which both held nothing.${rest}`;
}

/**
 * Amounts depend on what was won before, so of two starts only market, side, kind and moment can be the same.
 */
function sides(wanted: readonly ExpectedOrder[]): readonly ExpectedOrder[] {
  return wanted.map(({ atMs, text }) => ({ atMs, text: text.split(' ').slice(0, 4).join(' ') }));
}

function saying(
  { atMs, whole, part }: LookaheadDifference,
  { first, second }: { readonly first: string; readonly second: string },
): string {
  return `at ${isoText(atMs)} ${first} wanted "${whole ?? 'nothing'}", ${second} "${part ?? 'nothing'}"`;
}
