/** Version of the package, which is sent to the exchange. A test compares it with package.json. */
export const VERSION = '0.1.0';
