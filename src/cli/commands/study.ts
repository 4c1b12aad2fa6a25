import { Command } from 'commander';
import { studyNewCommand } from '../study/new-command.ts';
import { openHoldoutCommand } from '../study/open-holdout-command.ts';
import { studyReportCommand } from '../study/report-command.ts';
import { studyResumeCommand, studyRunCommand } from '../study/run-command.ts';
import { studyShowCommand } from '../study/show-command.ts';
import { studyStatusCommand } from '../study/status-command.ts';
import { studyStressCommand } from '../study/stress-command.ts';
import { studyWalkForwardCommand } from '../study/walk-forward-command.ts';

const EXAMPLES = `
A study tries params of a strategy on recorded data, and keeps every trial. docs/studies.md
explains it.

Examples:
  sarraf study new study.yaml
  sarraf study run study.yaml
  sarraf study show study
  sarraf study report study
  sarraf study walk-forward study
  sarraf study stress study
  sarraf study open-holdout study
  sarraf study run ma-cross --csv hours.csv --market BTCUSDT --cash 10000 --fee 0.1% --trials 60
  sarraf study run study.yaml --redis redis://10.0.0.2 --serve 10.0.0.2:7300

Exit codes: 0 the study ended, or was asked to; 1 no trial has values, or a file or Redis can not be
used; 2 an option or a file is wrong.`;

/** `sarraf study`: the search for params. */
export function studyCommand(): Command {
  const command = new Command('study')
    .description('Searches the params of a strategy, on all cores, and counts every trial.')
    .addHelpText('after', EXAMPLES);
  for (const create of [
    studyNewCommand,
    studyRunCommand,
    studyStatusCommand,
    studyShowCommand,
    studyReportCommand,
    studyResumeCommand,
    studyWalkForwardCommand,
    studyStressCommand,
    openHoldoutCommand,
  ]) {
    command.addCommand(create().exitOverride());
  }
  return command;
}
