import type { BudgetTrouble } from './budget-lane.ts';

/** What somebody should know of a budget, in one line. */
export function troubleText(trouble: BudgetTrouble, ledgerFile: string): string {
  if (trouble.kind === 'ledger unusable') {
    return `the ledger of requests at ${ledgerFile} is gone, replaced or can not be written: nothing is sent any more. Restart the bot: it makes a new one, which counts every window as full once`;
  }
  const { budget, forMs, namedLimit } = trouble;
  const named = namedLimit === null ? '' : ` The exchange names a limit of ${namedLimit}.`;
  return `${budget} is locked out for ${Math.ceil(forMs / 60_000)} min: the exchange said that a limit was exceeded.${named} Do not restart the bot; see "sarraf budget"`;
}
