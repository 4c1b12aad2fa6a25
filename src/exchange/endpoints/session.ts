import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { textField, textOrNull } from '../reply-types.ts';
import { secretText, text as requiredText } from '../request-types.ts';
import { budget } from './budget.ts';

/** A one-time password, where the account asks for one, goes in the `X-TOTP` header, not in the body. */
export const login = endpoint({
  name: 'login',
  method: 'POST',
  path: '/auth/login/',
  access: 'none',
  budget: budget('auth/login', { per: 'ip', limit: 30, minutes: 10 }),
  idempotent: false,
  sends: 'json',
  timeoutMs: 15_000,
  request: z.object({
    username: requiredText(),
    password: secretText(1024),
    remember: z.string().optional().describe('yes asks for a token of 30 days instead of 4 hours.'),
    captcha: z.string().optional().describe('api for a log-in without a person.'),
    // The interface does not state its place, so it goes here.
    device: z.string().optional().describe('Name of this device, as an earlier log-in returned it.'),
  }),
  reply: z.object({ key: textField, device: textOrNull }),
  example: { username: 'trader', password: 'env:PASSWORD', captcha: 'api' },
  summary: 'Exchanges a user name and password for a token.',
  section: 'Authentication and user information',
});
