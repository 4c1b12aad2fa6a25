import { z } from 'zod';
import { sentenceField } from './fields.ts';

/** Reason a request was not carried out. */
export const errorReply = z.object({
  error: z.object({
    code: z
      .enum([
        'not-found',
        'invalid-request',
        'no-token',
        'wrong-token',
        'too-many-tries',
        'not-allowed',
        'wrong-origin',
        'wrong-host',
        'wrong-method',
        'too-large',
        'too-many-streams',
        'key-taken',
        'no-bot',
        'signal-refused',
        'signal-dropped',
        'too-many-signals',
        'no-mirror',
        'data-unusable',
        'too-slow',
        'internal',
      ])
      .describe('For programs. `no-mirror`: the bot is starting, or never ran.'),
    message: z.string().describe('For people: what was expected, what was found, what to do.'),
    messageFacts: sentenceField,
    field: z.string().optional().describe('What of the request was wrong, such as `amount`.'),
  }),
});

export type ErrorReply = z.output<typeof errorReply>;
export type ApiErrorCode = ErrorReply['error']['code'];
