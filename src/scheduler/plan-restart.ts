import { present } from '../domain/invariant.ts';
import type { PlanInput } from './plan-input.ts';
import { capacityOf, takenMsOf, type PlanBudget } from './planned-budget.ts';

/** One list that is read after a restart. */
interface RestartStep {
  readonly what: string;
  readonly budget: string;
  readonly requests: number;
}

/** Requests before anything is traded, and the time that they need. */
export interface RestartPlan {
  readonly steps: readonly RestartStep[];
  readonly requests: number;
  /** With free budgets. */
  readonly soonestMs: number;
  /** Time if every window counts as full at the start, because nothing is known of the time before. */
  readonly latestMs: number;
}

/**
 * The account is read on a consistent cut: the wallets between two readings of the trades. One question
 * follows the other's answer.
 */
export function planRestart(
  budgets: ReadonlyMap<string, PlanBudget>,
  {
    usesAccount,
    replyMs,
    restart,
    wallets,
    venue: { budgets: budgetOf },
  }: Pick<PlanInput, 'usesAccount' | 'replyMs' | 'restart' | 'venue'> & { readonly wallets: number },
): RestartPlan {
  const all: readonly RestartStep[] = [
    { what: 'open orders and those since', budget: budgetOf.orders, requests: restart.orderPages },
    {
      what: 'trades, before and after the wallets',
      budget: budgetOf.trades,
      requests: restart.tradePages + 1,
    },
    { what: 'balances', budget: budgetOf.wallets, requests: 1 },
    { what: 'history of each wallet', budget: budgetOf.transactions, requests: wallets },
  ];
  const steps = usesAccount ? all.filter(({ requests }) => requests > 0) : [];
  const requests = steps.reduce((sum, step) => sum + step.requests, 0);
  const soonestMs =
    requests * replyMs + steps.reduce((sum, step) => sum + windowsMs(step, budgets, replyMs), 0);
  const blindMs = Math.max(
    0,
    ...steps.map(({ budget }) => planned(budget, budgets).windowMs + restart.arrivedAfterMs),
  );
  return { steps, requests, soonestMs, latestMs: blindMs + soonestMs };
}

/** Returns the wait of a list for its budget's windows to pass: infinity if nothing is left of the budget. */
function windowsMs(
  { budget: name, requests }: RestartStep,
  budgets: ReadonlyMap<string, PlanBudget>,
  replyMs: number,
): number {
  const budget = planned(name, budgets);
  const capacity = capacityOf(budget);
  return capacity === 0 ? Infinity : Math.floor((requests - 1) / capacity) * takenMsOf(budget, replyMs);
}

function planned(name: string, budgets: ReadonlyMap<string, PlanBudget>): PlanBudget {
  return present(budgets.get(name), () => `a budget ${name} among those of the plan`);
}
