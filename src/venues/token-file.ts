import { messageOf } from '../domain/errors.ts';
import { rmSync } from 'node:fs';
import { z } from 'zod';
import { subjectOf } from '../budget/ledger-file.ts';
import type { IssuedToken } from '../exchange/session.ts';
import { readPrivateFile, writePrivateFile } from '../configuration/private-file.ts';

/** The token of an earlier log-in, and the place for the next one. */
export interface KnownToken {
  readonly token?: IssuedToken;
  readonly onToken: (token: IssuedToken) => void;
  readonly onTokenRefused: (key: string) => void;
}

/** Beside the token, whose file holds nothing else: so a configuration or a script can name that one. */
const times = z.strictObject({
  /** A hash of the token that the times are of: a crash may leave them beside another. */
  token: z.string(),
  issuedAtMs: z.int().nonnegative(),
  expiresAtMs: z.int().nonnegative(),
});

const timesPath = (path: string): string => `${path}.times`;

/**
 * Keeps a token, and beside it until when it is valid, for this user alone. Throws what the system throws.
 */
export function keepToken(path: string, { key, issuedAtMs, expiresAtMs }: IssuedToken): void {
  writePrivateFile(path, `${key}\n`);
  const beside = { token: subjectOf(key), issuedAtMs, expiresAtMs } satisfies z.output<typeof times>;
  writePrivateFile(timesPath(path), `${JSON.stringify(beside)}\n`);
}

/**
 * The token of a file. It saves a log-in and no more, so files that can not be read or written are said and
 * passed over. A token without times is not tried: nobody knows whether it is valid, and bad tokens get an
 * address blocked.
 */
export function knownToken(path: string, onProblem: (message: string) => void): KnownToken {
  const problem = (what: string, next: string): void => onProblem(`${what}: ${next}. File: ${path}`);
  let token: IssuedToken | null = null;
  try {
    token = readToken(path);
  } catch (error) {
    problem(
      `the token of an earlier log-in can not be used (${reasonOf(error)})`,
      'a new log-in replaces it',
    );
  }
  return {
    ...(token === null ? {} : { token }),
    onToken(next) {
      try {
        keepToken(path, next);
      } catch (error) {
        problem(`the token can not be stored (${reasonOf(error)})`, 'the next start logs in again');
      }
    },
    onTokenRefused(key) {
      try {
        // The token stays for whoever named its file; without times no bot tries it. A newer one of another
        // process keeps its own.
        if (readTimes(path)?.token === subjectOf(key)) rmSync(timesPath(path), { force: true });
      } catch (error) {
        problem(
          `the times of a refused token can not be removed (${reasonOf(error)})`,
          'the next start may try it again',
        );
      }
    },
  };
}

/**
 * Null where there is none, or none with times. Throws for files that are damaged or do not belong together.
 */
function readToken(path: string): IssuedToken | null {
  const beside = readTimes(path);
  const key = beside === null ? null : readPrivateFile(path);
  if (beside === null || key === null) return null;
  const { token, issuedAtMs, expiresAtMs } = beside;
  if (subjectOf(key) !== token)
    throw new RangeError('expected the token that its times are of, found another text');
  return { key, issuedAtMs, expiresAtMs };
}

function readTimes(path: string): z.output<typeof times> | null {
  const text = readPrivateFile(timesPath(path));
  if (text === null) return null;
  let content: unknown = null;
  try {
    content = JSON.parse(text);
  } catch {
    // Judged below: what it holds is never part of a message.
  }
  const read = times.safeParse(content);
  if (!read.success)
    throw new RangeError(`expected the times of a token in ${timesPath(path)}, found something else`);
  return read.data;
}

function reasonOf(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  return code ?? messageOf(error);
}
