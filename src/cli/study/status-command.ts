import { Command } from 'commander';
import { numberText } from '../../backtest/value-text.ts';
import { isLockHeld } from '../../daemon/process-lock.ts';
import { SarrafError } from '../../domain/errors.ts';
import { groupedText } from '../../domain/money-text.ts';
import { StudyFolder } from '../../study/study-place.ts';
import type { StudyResult } from '../../study/study-result.ts';
import { asCommand } from '../as-command.ts';
import { tableLines, type TableColumn } from '../table.ts';
import { readStudyResult } from './read-study-result.ts';
import { dataOption } from '../option-readers.ts';

interface Options {
  readonly data: string;
  readonly json?: true;
}

interface Status extends Pick<
  StudyResult,
  'study' | 'wanted' | 'counts' | 'objectives' | 'best' | 'holdout' | 'trialsOnData'
> {
  readonly isRunning: boolean;
  readonly hasHoldout: boolean;
}

const COLUMNS: readonly TableColumn[] = [
  { title: 'study' },
  { title: 'trials', align: 'right' },
  { title: 'on this data', align: 'right' },
  { title: 'failed', align: 'right' },
  { title: 'objective' },
  { title: 'best', align: 'right' },
  { title: 'hold-out' },
  { title: '' },
];

function status(wanted: string | undefined, options: Options): void {
  const folder = new StudyFolder(options.data);
  const names = wanted === undefined ? folder.names() : [folder.find(wanted)];
  const studies: Status[] = [];
  const unreadable: string[] = [];
  for (const name of names) {
    try {
      studies.push(statusOf(folder, name));
    } catch (error) {
      // One that can not be read must not hide the others.
      if (!(error instanceof SarrafError) || wanted !== undefined) throw error;
      unreadable.push(error.message);
    }
  }
  for (const sentence of unreadable) console.error(sentence);
  if (options.json === true) console.log(JSON.stringify({ studies, unreadable }));
  else if (studies.length === 0) console.log('No studies; "sarraf study run" makes one.');
  else console.log(tableLines(COLUMNS, studies.map(rowOf)).join('\n'));
}

function statusOf(folder: StudyFolder, name: string): Status {
  const result = readStudyResult(folder, name);
  const { study, wanted, counts, objectives, best, holdout, range, trialsOnData } = result;
  return {
    study,
    isRunning: isLockHeld(`${folder.pathOf(name)}.lock`),
    wanted,
    counts,
    objectives,
    best,
    hasHoldout: range.splitMs < range.toMs,
    holdout,
    trialsOnData,
  };
}

function rowOf({
  study,
  isRunning,
  wanted,
  counts,
  objectives,
  best,
  hasHoldout,
  holdout,
  trialsOnData,
}: Status): string[] {
  return [
    study,
    `${counts.done} of ${wanted}`,
    groupedText(String(trialsOnData.trials)),
    String(counts.done - counts.complete),
    objectives.map(({ metric }) => metric).join(', '),
    best === null
      ? 'n/a'
      : objectives.map(({ metric }) => numberText(best.metrics?.[metric] ?? null)).join(', '),
    hasHoldout ? (holdout === null ? 'closed' : 'opened') : 'none',
    isRunning ? 'running' : '',
  ];
}

/** `sarraf study status`. */
export function studyStatusCommand(): Command {
  return new Command('status')
    .description('Lists the studies: how far each is, and its best trial.')
    .argument('[study]', 'only this one: its name, or its file')
    .addOption(dataOption('data folder with the studies'))
    .option('--json', 'prints JSON')
    .addHelpText('after', '\nExamples:\n  sarraf study status\n  sarraf study status study --json')
    .action(async (wanted: string | undefined, options: Options) => asCommand(() => status(wanted, options)));
}
