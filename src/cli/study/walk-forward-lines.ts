import { countText } from '../../domain/money-text.ts';
import { studyVoice } from '../../study/texts/study-voice.ts';
import type { WalkForwardResult } from '../../study/walk-forward/walk-forward-result.ts';
import {
  accountTexts,
  driftTexts,
  textRows,
  windowTexts,
  type WalkColumn,
} from '../../study/walk-forward/walk-texts.ts';
import { tableLines } from '../table.ts';

/** A walk-forward for people. */
export function walkForwardLines(result: WalkForwardResult): readonly string[] {
  const { study, plan, windows, trialsAWindow, notes, hash, file } = result;
  return [
    `${study}: ${windows.length} ${plan.kind} windows, ${countText(trialsAWindow, 'trial')} each; what was chosen (${plan.choose}) trades in one account`,
    '',
    ...linesOf(windowTexts(result)),
    '',
    ...linesOf(driftTexts(result)),
    '',
    ...tableLines(
      [{ title: 'the account, out of sample' }, { title: '', align: 'right' }],
      accountTexts(result),
    ),
    '',
    ...notes.map(studyVoice('en').tell),
    `hash ${hash}`,
    file,
  ];
}

const linesOf = (columns: readonly WalkColumn[]): readonly string[] =>
  tableLines(
    columns.map(({ title, isWord }) => (isWord ? { title } : { title, align: 'right' as const })),
    textRows(columns),
  );
