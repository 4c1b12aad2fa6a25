/** Version of the package, which is sent to the exchange. A test compares it with package.json. */
export const VERSION = '0.1.0';

/** Name that every request to an exchange carries; the interface wants `TraderBot/` before it. */
export const USER_AGENT = `TraderBot/sarraf-${VERSION}`;
