import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { Command } from 'commander';
import { ownStrategies } from '../../plugins/own-files.ts';
import { sourceOfRedis, type FileSource, FileCache } from '../../study/file-cache.ts';
import type { RedisAddress } from '../../redis/redis-server.ts';
import { MOST_WORKERS } from '../../study/thread-runner.ts';
import { wrongInput, asCommand } from '../command-error.ts';
import { endSignal } from '../end-signal.ts';
import { closing } from '../../domain/closing.ts';
import { dataOption, integerOption } from '../option-readers.ts';
import { dataFromOption, readSecret, redisOption, secretOption } from '../study/remote-options.ts';

interface Options {
  readonly redis?: RedisAddress;
  readonly threads: number;
  readonly strategies: readonly string[];
  readonly dataFrom: readonly FileSource[];
  readonly data: string;
  readonly secretFile?: string;
}

const EXAMPLES = `
It takes studies that "sarraf study run … --redis" offers, one after the other, and computes their
trials. It waits where there is none, and ends at SIGTERM: trials under way are ended, the rest of
its jobs goes to other workers. It refuses a study of another version of sarraf, and one whose
strategy it does not have. It fetches data only from the host of --redis, or from those that
--data-from names. docs/distributed-studies.md explains it.
The password may be in SARRAF_REDIS_PASSWORD. Another certificate authority than those of Node is
named in NODE_EXTRA_CA_CERTS.

Examples:
  sarraf worker --redis redis://10.0.0.2
  sarraf worker --redis rediss://:PASSWORD@redis.example:6380 --threads 8 --strategies my-strategies
  sarraf worker --redis redis://10.0.0.2 --data-from 10.0.0.1:7300
  sarraf worker --redis redis://10.0.0.2 --secret-file study.secret

Exit codes: 0 it was asked to end; 1 Redis refuses it, or a folder can not be used; 2 an option is
wrong.`;

const t = (line: string): void => console.log(line);

async function work({ redis, threads, strategies, dataFrom, data, secretFile }: Options): Promise<void> {
  if (redis === undefined) throw wrongInput('expected --redis, such as --redis redis://10.0.0.2, found none');
  const secret = readSecret(secretFile);
  const folder = resolve(data, 'worker');
  const cache = new FileCache(join(folder, 'candles'));
  // Loaded late: help and completion need no Redis.
  const { RedisLink } = await import('../../study/redis-link.ts');
  const { refuseOldRedis } = await import('../../study/open-redis-runner.ts');
  const { StudyWorker } = await import('../../study/study-worker.ts');
  using ended = endSignal();
  const { signal } = ended;
  using link = closing(new RedisLink(redis, t));
  signal.addEventListener('abort', () => link.giveUp(), { once: true });
  await link.open({ waits: true });
  if (signal.aborted) return;
  await refuseOldRedis(link);
  t(`waits for studies at ${link.shown}`);
  const folders = [...strategies.map((path) => resolve(path)), ownStrategies()];
  const sources = dataFrom.length === 0 ? [sourceOfRedis(redis)] : dataFrom;
  const means = { folders, codeFolder: join(folder, 'code'), cache, sources, secret, log: t, signal };
  await new StudyWorker({ link, threads, means, log: t, signal }).run();
}

export function workerCommand(): Command {
  const command = new Command('worker')
    .description('Computes trials of studies that are offered in a Redis or Valkey, in threads.')
    .option('--redis <url>', 'the Redis or Valkey, such as redis://:PASSWORD@HOST:6379', redisOption)
    .option(
      '--threads <number>',
      'trials at once, one a core',
      integerOption(1, MOST_WORKERS),
      Math.min(MOST_WORKERS, availableParallelism()),
    )
    .option(
      '--strategies <folder>',
      'folder of strategies beside those that are bundled; repeatable',
      (text: string, before: readonly string[]) => [...before, text],
      [],
    )
    .option(
      '--data-from <host[:port]>',
      'a coordinator from which data is fetched; repeatable (default: the host of --redis)',
      (text: string, before: readonly FileSource[]) => [...before, dataFromOption(text)],
      [],
    )
    .addOption(dataOption('data folder; candles and code are kept below it'))
    .addHelpText('after', EXAMPLES);
  return secretOption(command).action(asCommand(work));
}
