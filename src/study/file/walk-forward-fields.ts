import { z } from 'zod';
import { duration } from '../../daemon/setting-fields.ts';
import { MOST_TRIALS } from '../../search/trial-record.ts';

/** Long enough for any recording: forty years. */
const LONGEST_MS = 40 * 366 * 86_400_000;

const stretch = () => duration({ mostMs: LONGEST_MS });

const gap = () => duration({ leastMs: 0, mostMs: LONGEST_MS }).prefault('0s');

/** `validation.walkForward` of a study. Lengths of time in ms. */
export const walkForward = () =>
  z
    .strictObject({
      kind: z
        .enum(['anchored', 'rolling'])
        .prefault('rolling')
        .describe('anchored: every train window begins with the range. rolling: all are of one length.'),
      train: stretch().describe('The first train window, such as 180d; of rolling ones each.'),
      test: stretch().describe('What follows a train window, traded with what was chosen in it.'),
      step: stretch().optional().describe('From one test window to the next; test without it.'),
      purge: gap().describe('The end of each train window that no trial sees.'),
      embargo: gap().describe('What lies between a train window and its test window.'),
      choose: z
        .enum(['best', 'plateau'])
        .prefault('best')
        .describe('best: the best trial of a window. plateau: one whose neighbours are good, too.'),
      trials: z
        .int()
        .min(1)
        .max(MOST_TRIALS)
        .optional()
        .describe('Trials of each window; as many as budget.trials without it.'),
    })
    .superRefine(({ train, test, step, purge }, context) => {
      const refuse = (path: string, message: string): void => {
        context.addIssue({ code: 'custom', path: [path], message });
      };
      if (purge >= train)
        refuse('purge', 'expected a purge shorter than train, found one that leaves nothing');
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

export type WalkForwardPlan = z.output<ReturnType<typeof walkForward>>;
