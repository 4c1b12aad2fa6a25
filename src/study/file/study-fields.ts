import { z } from 'zod';
import { FIGURE_NAMES } from '../../backtest/result/result-schema.ts';
import { nearestWord } from '../../configuration/nearest-word.ts';
import { TimeReader } from '../../recording/import/time-reader.ts';
import { usualDirection, type Constraint, type Objective } from '../goals/objectives.ts';

/** `0.1%`, read to the decimal of percent: a number alone could be a share as well. */
export const percent = () =>
  z
    .string({ error: 'expected a percentage with its sign, such as 0.1%' })
    .regex(/^\d{1,2}(?:\.\d{1,4})?\s*%$/, 'expected a percentage with its sign, such as 0.1%')
    .transform((text) => text.replace('%', '').trim());

/** `20%`, read to a share of 1. */
export const share = (bounds: { readonly leastPercent: number; readonly mostPercent: number }) =>
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

/** A moment: ISO 8601, or ms since 1970; in UTC where it names no zone. */
export const moment = () =>
  z.union([z.string(), z.number()]).transform((input, context): number => {
    const time =
      typeof input === 'number' ? input : new TimeReader().read(input, { path: 'the study', line: 1 });
    if (typeof time === 'number' && Number.isSafeInteger(time)) return time;
    const message = `expected a time such as 2024-01-31 or 2024-01-31T12:00Z, found ${JSON.stringify(input)}`;
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  });

/** The name of a figure of a run's summary. */
const metric = () =>
  z.string({ error: 'expected the name of a metric, such as sharpe' }).superRefine((name, context) => {
    if (FIGURE_NAMES.includes(name)) return;
    const nearest = nearestWord(name, FIGURE_NAMES);
    const hint = nearest === null ? '' : `; did you mean ${nearest}?`;
    const message = `expected one of ${FIGURE_NAMES.join(', ')}, found ${JSON.stringify(name)}${hint}`;
    context.addIssue({ code: 'custom', message });
  });

const objective = z.union([
  metric().transform((name): Objective => ({ metric: name, direction: usualDirection(name) })),
  z
    .strictObject({ metric: metric(), direction: z.enum(['maximize', 'minimize']).optional() })
    .transform(({ metric: name, direction }): Objective => ({
      metric: name,
      direction: direction ?? usualDirection(name),
    })),
]);

const MOST_OBJECTIVES = 8;

export const objectives = () =>
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

export const constraints = () =>
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
