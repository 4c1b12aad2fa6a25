import type { CheckFinding, CheckVerdict } from './check-finding.ts';

const VERDICTS: readonly CheckVerdict[] = ['problem', 'warning', 'not checked', 'ok'];

/** For people: a line a finding, one below it with the remedy, and at the end how many there are of each. */
export function doctorLines(findings: readonly CheckFinding[]): readonly string[] {
  const width = Math.max(...VERDICTS.map(({ length }) => length));
  const margin = ' '.repeat(width + 2);
  const lines = findings.flatMap(({ check, verdict, text, remedy }) => [
    `${verdict.padEnd(width)}  ${check}: ${indented(text, margin)}`,
    ...(remedy === null ? [] : [`${margin}-> ${indented(remedy, margin)}`]),
  ]);
  const counts = VERDICTS.map((verdict) => [
    verdict,
    findings.filter((finding) => finding.verdict === verdict).length,
  ])
    .filter(([, count]) => count !== 0)
    .map(([verdict, count]) => `${count} ${verdict}`);
  return [...lines, '', counts.join(', ')];
}

/** A text of several lines stays under its finding. */
function indented(text: string, margin: string): string {
  return text.replaceAll('\n', `\n${margin}   `);
}
