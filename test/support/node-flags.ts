/**
 * How Node runs tests: they make much garbage that dies at once, so much room for it from the start saves a
 * sixth of their time.
 */
export const NODE_FLAGS = ['--max-semi-space-size=64', '--min-semi-space-size=32'];
