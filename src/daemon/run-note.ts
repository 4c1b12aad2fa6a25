import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { writePrivateFile } from '../configuration/private-file.ts';
import { ALERTS_STATES, alertsState } from './alerts-state.ts';
import { BOT_MODES } from '../mirror/mirror-path.ts';
import type { BotConfig } from './create-bot-config.ts';
import { pluginText } from './strategy-settings.ts';

const stored = z.object({
  mode: z.enum(BOT_MODES),
  instance: z.string().max(40),
  /** Absent from the note of an older sarraf. */
  alerts: z.enum(ALERTS_STATES).optional(),
  strategies: z
    .array(
      z.object({
        name: z.string().max(100),
        plugin: z.string().max(4_096),
        market: z.string().max(40).nullable(),
      }),
    )
    .max(1_000),
});

/** Start conditions of a run, for readers of its data folder alone. It contains no secret. */
export type RunNote = z.output<typeof stored>;

const notePath = (dataFolder: string): string => join(dataFolder, 'run.json');

/** Notes it down; it stays when the run has ended. Throws what the system throws. */
export function writeRunNote(config: BotConfig): void {
  const { mode, instance, strategies, data } = config;
  const note: RunNote = {
    mode,
    instance,
    alerts: alertsState(config),
    strategies: strategies.map(({ name, plugin, market }) => ({ name, plugin: pluginText(plugin), market })),
  };
  writePrivateFile(notePath(data.folder), JSON.stringify(note));
}

/** The note of the last run; null where there is none that can be read. */
export function readRunNote(dataFolder: string): RunNote | null {
  try {
    return stored.safeParse(JSON.parse(readFileSync(notePath(dataFolder), 'utf8'))).data ?? null;
  } catch {
    return null;
  }
}
