import { dirname, resolve } from 'node:path';
import { SarrafError } from '../domain/errors.ts';
import { formatProblems, problemLines, readDocument } from '../configuration/load-yaml.ts';
import { readFailure, readSmallFile } from '../configuration/secret-file.ts';
import { studySettings, type StudySettings } from './study-settings.ts';

/** A larger file is no study. */
const LARGEST_FILE_BYTES = 1024 * 1024;

/** A study that was read: what it says, and the same as it was written, with paths that are whole. */
export interface ReadStudy {
  readonly settings: StudySettings;
  /** Plain JSON that `readWrittenStudy` reads again. */
  readonly written: Readonly<Record<string, unknown>>;
}

/**
 * Reads the file of a study; its paths count from its folder. Throws `INVALID_FILE` with every problem at
 * once, a line each, in the order of the file.
 */
export function readStudyFile(file: string): ReadStudy {
  let text: string;
  try {
    ({ text } = readSmallFile(resolve(file), LARGEST_FILE_BYTES));
  } catch (error) {
    throw new SarrafError('INVALID_FILE', `${file}:1:1: ${readFailure(error)}`);
  }
  let plain: unknown;
  const { read } = readDocument(text, studySettings, (document) => {
    plain = document.toJS();
    return [];
  });
  if (!read.ok) throw new SarrafError('INVALID_FILE', formatProblems(file, read.problems));
  return withWholePaths(read.value, plain, dirname(resolve(file)));
}

/**
 * Reads a study from plain values, such as what a study's store kept. Throws `INVALID_OPTIONS` with every
 * problem at once.
 */
export function readWrittenStudy(written: unknown, folder: string = process.cwd()): ReadStudy {
  const read = studySettings.safeParse(written);
  if (read.success) return withWholePaths(read.data, written, folder);
  throw new SarrafError('INVALID_OPTIONS', problemLines(read.error).join('\n'));
}

/** The same as `written` of settings that were read otherwise, with paths that are whole. */
export function withWholePaths(settings: StudySettings, plain: unknown, folder: string): ReadStudy {
  const whole = (path: string): string => resolve(folder, path);
  const { strategy, csv, catalogue, signals } = settings;
  const paths = {
    strategy: isPath(strategy) ? whole(strategy) : strategy,
    ...(csv === undefined
      ? {}
      : {
          csv:
            typeof csv === 'string'
              ? whole(csv)
              : Object.fromEntries(Object.entries(csv).map(([market, path]) => [market, whole(path)])),
        }),
    ...(catalogue === undefined ? {} : { catalogue: whole(catalogue) }),
    ...(signals === undefined ? {} : { signals: whole(signals) }),
  };
  return {
    settings: { ...settings, ...paths },
    written: { ...Object(plain), ...paths } as ReadStudy['written'],
  };
}

/** A name has neither a folder nor an ending. */
function isPath(strategy: string): boolean {
  return /[/\\.]/.test(strategy);
}
