/** Everything went well. */
export const OK = 0;
/** Something outside went wrong: a port in use, a folder that can not be written to. */
export const FAILED = 1;
/** What the user wrote is wrong: an option, a configuration. */
export const WRONG_INPUT = 2;
