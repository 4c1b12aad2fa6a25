import { WORKLOAD } from '../../src/fuzz/workload/workload.ts';

/**
 * The fuzzer's strategy, which wants anything at any time, as a plugin. Several of them run in one bot, and
 * the plan refuses more trailing stops than the limits of the exchange can move.
 */
export default { ...WORKLOAD, trailing: { most: 1, everyMs: 10_000 } };
