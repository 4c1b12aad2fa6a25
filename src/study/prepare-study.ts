import { readFileSync } from 'node:fs';
import { readSignals } from '../backtest/signals/read-signals.ts';
import { strategyFileOf } from '../daemon/load-instances.ts';
import type { BotConfig } from '../daemon/settings/create-bot-config.ts';
import { SarrafError } from '../domain/errors.ts';
import { present } from '../domain/invariant.ts';
import { formatPluginProblem, loadStrategies } from '../plugins/load-strategies.ts';
import { ownFileHint } from '../plugins/own-file-hint.ts';
import { ownStrategies } from '../plugins/own-files.ts';
import type { StrategyDefinition } from '../strategy/definition.ts';
import { codeHash } from './data/code-hash.ts';
import type { StudyData } from './data/study-data.ts';
import type { ReadStudy } from './file/read-study.ts';
import type { StudySettings } from './file/study-settings.ts';
import { searchedSpace } from './question/searched-space.ts';
import { identityOf, type StudyIdentity } from './question/study-identity.ts';
import { studyQuestion } from './question/study-question.ts';
import type { Space } from './space/parameter.ts';
import { loadBars, loadRecordings } from './load-data.ts';
import { setupOfStudy } from './trials/setup-of-study.ts';
import { botConfigOf, type StudySetup } from './trials/trial-setup.ts';

/** A study that can be run: all that it needs was found, and fits together. */
export interface PreparedStudy {
  readonly settings: StudySettings;
  /** The study as it was written, with the space that the strategy declared. */
  readonly written: Readonly<Record<string, unknown>>;
  readonly space: Space;
  readonly identity: StudyIdentity;
  readonly data: StudyData;
  /** Everything a trial needs besides its params and data. */
  readonly setup: StudySetup;
  readonly strategyFile: string;
  /** Warnings about the study, a line each. */
  readonly problems: readonly string[];
}

/**
 * Loads the strategy, the bars and the signals of a study. Throws `INVALID_OPTIONS`, `INVALID_STRATEGY` or
 * `INVALID_FILE` for what does not fit, before anything is run.
 */
export async function prepareStudy({ settings, written }: ReadStudy): Promise<PreparedStudy> {
  const setup = setupOfStudy(settings);
  const config = botConfigOf(setup.overrides);
  const file = fileOf(config);
  const { params: schema } = await definitionOf(file);
  const fixed = settings.params;
  const { space, declared } = searchedSpace({ declared: written['space'], schema, fixed });
  const signals = settings.signals === undefined ? null : await readSignals(settings.signals);
  const of = { settings, config, space, setup, signals };
  const { data, problems } = await (settings.fidelity === 'poll' ? loadRecordings(of) : loadBars(of));
  const identity = identityOf({
    question: studyQuestion(settings, space),
    code: codeHash(file),
    data: data.sets,
    signals: data.signals,
  });
  return {
    settings,
    written: { ...written, space: declared },
    space,
    identity,
    data,
    setup,
    strategyFile: file,
    problems,
  };
}

function fileOf({ strategies, strategiesFolders }: BotConfig): string {
  const { plugin } = present(strategies[0], 'a strategy');
  if (plugin.kind === 'definition') throw new SarrafError('INVARIANT', 'expected the file of a strategy');
  const folders = [...strategiesFolders, ownStrategies()];
  const file = strategyFileOf(plugin, folders);
  if (file !== null) return file;
  const expected =
    plugin.kind === 'file' ? `a file at ${plugin.path}` : `${plugin.name} in ${folders.join(' or ')}`;
  throw new SarrafError(
    'INVALID_OPTIONS',
    `strategy: expected ${expected}, found none${plugin.kind === 'name' ? ownFileHint(plugin.name, process.cwd()) : ''}`,
  );
}

async function definitionOf(file: string): Promise<StrategyDefinition> {
  // Said as any file that can not be read is.
  readFileSync(file);
  const { strategies, problems } = await loadStrategies(file);
  const [first] = strategies;
  if (first !== undefined) return first.definition;
  throw new SarrafError('INVALID_STRATEGY', problems.map(formatPluginProblem).join('; '));
}
