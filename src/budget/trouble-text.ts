import { MOST_SEND_DELAY_MS } from './admission.ts';
import type { BudgetTrouble } from './budget-lane.ts';

/** Returns the message about a problem of a budget, in one line. */
export function troubleText(trouble: BudgetTrouble, ledgerFile: string): string {
  if (trouble.kind === 'ledger unusable') {
    return `the ledger of requests at ${ledgerFile} is gone, replaced or can not be written: nothing is sent any more. Look at the disk it is on: once it can be written again, the bot goes on by itself. Where the file is gone or replaced, restart the bot: it makes a new one, which counts every window as full once`;
  }
  if (trouble.kind === 'too late') {
    return `nothing but cancels leaves: for ${Math.round(trouble.forMs / 1_000)} s this machine took over ${MOST_SEND_DELAY_MS} ms to get to each request once it was in the ledger at ${ledgerFile}, and then it is not sent. See what loads the machine; its disk is no reason, since commits are not counted`;
  }
  const { budget, forMs } = trouble;
  const named = namedText(trouble);
  return `${budget} is locked out for ${Math.ceil(forMs / 60_000)} min: the exchange said that a limit was exceeded.${named} Do not restart the bot; see "sarraf budget"`;
}

/** Returns the text on the limit that the exchange names, and its effect. */
function namedText(trouble: Extract<BudgetTrouble, { kind: 'locked out' }>): string {
  const { namedLimit, change, budget } = trouble;
  if (namedLimit === null) return '';
  const text = ` The exchange names a limit of ${namedLimit}`;
  if (change === 'wrong') return `${text}, where a whole number from 1 was expected: it is ignored.`;
  if (change === null) return `${text}.`;
  return `${text}, which is below ours and holds from now on, until 24 hours without a limit reply or "sarraf budget raise ${budget}".`;
}
