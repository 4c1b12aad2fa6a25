import { z } from 'zod';

/** Permissions of a token: view, or give commands as well. */
export const ROLES = ['read', 'operate'] as const;

export type Role = (typeof ROLES)[number];

/** Person signed in, and the data the page needs to begin. */
export const sessionReply = z.object({
  name: z.string().describe('Name of the token.'),
  role: z.enum(ROLES),
  csrf: z
    .string()
    .nullable()
    .describe(
      'To be sent as the header `x-csrf-token` with every POST and DELETE; null without a cookie session.',
    ),
  endsAtMs: z.int().nullable().describe('When the session ends; null with a token in the header.'),
  language: z.enum(['en', 'fa']).describe('The language of the page at first.'),
  version: z.string().describe('Version of sarraf.'),
});

/** Signs in with a token, or with the code of a one-time link. */
export const sessionBody = z.union([
  z.strictObject({ token: z.string().min(1).max(200) }),
  z.strictObject({ code: z.string().min(1).max(200) }),
]);

/** Nothing to say beyond that it was done. */
export const doneReply = z.object({ ok: z.literal(true) });

export type SessionReply = z.output<typeof sessionReply>;
export type SessionBody = z.output<typeof sessionBody>;
