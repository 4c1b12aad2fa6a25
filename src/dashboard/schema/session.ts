import { z } from 'zod';

/** Roles of a token: `read` may view, `operate` may also give commands. */
export const ROLES = ['read', 'operate'] as const;

export type Role = (typeof ROLES)[number];

/** Signed-in person, and the data that the page needs to start. */
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
  lab: z.string().nullable().describe('Address of the lab; null if the configuration names none.'),
});

/** Body for signing in: a token, or the code of a one-time link. */
export const sessionBody = z.union([
  z.strictObject({ token: z.string().min(1).max(200) }),
  z.strictObject({ code: z.string().min(1).max(200) }),
]);

/** Reply that only confirms that the request was carried out. */
export const doneReply = z.object({ ok: z.literal(true) });

export type SessionReply = z.output<typeof sessionReply>;
export type SessionBody = z.output<typeof sessionBody>;
