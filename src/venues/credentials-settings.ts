import { z } from 'zod';
import { Secret } from '../configuration/secret.ts';

/**
 * Credentials of the bot at the exchange. The secret parts are wrapped: printed or logged they are
 * `[secret]`.
 */
export type CredentialSettings =
  | { readonly kind: 'token'; readonly token: Secret }
  | { readonly kind: 'key'; readonly publicKey: string; readonly privateKey: Secret }
  | {
      readonly kind: 'login';
      readonly username: string;
      readonly password: Secret;
      /**
       * Base32, as the exchange shows it when one-time passwords are switched on; null where the account asks
       * for none.
       */
      readonly totpSecret: Secret | null;
    };

/** Names of the fields that hold secrets. */
export const SECRET_FIELDS = ['token', 'privateKey', 'password', 'totpSecret'] as const;

const text = () => z.string({ error: 'expected a text' }).min(1, 'expected a text, was empty');

const secret = () => text().transform((value) => new Secret(value));

/** 32 bytes: 43 characters and maybe the padding. The message never repeats what was written. */
const keyPart = () =>
  text().regex(
    /^[A-Za-z0-9_+/-]{43}=?$/,
    'expected 32 bytes in URL-safe Base64, which is 43 characters and maybe "="',
  );

/**
 * Exactly one way in: a token, the two parts of a key, or a user who logs in. Each secret is `${NAME}` of the
 * environment, `file:` with a path, or (not recommended) the text itself.
 */
export const credentialsSettings = z
  .strictObject({
    token: secret().optional().describe('A token of the user panel. A secret.'),
    key: keyPart().optional().describe('The public part of an API key, 32 bytes in URL-safe Base64.'),
    privateKey: keyPart()
      .transform((value) => new Secret(value))
      .optional()
      .describe('The private part of the key, its 32-byte seed in URL-safe Base64. A secret.'),
    username: text().optional().describe('The user who logs in.'),
    password: secret().optional().describe("The user's password. A secret."),
    totpSecret: text()
      .regex(/^[A-Za-z2-7 ]+=*$/, 'expected Base32, which is letters and the digits 2 to 7')
      .transform((value) => new Secret(value))
      .optional()
      .describe('Base32 secret of the one-time passwords, for an account that asks for them. A secret.'),
  })
  .transform((given, context): CredentialSettings => {
    const { token, key, privateKey, username, password, totpSecret = null } = given;
    const ways = [token, key ?? privateKey, username ?? password ?? totpSecret ?? undefined];
    if (ways.filter((way) => way !== undefined).length === 1) {
      if (token !== undefined) return { kind: 'token', token };
      if (key !== undefined && privateKey !== undefined) return { kind: 'key', publicKey: key, privateKey };
      if (username !== undefined && password !== undefined) {
        return { kind: 'login', username, password, totpSecret };
      }
    }
    const written = Object.keys(given).join(', ');
    const message = `expected token alone, or key and privateKey, or username and password (and totpSecret), was ${written === '' ? 'nothing' : written}`;
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  });
