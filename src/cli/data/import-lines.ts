import type { AppendOutcome } from '../../recording/append-outcome.ts';
import type { ImportPart, ImportReport } from '../../recording/import-report.ts';
import { isoText } from '../../domain/time-text.ts';

/** Rejects that are shown; all are in their file. */
const MOST_SHOWN = 5;

/** Returns the result of an import, for programs. */
export function reportJson({ rejects, ...report }: ImportReport): object {
  return { ...report, rejected: rejects.count, firstRejects: rejects.kept.slice(0, MOST_SHOWN) };
}

/** Returns the result of an import, for people. */
export function importLines(report: ImportReport, rejectsFile: string | null): string[] {
  const { rejects, file } = report;
  const lines = [`${file}: ${report.rows.toLocaleString('en')} rows`];
  lines.push(
    ...report.parts.flatMap((part) => partLines(part, report.market)),
    ...report.notes.map((note) => `  ${note}`),
  );
  if (report.result !== 'imported' || rejects.count === 0) return lines;
  lines.push(`  ${rejects.count.toLocaleString('en')} rows were not taken, all of them in ${rejectsFile}`);
  lines.push(
    ...rejects.kept.slice(0, MOST_SHOWN).map(({ line, problem }) => `    ${file}:${line}: ${problem}`),
  );
  return lines;
}

function partLines({ kind, timeframe, outcome }: ImportPart, market: string): string[] {
  const name = `${market} ${kind}${timeframe === null ? '' : `-${timeframe}`}`;
  return [`  ${name}: ${outcomeText(outcome)}`, ...conflictLines(outcome)];
}

/** Describes the result of an append. */
export function outcomeText(outcome: AppendOutcome): string {
  if (outcome.kind === 'abandoned') return 'nothing was changed';
  if (outcome.kind === 'conflict') {
    const what = outcome.conflicts.some(({ isWithin }) => isWithin) ? 'one another' : 'what is there';
    return `${outcome.count} contradict ${what}; nothing was changed`;
  }
  const { added, known, fromMs, toMs } = outcome;
  const from = fromMs === null || toMs === null ? '' : `, ${isoText(fromMs)} to ${isoText(toMs)}`;
  const there = known === 0 ? '' : `, ${known.toLocaleString('en')} were there or came twice`;
  return `${added.toLocaleString('en')} added${there}${from}`;
}

/** The records that contradict others, one a line. */
export function conflictLines(outcome: AppendOutcome): string[] {
  if (outcome.kind !== 'conflict') return [];
  return outcome.conflicts.map(
    ({ timeMs, isWithin, there, given }) =>
      `    ${isoText(timeMs)}: ${isWithin ? `both ${there} and ${given} came` : `there is ${there}, ${given} came`}`,
  );
}
