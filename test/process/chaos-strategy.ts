/** The fuzzer's strategy, which wants anything at any time, as a plugin. */
export { WORKLOAD as default } from '../../src/fuzz/workload/workload.ts';
