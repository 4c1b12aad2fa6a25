import {
  readBotConfig,
  type BotConfigReading,
  type Override,
} from '../../../../src/daemon/read-bot-config.ts';
import type { BotConfig } from '../../../../src/daemon/create-bot-config.ts';

interface Around {
  readonly environment?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string>>;
  /** Paths of files that every user may read. */
  readonly openToAll?: readonly string[];
  readonly overrides?: readonly Override[];
}

/** Reads a text as the file `/bots/bot.yaml`, among the given files. */
export function reading(text: string, around: Around = {}): BotConfigReading {
  const files: Readonly<Record<string, string>> = { '/bots/bot.yaml': text, ...around.files };
  return readBotConfig('bot.yaml', {
    environment: around.environment ?? {},
    workingFolder: '/bots',
    overrides: around.overrides ?? [],
    readFile: (path, largestBytes) => {
      const found = files[path];
      if (found === undefined) throw Object.assign(new Error('none'), { code: 'ENOENT' });
      if (found.length > largestBytes) throw new RangeError(`expected at most ${largestBytes} bytes`);
      return { text: found, isOpenToAll: around.openToAll?.includes(path) === true };
    },
  });
}

export function problemsOf(text: string, around: Around = {}): readonly string[] {
  const read = reading(text, around);
  return read.ok ? [] : read.problems;
}

/** Reads a text that must have no problem, and returns its configuration. */
export function configOf(text: string, around: Around = {}): BotConfig {
  const read = reading(text, around);
  if (!read.ok) throw new Error(read.problems.join('\n'));
  return read.config;
}
