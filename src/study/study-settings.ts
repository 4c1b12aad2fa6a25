import { z } from 'zod';
import { FIGURE_NAMES } from '../backtest/result-schema.ts';
import { REQUEST_FIGURES } from '../backtest/finish-run.ts';
import { wholePaths } from '../backtest/run-setup.ts';
import {
  choice,
  keyName,
  refuseUnfit,
  RUN_FLAGS,
  runShape,
  wholeWithin,
  type FieldName,
} from '../backtest/run-schema.ts';
import { formatProblems, problemLines, readDocument } from '../configuration/load-yaml.ts';
import type { JsonSchema } from '../daemon/bot-schema.ts';
import { duration } from '../daemon/setting-fields.ts';
import { DAY_MS } from '../domain/time-text.ts';
import { SAMPLER_KINDS, type SamplerKind, MOST_TRIALS } from '../search/trial-record.ts';
import { spaceDeclaration } from '../search/space-declaration.ts';
import { usualDirection, type Constraint, type Objective } from './objectives.ts';
import { dirname, resolve } from 'node:path';
import { invalidFile, invalidOptions, didYouMean } from '../domain/errors.ts';
import { readFailure, readSmallFile } from '../configuration/secret-file.ts';

/** Maximum size of a study's file, in bytes. */
const LARGEST_FILE_BYTES = 1024 * 1024;

/** Settings of a study, and the study as it was written, with absolute paths. */
export interface ReadStudy {
  readonly settings: StudySettings;
  /** Plain JSON that `readWrittenStudy` can read. */
  readonly written: Readonly<Record<string, unknown>>;
}

/** Reads a study's file; paths start at its folder. Throws `INVALID_FILE` with all problems. */
export function readStudyFile(file: string): ReadStudy {
  let text: string;
  try {
    ({ text } = readSmallFile(resolve(file), LARGEST_FILE_BYTES));
  } catch (error) {
    throw invalidFile(`${file}:1:1: ${readFailure(error)}`);
  }
  let plain: unknown;
  const { read } = readDocument(text, studySettings, (document) => {
    plain = document.toJS();
    return [];
  });
  if (!read.ok) throw invalidFile(formatProblems(file, read.problems));
  return withWholePaths(read.value, plain, dirname(resolve(file)));
}

/** Reads a study from plain values, such as stored ones. Throws `INVALID_OPTIONS` with all problems. */
export function readWrittenStudy(written: unknown, folder: string = process.cwd()): ReadStudy {
  const read = studySettings.safeParse(written);
  if (read.success) return withWholePaths(read.data, written, folder);
  throw invalidOptions(problemLines(read.error).join('\n'));
}

/** Returns plain settings with absolute paths, as `ReadStudy.written`. */
export function withWholePaths(settings: StudySettings, plain: unknown, folder: string): ReadStudy {
  const paths = wholePaths(settings, folder);
  return {
    settings: { ...settings, ...paths },
    written: { ...Object(plain), ...paths } as ReadStudy['written'],
  };
}

/** Field of a percentage such as `20%`, read as a share of 1. */
const share = (bounds: { readonly leastPercent: number; readonly mostPercent: number }) =>
  z
    .string({ error: 'expected a percentage with its sign, such as 20%' })
    .meta({ pattern: String.raw`^\d{1,2}(\.\d{1,4})?\s*%$` })
    .transform((text, context): number => {
      const { leastPercent, mostPercent } = bounds;
      const percent = Number(/^(\d{1,2}(?:\.\d{1,4})?)\s*%$/.exec(text.trim())?.[1] ?? Number.NaN);
      if (percent >= leastPercent && percent <= mostPercent) return percent / 100;
      const range = `from ${leastPercent}% to ${mostPercent}%`;
      const message = `expected a percentage ${range}, such as 20%, found ${JSON.stringify(text)}`;
      context.addIssue({ code: 'custom', message });
      return z.NEVER;
    });

/** Field of a metric's name. */
const metric = () =>
  z.string({ error: 'expected the name of a metric, such as sharpe' }).superRefine((name, context) => {
    if (FIGURE_NAMES.includes(name)) return;
    const hint = didYouMean(name, FIGURE_NAMES);
    const message = `expected one of ${FIGURE_NAMES.join(', ')}, found ${JSON.stringify(name)}${hint}`;
    context.addIssue({ code: 'custom', message });
  });

const objective = z.union([
  metric().transform((name): Objective => ({ metric: name, direction: usualDirection(name) })),
  z
    .strictObject({ metric: metric(), direction: choice(['maximize', 'minimize']).optional() })
    .transform(({ metric: name, direction }): Objective => ({
      metric: name,
      direction: direction ?? usualDirection(name),
    })),
]);

const MOST_OBJECTIVES = 8;

const objectives = () =>
  z
    .union([
      objective.transform((one): readonly Objective[] => [one]),
      z.array(objective).min(1, 'expected an objective, found none').max(MOST_OBJECTIVES),
    ])
    .superRefine((wanted, context) => {
      const twice = wanted.find(({ metric: name }, index) =>
        wanted.slice(0, index).some((before) => before.metric === name),
      );
      if (twice === undefined) return;
      const message = `expected every objective once, found ${twice.metric} twice`;
      context.addIssue({ code: 'custom', message });
    });

const MOST_CONSTRAINTS = 32;

const constraints = () =>
  z
    .array(
      z
        .strictObject({ metric: metric(), least: z.number().optional(), most: z.number().optional() })
        .superRefine(({ least, most }, context) => {
          if (least === undefined && most === undefined)
            context.addIssue({ code: 'custom', message: 'expected least, most or both, found neither' });
          if (least !== undefined && most !== undefined && least > most)
            context.addIssue({
              code: 'custom',
              message: `expected least below most, found ${least} and ${most}`,
            });
        })
        .transform(({ metric: name, least, most }): Constraint => ({
          metric: name,
          ...(least === undefined ? {} : { least }),
          ...(most === undefined ? {} : { most }),
        })),
    )
    .max(MOST_CONSTRAINTS);

/** Default number of trials. */
const USUAL_TRIALS = 100;

/**
 * Number of trials in a generation of a sampler that learns. Two, three, four and six workers share them
 * evenly. At the end of a generation, workers that are done wait for the last one.
 */
const LEARNING_GENERATION = 12;
/** Generation size for samplers that do not learn: no trial needs to wait for another. */
const LONGEST_GENERATION = 1_000;

const NOT_LEARNING: ReadonlySet<SamplerKind> = new Set(['grid', 'random', 'sobol']);

/** Longest duration in settings, in ms: 40 years, enough for any recording. */
const LONGEST_MS = 40 * 366 * DAY_MS;

const length = () => duration({ mostMs: LONGEST_MS });

const gap = () => duration({ leastMs: 0, mostMs: LONGEST_MS }).prefault('0s');

/** Settings of `validation.walkForward`. Durations are in ms. */
const walkForward = z
  .strictObject({
    kind: choice(['anchored', 'rolling'])
      .prefault('rolling')
      .describe('anchored: every train window begins with the range. rolling: all are of one length.')
      .register(RUN_FLAGS, { value: '<kind>' }),
    train: length()
      .describe('The first train window, such as 180d; of rolling ones each.')
      .register(RUN_FLAGS, { value: '<length>' }),
    test: length()
      .describe('What follows a train window, such as 30d, traded with what was chosen in it.')
      .register(RUN_FLAGS, { value: '<length>' }),
    step: length()
      .optional()
      .describe('From one test window to the next; test without it.')
      .register(RUN_FLAGS, { value: '<length>' }),
    purge: gap()
      .describe('The end of each train window that no trial sees.')
      .register(RUN_FLAGS, { value: '<length>' }),
    embargo: gap()
      .describe('What lies between a train window and its test window.')
      .register(RUN_FLAGS, { value: '<length>' }),
    choose: choice(['best', 'plateau'])
      .prefault('best')
      .describe('best: the best trial of a window. plateau: one whose neighbours are good, too.')
      .register(RUN_FLAGS, { value: '<trial>' }),
    trials: wholeWithin(1, MOST_TRIALS)
      .optional()
      .describe('Trials of each window; as many as budget.trials without it.')
      .register(RUN_FLAGS, { value: '<number>', form: 'number' }),
  })
  .superRefine(({ train, test, step, purge }, context) => {
    const refuse = (path: string, message: string): void => {
      context.addIssue({ code: 'custom', path: [path], message });
    };
    if (purge >= train) refuse('purge', 'expected a purge shorter than train, found one that leaves nothing');
    if (step !== undefined && step < test)
      refuse('step', 'expected a step of test or more, found less: two windows would trade at once');
  })
  .transform(({ train, test, step, purge, embargo, ...rest }) => ({
    ...rest,
    trainMs: train,
    testMs: test,
    stepMs: step ?? test,
    purgeMs: purge,
    embargoMs: embargo,
  }));

export type WalkForwardPlan = z.output<typeof walkForward>;

/** Limits on the number of trials of a study, and on its duration. */
export const budgetShape = {
  trials: wholeWithin(1, MOST_TRIALS)
    .prefault(USUAL_TRIALS)
    .describe('Trials in all.')
    .register(RUN_FLAGS, { value: '<number>', form: 'number' }),
  time: duration()
    .optional()
    .describe('After this time, such as 10m, no trial begins; those under way are ended.')
    .register(RUN_FLAGS, { value: '<length>' }),
};

/** All fields of a study file: a run, and how its params are searched and tested. */
export const studyShape = {
  ...runShape,
  holdout: share({ leastPercent: 1, mostPercent: 90 })
    .optional()
    .describe('The last part of the range, such as 20%: no trial ever sees it.')
    .register(RUN_FLAGS, { value: '<percent>' }),
  space: spaceDeclaration
    .optional()
    .describe('What is searched, by param; what the strategy declares by search() without it.'),
  objectives: objectives()
    .prefault(['sharpe'])
    .describe('Figures of the summary to be maximized or minimized, one or several.')
    .register(RUN_FLAGS, {
      name: 'objective',
      value: '<metric>',
      form: 'objectives',
      hint: 'such as sharpe or fees:minimize',
    }),
  constraints: constraints().prefault([]).describe('Figures that must not be below least or above most.'),
  sampler: z
    .strictObject({
      kind: choice(SAMPLER_KINDS)
        .optional()
        .describe('tpe for one objective, nsga2 for several, without it.')
        .register(RUN_FLAGS, { name: 'sampler', value: '<kind>' }),
      seed: wholeWithin(0, Number.MAX_SAFE_INTEGER)
        .prefault(1)
        .describe('The same seed tries the same.')
        .register(RUN_FLAGS, { value: '<number>', form: 'number' }),
      generation: wholeWithin(1, LONGEST_GENERATION)
        .optional()
        .describe(
          'Trials that are chosen before any of them is learned from; 12 where it learns, without it.',
        )
        .register(RUN_FLAGS, { value: '<number>', form: 'number' }),
    })
    .prefault({}),
  budget: z.strictObject(budgetShape).prefault({}),
  validation: z
    .strictObject({ walkForward: walkForward.optional() })
    .prefault({})
    .describe('How what was found is tested.'),
};

/** Schema of a study, from a file or from command-line options. `name`: how messages name a field. */
export const studyIn = (name: FieldName) =>
  z
    .strictObject(studyShape)
    .superRefine((settings, context) => {
      const { csv, catalogue, detail, fidelity, objectives: wanted, constraints: bounds, sampler } = settings;
      const refuse = (path: string[], message: string): void => {
        context.addIssue({ code: 'custom', path, message });
      };
      refuseUnfit(settings, name, refuse);
      if (csv !== undefined && catalogue !== undefined && detail === undefined)
        refuse(
          ['catalogue'],
          `expected ${name('csv')} or ${name('catalogue')}, found both: leave one of them out`,
        );
      for (const [place, metrics] of Object.entries({ objectives: wanted, constraints: bounds }))
        for (const { metric } of fidelity === 'candles' ? metrics : [])
          if (REQUEST_FIGURES.has(metric))
            refuse(
              [place],
              `expected ${name('fidelity', 'poll')} with ${metric}, found candles, where nothing is asked for`,
            );
      if (wanted.length > 1 && (sampler.kind === 'tpe' || sampler.kind === 'cmaes'))
        refuse(
          ['sampler', 'kind'],
          `expected one objective for ${sampler.kind}, found ${wanted.length}: use nsga2`,
        );
    })
    .transform(({ sampler, markets = [], ...rest }) => {
      const kind: SamplerKind = sampler.kind ?? (rest.objectives.length > 1 ? 'nsga2' : 'tpe');
      const usual = NOT_LEARNING.has(kind) ? LONGEST_GENERATION : LEARNING_GENERATION;
      return { ...rest, markets, sampler: { ...sampler, kind, generation: sampler.generation ?? usual } };
    });

const studySettings = studyIn(keyName);

export type StudySettings = z.output<typeof studySettings>;

/** Returns the JSON Schema of a study's file for editors, generated from the checks themselves. */
export function studySchema(): JsonSchema {
  const schema = z.toJSONSchema(studySettings, { io: 'input', unrepresentable: 'any' }) as JsonSchema;
  return { ...schema, description: 'A study of sarraf: which params of a strategy are tried, and how.' };
}
