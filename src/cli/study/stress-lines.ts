import type { StressFindings } from '../../study/stress-findings.ts';
import { stressTexts } from '../../study/stress-texts.ts';
import { tableLines } from '../table.ts';

/** The best trial under other conditions, for people. */
export function stressLines(findings: StressFindings): readonly string[] {
  return tableLines(
    [{ title: `trial ${findings.trial} under stress` }, { title: '' }],
    stressTexts(findings).map(({ title, figure, missing }) => [title, figure ?? `not tested: ${missing}`]),
  );
}
