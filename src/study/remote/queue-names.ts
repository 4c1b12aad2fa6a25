/** What all keys of sarraf in Redis begin with. */
export const PREFIX = 'sarraf-study';

/** Studies that wait for workers. */
export const OFFERS = `${PREFIX}-offers`;

/** What workers say of the studies of one source. */
export const notesOf = (source: string): string => `${PREFIX}-notes:${source}`;
