import { readLedgerIfAny } from '../../budget/read-ledger-at.ts';
import { ledgerOf } from '../../daemon/banner.ts';
import type { BotConfig } from '../../daemon/create-bot-config.ts';
import { SarrafError } from '../../domain/errors.ts';
import { ledgerSubjects } from '../../venues/client-credentials.ts';
import { loweredBudgets } from '../lowered-text.ts';
import { planOfConfigs } from '../plan-of-config.ts';
import { ok, problem, warning, type CheckFinding } from './check-finding.ts';

/**
 * Checks that the strategies can be loaded and that their polls fit the limits, as reported by `sarraf plan`.
 */
export async function checkPlan(config: BotConfig): Promise<readonly CheckFinding[]> {
  try {
    const { plan, strategies, lost } = await planOfConfigs([config], {
      askEmbedded: true,
      named: await namedLimits(config),
    });
    return [
      ...lost.flatMap(({ reasons, isOptional }) =>
        reasons.map((text) =>
          isOptional ? warning('strategies', text, 'the bot starts without it') : strategyProblem(text),
        ),
      ),
      ...(lost.length === 0 ? [ok('strategies', strategies.join(', '))] : []),
      ...plan.problems.map((text) =>
        problem('plan', text, 'ask for fewer markets or older data; "sarraf plan" shows all of it'),
      ),
      ...(plan.problems.length === 0 ? [ok('plan', 'what is polled fits the limits')] : []),
    ];
  } catch (error) {
    if (!(error instanceof SarrafError)) throw error;
    return [strategyProblem(error.message)];
  }
}

function strategyProblem(text: string): CheckFinding {
  return problem('strategies', text, 'correct the strategy or its place in the configuration');
}

/** A ledger that can not be read is told of by its own check. */
async function namedLimits(config: BotConfig): Promise<ReadonlyMap<string, number>> {
  const path = ledgerOf(config);
  if (path === null) return new Map();
  try {
    const subjects = new Set(Object.values(ledgerSubjects(config.exchange)));
    const lowered = loweredBudgets((await readLedgerIfAny(path)) ?? [], subjects);
    return new Map(lowered.map((each) => [each.budget, each.named]));
  } catch (error) {
    if (error instanceof SarrafError) return new Map();
    throw error;
  }
}
