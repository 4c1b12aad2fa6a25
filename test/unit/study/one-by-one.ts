import type { PreparedStudy } from '../../../src/study/prepare-study.ts';
import { trialSetupOf } from '../../../src/study/study-session.ts';
import { TrialBench } from '../../../src/study/trials/trial-bench.ts';
import type { StudyRunner } from '../../../src/study/trial-runner.ts';

/** Makes a runner in this thread, since a thread costs more than all runs of a test. */
export async function oneByOne(study: PreparedStudy): Promise<StudyRunner> {
  const bench = new TrialBench(trialSetupOf(study));
  return {
    width: 1,
    run: async (params, stretch) => bench.run(params, stretch),
    account: async (task) => bench.account(task),
    stress: async (task) => bench.stress(task),
    close: async () => undefined,
  };
}
