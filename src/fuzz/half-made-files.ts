import Database from 'better-sqlite3';
import { writeFileSync } from 'node:fs';
import { Dice } from './dice.ts';

const SHARE_OF_SEEDS = 0.3;

/** "sarr" in ASCII: the mark of a mirror, which is written before anything else of it. */
const MIRROR_MARK = 0x73617272;

/**
 * Leaves the files of a bot as its very first start leaves them that is killed while it makes them: in some
 * seeds, and of each file none, one without bytes, or one without tables. Answers what it left, in words.
 */
export function leaveHalfMade(
  seed: number,
  { mirrorPath, ledgerPath }: { readonly mirrorPath: string; readonly ledgerPath: string },
): readonly string[] {
  const dice = Dice.of(seed, 'first start');
  if (!dice.happens(SHARE_OF_SEEDS)) return [];
  return [mirrorPath, ledgerPath].flatMap((path) => {
    const stage = dice.pick(['nothing', 'no bytes', 'no tables'] as const) ?? 'nothing';
    if (stage === 'nothing') return [];
    writeFileSync(path, '');
    if (stage === 'no tables') {
      const database = new Database(path);
      if (path === mirrorPath) database.pragma(`application_id = ${MIRROR_MARK}`);
      database.pragma('journal_mode = WAL');
      database.close();
    }
    return [`first start killed: ${path === mirrorPath ? 'mirror' : 'ledger'} with ${stage}`];
  });
}
