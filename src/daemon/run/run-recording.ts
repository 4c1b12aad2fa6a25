import { messageOf, SarrafError } from '../../domain/errors.ts';
import type { MirrorStore } from '../../mirror/mirror-store.ts';
import type { Venue } from '../../venues/venue.ts';
import type { CreatedBot } from './create-bot.ts';
import { mirrorName } from '../../mirror/mirror-path.ts';
import { EventFile, writeSessionFile } from '../session-file.ts';
import type { Recording } from './recording.ts';
import { recordedText, recordingLines } from '../recording-lines.ts';
import { notify, type Screen } from './screen.ts';
import type { BotConfig } from '../create-bot-config.ts';

/**
 * A longer time between two looks at a book is a gap of its recording, where polls come at their usual pace.
 */
const LONGEST_PAUSE_MS = 60_000;

/** Parts that a run begins with. */
interface BeginningOfRun {
  readonly bot: CreatedBot;
  readonly venue: Venue;
  readonly config: BotConfig;
  readonly mirror: MirrorStore;
}

/** The recording of a run; null where none is configured. */
export async function createRecording({ record }: BotConfig, screen: Screen): Promise<Recording | null> {
  if (record === null) return null;
  const { Recording: Recorded } = await import('./recording.ts');
  return new Recorded({ ...record, onProblem: (message) => notify(screen, { level: 'error', message }) });
}

/** Creates the file that stores the bot's events, beside its mirror. */
export function createEventFile({ data }: BotConfig, screen: Screen): EventFile {
  return new EventFile({
    folder: data.folder,
    onProblem: (message) => notify(screen, { level: 'error', message }),
  });
}

/**
 * Begins to record what the bot will see. A folder that another has, or that can not be written to, keeps no
 * bot from trading: it is reported.
 */
export async function beginRecording(
  recording: Recording,
  of: BeginningOfRun & { readonly screen: Screen },
): Promise<void> {
  const { bot, venue, config, screen, mirror } = of;
  const isEmbedded = config.mode === 'embedded';
  try {
    await recording.begin({
      markets: [...bot.engine.markets.all()].map(({ market }) => market.symbol),
      source: sourceOf(config),
      beganMs: isEmbedded ? venue.time.now() : null,
      longestPauseMs: LONGEST_PAUSE_MS * venue.pollStretch,
    });
    recordBeginning(screen, { bot, venue, config, mirror });
  } catch (error) {
    if (!(error instanceof SarrafError) || error.code !== 'DATA_UNUSABLE') throw error;
    notify(screen, { level: 'error', message: `recording: nothing is recorded: ${error.message}` });
  }
}

/** So that the session can be run again. A disk that does not take it keeps no bot from trading. */
function recordBeginning(screen: Screen, { bot, venue, config, mirror }: BeginningOfRun): void {
  try {
    writeSessionFile(config, {
      beganMs: venue.time.now(),
      pollStretch: venue.pollStretch,
      mirror: mirrorName(config.mode),
      markets: [...bot.engine.markets.all()].map(({ market }) => market),
      state: mirror.load(),
    });
  } catch (error) {
    notify(screen, {
      level: 'error',
      message: `recording: this session can not be run again: ${messageOf(error)}`,
    });
  }
}

function sourceOf({ mode, embedded, exchange, paper }: BotConfig): string {
  if (mode === 'embedded') return `embedded exchange, ${embedded.replay ?? `seed ${embedded.seed}`}`;
  return (mode === 'paper' ? paper.baseUrl : exchange.baseUrl) ?? mode;
}

/** Reports what was recorded, once all of it is in its final place. */
export async function endRecording(
  recording: Recording,
  of: {
    readonly config: BotConfig;
    readonly json: boolean;
    readonly write: (line: string) => void;
    readonly screen: Screen;
    /** Command that runs sarraf here. */
    readonly program?: string;
  },
): Promise<void> {
  await recording.close();
  const summary = recording.summary();
  if (of.json || of.config.mode !== 'embedded') {
    of.screen.log('recorded', `recorded ${recordedText(summary)}`, { ...summary });
  } else ['', ...recordingLines(summary, of.program)].forEach(of.write);
}
