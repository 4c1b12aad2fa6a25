import { createHash } from 'node:crypto';
import { SarrafError } from '../../domain/errors.ts';
import type { WalkForwardPlan } from '../file/walk-forward-fields.ts';
import type { PreparedStudy } from '../prepare-study.ts';
import { canonicalJson } from '../question/canonical-json.ts';
import { runStudy, type StudyEnd } from '../run-study.ts';
import { withStudyFiles, type StudyFiles } from '../store/with-study-files.ts';
import type { StoredTrial } from '../store/study-rows.ts';
import type { StudyStore } from '../store/study-store.ts';
import { openRunner, takeUp, type SessionOptions } from '../study-session.ts';
import { chooseTrial } from './choose-trial.ts';
import { writeAccount } from './stored-account.ts';
import { walkWindows, type WalkWindow } from './walk-windows.ts';
import { accountTaskOf, windowChoices, type WindowChoice } from './window-choices.ts';

export interface WalkForwardOptions extends Omit<SessionOptions, 'onTrial'> {
  readonly onTrial: (window: WalkWindow, trial: StoredTrial, isNew: boolean) => void;
  /** A window begins, or the account: then it is null. */
  readonly onWindow: (window: WalkWindow | null) => void;
}

/** The windows of a study. Throws `INVALID_OPTIONS` without a plan, and for a range too short for it. */
export function windowsOf({ settings, bars }: PreparedStudy): {
  readonly plan: WalkForwardPlan;
  readonly windows: readonly WalkWindow[];
} {
  const { walkForward: plan } = settings.validation;
  if (plan === undefined) {
    const example = 'validation: { walkForward: { train: 180d, test: 30d } }';
    throw new SarrafError('INVALID_OPTIONS', `expected a plan such as ${example} in the study, found none`);
  }
  const { fromMs, splitMs } = bars.range;
  const range = { fromMs, toMs: splitMs };
  return { plan, windows: walkWindows(plan, { range, timeframe: settings.timeframe, markets: bars.trials }) };
}

/** What each window trades, by the trials that are kept. */
export function choicesOf(
  { space, settings }: Pick<PreparedStudy, 'space' | 'settings'>,
  of: {
    readonly plan: WalkForwardPlan;
    readonly windows: readonly WalkWindow[];
    readonly outcomes: (window: number) => readonly StoredTrial[];
  },
): readonly WindowChoice[] {
  const { objectives } = settings;
  const { choose } = of.plan;
  return windowChoices(of.windows, ({ number }) =>
    chooseTrial(of.outcomes(number), { choose, space, objectives }),
  );
}

/**
 * Searches each train window as the study itself is searched, then runs one account through all test windows
 * with what was chosen. It goes on from where the study's file is. Its trials see their train window and
 * what lies before it; the hold-out is in no window. Throws as `runSession` does, and `INVALID_OPTIONS` for a
 * file that was begun with another plan.
 */
export async function runWalkForward(study: PreparedStudy, options: WalkForwardOptions): Promise<StudyEnd> {
  const { plan, windows } = windowsOf(study);
  return withStudyFiles(options, async (files) => {
    takeUp(files.store, study);
    takePlan(files.store, plan);
    return walk(study, options, { plan, windows, ...files });
  });
}

function takePlan({ walkForward, path }: StudyStore, plan: WalkForwardPlan): void {
  const head = walkForward.head();
  if (head === null) walkForward.begin(plan);
  else if (canonicalJson(head.plan) !== canonicalJson(plan)) {
    throw new SarrafError(
      'INVALID_OPTIONS',
      `expected the walk-forward that ${path} was begun with, found another one (${canonicalJson(head.plan)}, now ${canonicalJson(plan)}): run it under another name with --name`,
    );
  }
}

async function walk(
  study: PreparedStudy,
  options: WalkForwardOptions,
  of: StudyFiles & { readonly plan: WalkForwardPlan; readonly windows: readonly WalkWindow[] },
): Promise<StudyEnd> {
  const { settings, identity } = study;
  const { plan, windows, register } = of;
  const { walkForward } = of.store;
  // A walk-forward counts as a study of its own: another plan for the same question has other trials.
  const id = walkForwardId(identity.id, plan);
  register.enter({ id, name: options.name, months: identity.data.flatMap(({ months }) => months) });
  let counted = walkForward.count();
  register.count(id, counted);
  const runner = await openRunner(study, options);
  const startMs = performance.now();
  const { trials, time } = settings.budget;
  const isOver = (): boolean =>
    options.signal.aborted || (time !== undefined && performance.now() - startMs >= time);
  try {
    for (const window of windows) {
      options.onWindow(window);
      const { number, train } = window;
      const end = await runStudy({
        space: study.space,
        sampler: { ...settings.sampler, objectives: settings.objectives.map(({ direction }) => direction) },
        goals: settings,
        fixed: settings.params,
        trials,
        runner: {
          // Machines come and go.
          get width() {
            return runner.width;
          },
          run: async (params) => runner.run(params, train),
          close: async () => runner.close(),
        },
        store: {
          outcomes: () => walkForward.outcomes(number),
          add(trial) {
            // Counted before it is kept: a trial that was run is never missing from the register.
            counted += 1;
            register.count(id, counted);
            walkForward.add(number, trial);
          },
        },
        isOver,
        clock: () => performance.now(),
        onTrial: (trial, isNew) => options.onTrial(window, trial, isNew),
      });
      if (end === 'stopped') return 'stopped';
    }
    if (walkForward.head()?.account === null) {
      options.onWindow(null);
      const outcomes = (number: number): readonly StoredTrial[] => walkForward.outcomes(number);
      const report = await runner.account(accountTaskOf(choicesOf(study, { plan, windows, outcomes })));
      walkForward.keepAccount(writeAccount(report));
    }
    return 'complete';
  } finally {
    await runner.close();
  }
}

function walkForwardId(studyId: string, plan: WalkForwardPlan): string {
  return createHash('sha256')
    .update(`${studyId}\n${canonicalJson({ walkForward: plan })}`)
    .digest('hex');
}
