import { openOutboxFile, type OutboxKeeper } from '../outbox-file.ts';
import { SafeOutbox } from './safe-outbox.ts';

/** Opens the outbox of a run or of its watchdog, and says what is not as it was left. */
export function openOutbox(
  dataFolder: string,
  {
    keeper,
    log,
  }: { readonly keeper: OutboxKeeper; readonly log: (level: 'info' | 'warning', text: string) => void },
): SafeOutbox {
  const outbox = new SafeOutbox(dataFolder, () => openOutboxFile(dataFolder, keeper));
  if (outbox.problem !== null)
    log('warning', `alerts are kept in memory only, and lost with this ${keeper}: ${outbox.problem}`);
  const unsaid = outbox.use((each) => each.settlePutBack(Date.now()));
  if (unsaid !== null)
    log(
      'info',
      `alerts go on from a backup: ${unsaid} messages of more than a day ago are not sent any more`,
    );
  return outbox;
}
