import { readFileSync } from 'node:fs';
import { readSignals } from '../backtest/read-signals.ts';
import { botConfigOf, fillRulesOf } from '../backtest/run-setup.ts';
import { strategyFileOf } from '../daemon/load-instances.ts';
import type { BotConfig } from '../daemon/create-bot-config.ts';
import { SarrafError } from '../domain/errors.ts';
import { present } from '../domain/invariant.ts';
import { formatPluginProblem, loadStrategies } from '../plugins/load-strategies.ts';
import { ownFileHint } from '../plugins/own-file-hint.ts';
import { ownStrategies } from '../plugins/own-files.ts';
import type { StrategyDefinition } from '../strategy/definition.ts';
import { codeHash } from './data/code-hash.ts';
import type { StudyData } from './data/study-data.ts';
import type { ReadStudy } from './read-study.ts';
import type { StudySettings } from './study-settings.ts';
import { identityOf, type StudyIdentity } from './study-identity.ts';
import type { Space } from '../search/parameter.ts';
import { loadBars, loadRecordings } from './load-data.ts';
import { setupOfStudy, type StudySetup } from './trials/trial-setup.ts';
import { baseName } from '../daemon/strategy-settings.ts';
import type { z } from 'zod';
import { spaceDeclaredBy, type SpaceEntry } from '../search/declared-by-schema.ts';
import { schemaRefusals, type Params } from '../search/params-of-point.ts';
import { readSpace } from '../search/space-declaration.ts';

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

/**
 * All of a study's settings that decide its trials, as plain JSON. Where its data is, how many trials it may
 * have, how long it may take and how it is validated are not among them: the same study goes on with more of
 * them, or elsewhere.
 */
export function studyQuestion(settings: StudySettings, space: Space): Readonly<Record<string, unknown>> {
  const {
    csv: _csv,
    csvForm: _csvForm,
    catalogue: _catalogue,
    signals: _signals,
    budget: _budget,
    space: _space,
    validation: _validation,
    ...asked
  } = settings;
  return JSON.parse(
    JSON.stringify({
      ...asked,
      strategy: baseName(asked.strategy),
      rules: fillRulesOf(asked).rules,
      space: space.parameters,
    }),
  ) as Readonly<Record<string, unknown>>;
}

/** The search space, and the same as the `space` of a study file. */
interface SearchedSpace {
  readonly space: Space;
  readonly declared: Readonly<Record<string, SpaceEntry>>;
}

/**
 * The space of a study: what it declares, else what the strategy's params do, but for those that are fixed.
 * Throws `INVALID_OPTIONS` for a space without params, for one that the strategy does not know, and for a
 * param that is fixed and searched.
 */
function searchedSpace(of: {
  readonly declared: unknown;
  readonly schema: z.ZodType | undefined;
  readonly fixed: Params;
}): SearchedSpace {
  const { schema, fixed } = of;
  if (schema === undefined)
    throw new SarrafError(
      'INVALID_OPTIONS',
      'expected a strategy with params to search, found one without: give it params: z.strictObject({ … })',
    );
  const declared = of.declared === undefined ? ownSpace(schema, fixed) : entriesOf(of.declared);
  const space = readSpace(declared);
  const both = space.parameters.find(({ name }) => isFixed(name, fixed));
  if (both !== undefined)
    throw new SarrafError(
      'INVALID_OPTIONS',
      `expected ${both.name} in the params or in the space, found it in both: leave one of them out`,
    );
  const refusals = schemaRefusals(space, schema, fixed);
  if (refusals.length > 0) throw new SarrafError('INVALID_OPTIONS', `space: ${refusals.join('; ')}`);
  return { space, declared };
}

function ownSpace(schema: z.ZodType, fixed: Params): SearchedSpace['declared'] {
  const own = Object.entries(spaceDeclaredBy(schema)).filter(([name]) => !isFixed(name, fixed));
  if (own.length > 0) return Object.fromEntries(own);
  throw new SarrafError(
    'INVALID_OPTIONS',
    'expected a param to search, found every one that the strategy declares fixed: leave one of them free',
  );
}

/** It was read once already, and so it has the shape of a space. */
function entriesOf(declared: unknown): SearchedSpace['declared'] {
  return Object.fromEntries(Object.entries(Object(declared) as Record<string, SpaceEntry>));
}

function isFixed(name: string, fixed: Params): boolean {
  return Object.keys(fixed).some((key) => name === key || name.startsWith(`${key}.`));
}
