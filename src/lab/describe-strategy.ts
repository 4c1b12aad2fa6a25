import { fileURLToPath } from 'node:url';
import { answerHere, AnswersApart, READ_ONLY } from '../daemon/answers-apart.ts';
import { messageOf } from '../domain/errors.ts';
import { english } from '../language/sentence.ts';
import { loadStrategy } from '../plugins/load-strategy.ts';
import { ownModule } from '../plugins/own-files.ts';
import { formFieldsOf } from './form-fields.ts';
import type { LabReply } from './lab-schema.ts';

/** Form of a strategy's params, or why its file cannot be read. */
export type DescribedStrategy = LabReply<'params'>;

/** This file is also the program of the child process. */
const FORMS = { program: fileURLToPath(ownModule('lab/describe-strategy')), flags: READ_ONLY };

/**
 * Reads the params of a strategy in a process of its own: its file is other people's code, which may loop,
 * crash or write files. Never rejects.
 */
export async function describeStrategy(file: string, longestMs?: number): Promise<DescribedStrategy> {
  const bounds = longestMs === undefined ? FORMS : { ...FORMS, longestMs };
  const made = await new AnswersApart<string, DescribedStrategy>(bounds).get(file);
  return 'kind' in made ? { fields: [], problem: `${file}: ${english(made.reason)}` } : made;
}

answerHere(FORMS, async (file: string): Promise<DescribedStrategy> => {
  try {
    const { params } = (await loadStrategy(file)).definition;
    return { fields: params === undefined ? [] : [...formFieldsOf(params)], problem: null };
  } catch (error) {
    return { fields: [], problem: messageOf(error) };
  }
});
