/** Prefix of all keys of sarraf in Redis. */
export const PREFIX = 'sarraf-study';

/** Studies that wait for workers. */
export const OFFERS = `${PREFIX}-offers`;

/** Key of the workers' notes about the studies of one source. */
export const notesOf = (source: string): string => `${PREFIX}-notes:${source}`;
