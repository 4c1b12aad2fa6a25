import { type Command, InvalidArgumentError } from 'commander';
import type { PreparedStudy } from '../../study/prepare-study.ts';
import { readSmallFile, readFailure } from '../../configuration/secret-file.ts';
import { checkSecret } from '../../study/code-bundle.ts';
import { readRedisAddress, REDIS_PASSWORD, type RedisAddress } from '../../redis/redis-server.ts';
import {
  readFileSource,
  type FileSource,
  LOOPBACK,
  readServedAddress,
  type ServedAddress,
} from '../../study/file-cache.ts';
import type { StudyRunner } from '../../study/trial-runner.ts';
import { wrongInput } from '../command-error.ts';
import type { ProgressReport } from '../progress-report.ts';

const LARGEST_SECRET_BYTES = 4_096;

/** Environment variable of the secret if no file is named. */
const SECRET = 'SARRAF_STUDY_SECRET';

/** Options of commands whose trials other machines can run. */
export interface RemoteFlags {
  readonly redis?: RedisAddress;
  readonly serve?: ServedAddress;
  readonly sendCode?: true;
  readonly secretFile?: string;
}

/** Adds the options for trials on other machines. */
export function remoteOptions(command: Command): Command {
  return secretOption(
    command
      .option('--redis <url>', 'has workers of this Redis or Valkey run the trials', redisOption)
      .option(
        '--serve <host:port>',
        'where workers get candles (default: this machine only)',
        (text: string) => asOption(() => readServedAddress(text)),
      )
      .option('--send-code', "sends the strategy's code to workers that know the secret; they run it"),
  );
}

/** Adds the option for the secret that coordinator and workers share. */
export const secretOption = (command: Command): Command =>
  command.option('--secret-file <file>', `file of the secret that code is signed with (or ${SECRET})`);

/** Reads the address of a Redis; its password may be in the environment. */
export const redisOption = (text: string): RedisAddress =>
  asOption(() => readRedisAddress(text, process.env[REDIS_PASSWORD]));

export const dataFromOption = (text: string): FileSource => asOption(() => readFileSource(text));

function asOption<Value>(read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    if (error instanceof Error) throw new InvalidArgumentError(`${error.message}.`);
    throw error;
  }
}

/** Reads the secret from a file or the environment; null if there is none. */
export function readSecret(file: string | undefined): string | null {
  const ofEnvironment = process.env[SECRET];
  if (file === undefined)
    return ofEnvironment === undefined || ofEnvironment === '' ? null : checkSecret(ofEnvironment);
  let read: ReturnType<typeof readSmallFile>;
  try {
    read = readSmallFile(file, LARGEST_SECRET_BYTES);
  } catch (error) {
    throw wrongInput(`expected the secret in ${file}: ${readFailure(error)}`);
  }
  if (read.isOpenToAll)
    throw wrongInput(`expected a file that others can not read, found ${file}: chmod 600 ${file}`);
  return checkSecret(read.text);
}

/** Returns a runner of trials that replaces threads; none without `--redis`. */
export function remoteRunner(
  { redis, serve, sendCode, secretFile }: RemoteFlags,
  { signal, report }: { readonly signal: AbortSignal; readonly report: ProgressReport },
): { readonly openRunner?: (study: PreparedStudy) => Promise<StudyRunner> } {
  if (redis === undefined) {
    if (serve === undefined && sendCode === undefined && secretFile === undefined) return {};
    throw wrongInput('expected --redis with --serve, --send-code and --secret-file, found none');
  }
  const secret = sendCode === true ? readSecret(secretFile) : null;
  if (sendCode === true && secret === null)
    throw wrongInput(`expected a secret with --send-code: give --secret-file, or set ${SECRET}`);
  const log = (line: string): void => {
    // The progress line is drawn again after this message.
    report.end();
    console.error(line);
  };
  return {
    async openRunner(study) {
      // Loaded late: few studies need Redis.
      const { openRedisRunner } = await import('../../study/open-redis-runner.ts');
      return openRedisRunner(study, { redis, serve: serve ?? LOOPBACK, secret, signal, log });
    },
  };
}
