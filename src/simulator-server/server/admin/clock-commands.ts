import { z } from 'zod';
import { FaultPlan } from '../../fault-plan.ts';
import { defined } from '../../config-fields.ts';
import { faultsConfig } from '../../settings/faults-config.ts';
import { adminCommand, AdminRefusal, type AdminContext } from './admin-command.ts';

/** The clock is moved on by at most a year at once. */
const LONGEST_ADVANCE_MS = 366 * 86_400_000;

function setPlan(context: AdminContext, plan: FaultPlan): unknown {
  context.simulation.faulty.plan = plan;
  context.clock.skewMs = plan.clockSkewMs;
  return { faults: plan.settings };
}

const clockOf = (context: AdminContext): unknown => ({
  timeMs: context.tick(),
  isFrozen: context.clock.isFrozen,
});

/** Time, and what goes wrong in it. */
export const clockCommands = [
  adminCommand({
    method: 'GET',
    path: '/clock',
    summary: "The exchange's time.",
    input: z.strictObject({}),
    run: clockOf,
  }),
  adminCommand({
    method: 'POST',
    path: '/clock',
    summary: 'Moves the clock on, and freezes it or lets it run.',
    input: z.strictObject({
      advanceMs: z.int().min(0).max(LONGEST_ADVANCE_MS).optional(),
      frozen: z.boolean().optional(),
    }),
    run(context, { advanceMs, frozen }) {
      if (frozen === true) context.clock.freeze();
      if (frozen === false) context.clock.unfreeze();
      if (advanceMs !== undefined) context.clock.advance(advanceMs);
      return clockOf(context);
    },
  }),
  adminCommand({
    method: 'GET',
    path: '/faults',
    summary: 'What is set to go wrong.',
    input: z.strictObject({}),
    run: (context) => ({ faults: context.simulation.faulty.plan.settings }),
  }),
  adminCommand({
    method: 'POST',
    path: '/faults',
    summary: 'Sets what goes wrong from now on, in place of what was set before.',
    input: faultsConfig,
    run(context, settings) {
      const lags = settings.rules?.some(({ kind }) => kind === 'lagging-lists') === true;
      if (lags && !context.simulation.exchange.trading.settings.recordVersions) {
        throw new AdminRefusal(
          'expected trading.recordVersions true in the configuration for lagging lists, was false',
        );
      }
      return setPlan(context, new FaultPlan(defined(settings)));
    },
  }),
  adminCommand({
    method: 'DELETE',
    path: '/faults',
    summary: 'Nothing goes wrong any more.',
    input: z.strictObject({}),
    run: (context) => setPlan(context, new FaultPlan()),
  }),
];
