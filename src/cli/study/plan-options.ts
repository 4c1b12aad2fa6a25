import { type Command, Option } from 'commander';
import { parseDuration } from '../../daemon/duration-text.ts';
import { readWrittenStudy, type ReadStudy } from '../../study/read-study.ts';
import { isSamePlan, planText, walkQuestion, writtenPlan, type WalkQuestion } from '../../study/walk-plan.ts';
import { wrongInput } from '../command-error.ts';

/** The plan of a walk-forward as options, which stand for `validation.walkForward` of a study. */
export interface PlanFlags {
  readonly train?: string;
  readonly test?: string;
  readonly step?: string;
  readonly purge?: string;
  readonly embargo?: string;
  readonly kind?: string;
  readonly choose?: string;
}

/** Their names: they are no options of the short form, and go with a file. */
export const PLAN_FLAGS = ['train', 'test', 'step', 'purge', 'embargo', 'kind', 'choose'] as const;

export function planOptions(command: Command): Command {
  return command
    .option('--train <length>', 'length of the train windows, such as 180d', lengthOption('train', '180d'))
    .option('--test <length>', 'length of the test windows, such as 30d', lengthOption('test', '30d'))
    .option(
      '--step <length>',
      'from one test window to the next (default: --test)',
      lengthOption('step', '30d'),
    )
    .option(
      '--purge <length>',
      'the end of each train window, which no trial sees (default: 0s)',
      lengthOption('purge', '1d'),
    )
    .option(
      '--embargo <length>',
      'a pause between a train window and its test window (default: 0s)',
      lengthOption('embargo', '1d'),
    )
    .addOption(
      new Option(
        '--kind <kind>',
        'train windows of one length, or all from the beginning of the range (default: rolling)',
      ).choices(['rolling', 'anchored']),
    )
    .addOption(
      new Option(
        '--choose <trial>',
        'the best trial of a window, or one whose neighbours are good, too (default: best)',
      ).choices(['best', 'plateau']),
    );
}

function lengthOption(name: string, example: string) {
  return (text: string): string => {
    if (parseDuration(text) !== null) return text;
    throw wrongInput(`expected a length of time such as --${name} ${example}, found ${text}`);
  };
}

/**
 * A study with the plan of the options, else with its own, else with the one that its walk-forward was begun
 * with; `trials` of each window over those of the plan. Throws for half a plan, and for one that differs from
 * the study's own.
 */
export function withPlan(
  read: ReadStudy,
  of: {
    readonly flags: PlanFlags;
    readonly trials: number | undefined;
    readonly begun: WalkQuestion | null;
    /** Place of the study's own plan, and advice if the options give another plan. */
    readonly source: string;
    readonly advice: string;
  },
): ReadStudy {
  const { begun, source, advice } = of;
  const given = givenPlan(of.flags);
  const own = read.settings.validation.walkForward;
  const trials = of.trials === undefined ? {} : { trials: of.trials };
  if (own === undefined) {
    const plan = given ?? (begun === null ? null : writtenPlan(begun));
    return plan === null ? read : readWith(read, { ...plan, ...trials });
  }
  const found = readWith(read, { ...(given ?? writtenPlan(own)), trials: own.trials, ...trials });
  const { walkForward: asked = own } = found.settings.validation;
  if (isSamePlan(walkQuestion(own), walkQuestion(asked))) return found;
  throw wrongInput(
    `expected the plan of ${source} (${planText(own)}), found another one in the options (${planText(asked)}): ${advice}`,
  );
}

function readWith({ written }: ReadStudy, walkForward: object): ReadStudy {
  return readWrittenStudy({ ...written, validation: { walkForward } });
}

/** Those that were given; null where none was. */
function givenPlan(flags: PlanFlags): object | null {
  const given = PLAN_FLAGS.flatMap((name) =>
    flags[name] === undefined ? [] : [[name, flags[name]] as const],
  );
  if (given.length === 0) return null;
  if (flags.train !== undefined && flags.test !== undefined) return Object.fromEntries(given);
  const found = given.map(([name]) => `--${name}`).join(', ');
  throw wrongInput(`expected --train and --test, such as --train 180d --test 30d, found ${found} alone`);
}
